// Divergence: which warps a condition, a switch or a loop splits, how many passes they make, with how many lanes
// (course A4, B2). Branches are counted by the profiler's own BranchCounts.
#pragma once

#include <string>
#include <vector>

#include "faces/explain/names.h"

namespace drywarp::explain {

enum class BranchKind : uint8_t {
  Condition,  // if (E) ... else ...
  Switch,     // a path for each value of E
  Loop,       // E trips
};

// A pass: what the lanes of a warp that go the same way run together.
struct Pass {
  int64_t value = 0;  // Condition: 1 or 0; Switch: the value; Loop: the number of the trip, from 1
  LaneMask lanes = 0;
};

struct WarpPaths {
  uint64_t block = 0;
  uint32_t warp = 0;
  LaneMask active = 0;
  std::vector<Pass> passes;  // Loop: of the trips in which any lane takes part
  bool divergent = false;
};

// One trip of a loop, over all warps looked at.
struct TripCounts {
  int64_t trip = 0;        // from 1
  uint64_t warps = 0;      // with a lane that makes this trip
  uint64_t divergent = 0;  // ... and one that has left before it: two passes, those in the loop and those out of it
  uint64_t lanes = 0;
};

struct DivergenceExplanation {
  std::string text;
  BranchKind kind = BranchKind::Condition;
  Shape shape;
  std::vector<WarpPaths> shown;  // the first warps, at most kShownWarps
  std::vector<TripCounts> trips;

  uint64_t warps = 0;          // that were looked at
  uint64_t working_warps = 0;  // with a lane for which the condition is true, or which makes a trip
  uint64_t divergent_warps = 0;
  uint64_t branches = 0, divergent_branches = 0;
  uint64_t passes = 0, lanes = 0;  // over all warps; lanes: active ones, summed over passes
  uint64_t blocks_looked_at = 0;
  [[nodiscard]] double efficiency() const;         // percent: active lanes of 32 in the passes made
  [[nodiscard]] double branch_efficiency() const;  // percent: branches that split no warp, as nvprof's
};
inline constexpr size_t kShownWarps = 64;

struct DivergenceText {
  std::string expression;
  BranchKind kind = BranchKind::Condition;
  std::vector<std::string> definitions;
  Shape shape;
};
// Errors: located in the expression or a definition; a loop of more than 4096 trips.
Result<DivergenceExplanation> explain_divergence(const DivergenceText& text);

// How a block's threads add up its elements, in log2 rounds.
enum class Reduction : uint8_t {
  Neighboured,            // tid % (2 * s) == 0, s doubles: "mod"
  NeighbouredRearranged,  // 2 * s * tid < blockDim.x, s doubles: the first threads work
  Interleaved,            // tid < s, s halves: "sequential addressing"
};
[[nodiscard]] const char* name(Reduction reduction);
[[nodiscard]] const char* condition(Reduction reduction);  // over tid, s and blockDim.x
Result<Reduction> parse_reduction(std::string_view name);

struct ReductionRound {
  uint32_t stride = 0;
  uint64_t threads = 0;  // that add, of a block
  uint64_t warps = 0;    // with such a thread
  uint64_t divergent_warps = 0;
};
struct ReductionExplanation {
  Reduction reduction{};
  uint32_t threads = 0;   // of a block, which reduces as many elements
  uint64_t elements = 0;  // of the whole input
  std::vector<ReductionRound> rounds;
  [[nodiscard]] uint64_t additions() const;  // of a block
  [[nodiscard]] uint64_t blocks() const { return (elements + threads - 1) / threads; }
};
// Errors: `threads` is not a power of two up to 1024.
Result<ReductionExplanation> explain_reduction(Reduction reduction, uint32_t threads, uint64_t elements);

}  // namespace drywarp::explain
