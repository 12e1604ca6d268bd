// Joins the PTX of separately compiled units (-rdc=true) into one text, as a device linker would: resolves external
// declarations, and makes each unit's private names unique.
#pragma once

#include <string>
#include <vector>

namespace drywarp::cuda {

// `units`: complete PTX texts. A single unit is returned unchanged. Line numbers are not preserved.
[[nodiscard]] std::string link_ptx(const std::vector<std::string>& units);

}  // namespace drywarp::cuda
