// What holds for lowered code between any two passes. Tests verify after each pass, so a pass that breaks a rule is
// named, and not the pass that stumbles over it.
#pragma once

#include <string>
#include <vector>

#include "model/sass/code/code.h"

namespace drywarp::sass {

// The rules that `kernel`'s blocks break, each with its block and instruction; none: empty.
[[nodiscard]] std::vector<std::string> verify(const Kernel& kernel);
// The same for regions, after form_regions().
[[nodiscard]] std::vector<std::string> verify(const Kernel& kernel, const std::vector<Region>& regions);

}  // namespace drywarp::sass
