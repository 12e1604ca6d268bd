// The indefinite article of a noun, for messages.
#pragma once

#include <string_view>

namespace drywarp {

// "an" before a vowel.
[[nodiscard]] inline const char* article(std::string_view noun) {
  return !noun.empty() && std::string_view("aeiou").find(noun.front()) != std::string_view::npos ? "an" : "a";
}

}  // namespace drywarp
