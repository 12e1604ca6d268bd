// Shell patterns for names: * matches any text, ? one character.
#pragma once

#include <string_view>

namespace drywarp {

// Whether all of `text` matches.
[[nodiscard]] bool matches_glob(std::string_view pattern, std::string_view text);

}  // namespace drywarp
