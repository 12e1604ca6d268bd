// Joins the PTX of separately compiled units (-rdc=true) into one text, as a device linker would: external declarations
// meet their definitions, and names that a unit keeps to itself are kept apart.
#pragma once

#include <string>
#include <vector>

namespace drywarp::cuda {

// `units`: complete PTX texts. One unit comes back as it is. Lines keep their text but not their numbers.
[[nodiscard]] std::string link_ptx(const std::vector<std::string>& units);

}  // namespace drywarp::cuda
