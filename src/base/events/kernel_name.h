// A kernel's name for people.
#pragma once

#include <string>

namespace drywarp {

// "_Z6reduceILi4EEvPKiPii" -> "void reduce<4>(int const*, int*, int)"; what is not mangled stays as it is.
[[nodiscard]] std::string display_name(const std::string& mangled);

}  // namespace drywarp
