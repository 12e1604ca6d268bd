// Suggestions for a name that does not exist.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace drywarp {

// How many letters must be changed, inserted or deleted to make one of the other.
[[nodiscard]] size_t edit_distance(std::string_view a, std::string_view b);

// All of `names`, the nearest to `wanted` first: those that contain it, then by letters that differ, then by name.
[[nodiscard]] std::vector<std::string> nearest_first(std::string_view wanted, std::vector<std::string> names);

}  // namespace drywarp
