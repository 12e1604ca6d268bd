// Suggestions for a name that does not exist.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace drywarp {

// How many letters must be changed, inserted or deleted to make one of the other. Of names that are further apart
// than `limit` some number above it, which is found sooner.
[[nodiscard]] size_t edit_distance(std::string_view a, std::string_view b,
                                   size_t limit = std::numeric_limits<size_t>::max());

// All of `names`, the nearest to `wanted` first: those that contain it, then by letters that differ, then by name.
[[nodiscard]] std::vector<std::string> nearest_first(std::string_view wanted, std::vector<std::string> names);

}  // namespace drywarp
