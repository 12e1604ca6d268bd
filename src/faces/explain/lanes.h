// The element that each lane of a warp accesses: an index expression evaluated for the threads of a launch.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "faces/explain/names.h"

namespace drywarp::explain {

// A parsed access pattern. Build with parse_pattern().
struct Pattern {
  std::string text;  // "a[2 * threadIdx.x + 1]"
  ArrayIndex index;
  std::vector<Expression> extents;      // of the array's dimensions, outermost first; the first may be missing
  std::optional<Expression> condition;  // lanes for which it is 0 are inactive
  Names names;
  LaunchConfiguration launch;
  unsigned bytes = 4;  // an element
  int64_t base = 0;    // byte address of the array's first element
};

struct PatternText {
  std::string index;               // empty: from stride and offset
  int64_t stride = 1, offset = 0;  // element = stride * (the thread's number in its block) + offset
  std::string extents;             // "32x33", "[32][33]"; expressions
  std::string condition;
  std::vector<std::string> definitions;  // "Width=1024"
  LaunchConfiguration launch;
  unsigned bytes = 4;
  int64_t base = 0;
};
// Errors: in the index, the condition or a definition, with the position; an element size other than 1, 2, 4, 8 or 16;
// a number of dimensions that does not match the subscripts.
Result<Pattern> parse_pattern(const PatternText& text);

struct LaneAccesses {
  LaneMask active = 0;
  std::array<int64_t, kWarpSize> index{};       // linear, of elements
  std::array<uint64_t, kWarpSize> addresses{};  // bytes; base + index * bytes
};
// `pad`: elements added to each row (the last dimension). A flat index has no rows: it gets a gap after every
// `row_bytes`.
Result<LaneAccesses> lanes_of(const Pattern& pattern, uint64_t block, uint32_t warp, int64_t pad = 0,
                              uint32_t row_bytes = kLineBytes);

// The number of blocks to examine: all, or the first ones with at most kMaxWarps warps.
inline constexpr uint64_t kMaxWarps = uint64_t{1} << 17;
[[nodiscard]] uint64_t blocks_to_examine(const LaunchConfiguration& launch);

}  // namespace drywarp::explain
