// Which element each lane of a warp selects: an index expression evaluated for the threads of a launch.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "faces/explain/names.h"

namespace drywarp::explain {

// What is accessed, as the user says it. Build with parse_pattern().
struct Pattern {
  std::string text;  // "a[2 * threadIdx.x + 1]"
  ArrayIndex index;
  std::vector<Expression> extents;  // of the array's dimensions, outermost first; one for each subscript but the first
                                    // must be there (the first's own is not needed: it may be missing)
  std::optional<Expression> condition;  // lanes where it is 0 do not take part
  Names names;
  Shape shape;
  unsigned bytes = 4;  // an element
  int64_t base = 0;    // byte address of the array's first element
};

struct PatternText {
  std::string index;               // empty: made of stride and offset
  int64_t stride = 1, offset = 0;  // elements, with the thread's number in its block
  std::string extents;             // "32x33", "[32][33]"; sides are expressions
  std::string condition;
  std::vector<std::string> definitions;  // "Width=1024"
  Shape shape;
  unsigned bytes = 4;
  int64_t base = 0;
};
// Errors: located in the index, the condition or a definition; an element size other than 1, 2, 4, 8 or 16; a number of
// dimensions that does not fit the subscripts.
Result<Pattern> parse_pattern(const PatternText& text);

struct LaneAccesses {
  LaneMask active = 0;
  std::array<int64_t, kWarpSize> index{};       // linear, of elements
  std::array<uint64_t, kWarpSize> addresses{};  // bytes; base + index * bytes
};
// `pad`: elements by which each row (the last dimension) is longer than it says. A flat index knows no rows: its gaps
// lie behind every `row_bytes`.
Result<LaneAccesses> lanes_of(const Pattern& pattern, uint64_t block, uint32_t warp, int64_t pad = 0,
                              uint32_t row_bytes = kLineBytes);

// Warps of the grid that are looked at: all up to this many, else the first blocks'.
inline constexpr uint64_t kMaxWarps = uint64_t{1} << 17;
// Whole blocks.
[[nodiscard]] uint64_t blocks_looked_at(const Shape& shape);

}  // namespace drywarp::explain
