// Which source files are headers of a CUDA toolkit: findings name the program's line that calls them.
#pragma once

#include <string_view>

namespace drywarp::check {

// By the path alone, as nvcc wrote it: the machine that runs the program need not have the toolkit.
[[nodiscard]] bool is_toolkit_header(std::string_view path);

}  // namespace drywarp::check
