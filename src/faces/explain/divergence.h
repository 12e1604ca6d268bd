// Divergence: which warps diverge at a condition, a switch or a loop, in how many passes, with how many active lanes
// (course A4, B2). The profiler's BranchCounts count the branches.
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

// A pass: the lanes of a warp that take the same path together.
struct Pass {
  int64_t value = 0;  // Condition: 1 or 0; Switch: the value; Loop: the number of the trip, from 1
  LaneMask lanes = 0;
};

// Consecutive warps with equal passes: the first, and how many they are.
struct WarpPaths {
  uint64_t block = 0;
  uint32_t warp = 0;
  uint64_t warps = 1;
  LaneMask active = 0;
  std::vector<Pass> passes;  // Loop: of the trips that any lane makes
  bool divergent = false;
};

// One trip of a loop, over all examined warps.
struct TripCounts {
  int64_t trip = 0;        // from 1
  uint64_t warps = 0;      // with a lane that makes this trip
  uint64_t divergent = 0;  // ... and a lane that has left the loop: these take two passes
  [[nodiscard]] uint64_t passes() const { return warps + divergent; }
  uint64_t lanes = 0;
};

struct DivergenceExplanation {
  std::string text;
  BranchKind kind = BranchKind::Condition;
  LaunchConfiguration launch;
  std::vector<WarpPaths> shown;  // the first kShownRuns runs of warps, and the first that diverges
  std::vector<TripCounts> trips;

  uint64_t warps = 0;          // examined
  uint64_t working_warps = 0;  // with a lane for which the condition is true, or that makes a trip
  uint64_t divergent_warps = 0;
  uint64_t branches = 0, divergent_branches = 0;
  uint64_t passes = 0, lanes = 0;  // over all warps; lanes: active ones, summed over passes
  uint64_t split_trips = 0;        // Loop: passes for lanes that have left it while others go on; not in `passes`
  uint64_t examined_blocks = 0;
  [[nodiscard]] double efficiency() const;         // percent: active lanes of 32, averaged over passes
  [[nodiscard]] double branch_efficiency() const;  // percent: branches without divergence, as nvprof's
};
inline constexpr size_t kShownRuns = 64;

struct DivergenceText {
  std::string expression;
  BranchKind kind = BranchKind::Condition;
  std::vector<std::string> definitions;
  LaunchConfiguration launch;
};
// Errors: located in the expression or a definition; a loop of more than 4096 trips.
Result<DivergenceExplanation> explain_divergence(const DivergenceText& text);

// How a block's threads sum its elements in log2 rounds.
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
  uint64_t threads = 0;  // of a block, that add
  uint64_t warps = 0;    // with such a thread
  uint64_t divergent_warps = 0;
};
struct ReductionExplanation {
  Reduction reduction{};
  uint32_t threads = 0;   // of a block, and the elements that it reduces
  uint64_t elements = 0;  // of the whole input
  std::vector<ReductionRound> rounds;
  [[nodiscard]] uint64_t additions() const;  // of a block
  [[nodiscard]] uint64_t blocks() const { return (elements + threads - 1) / threads; }
};
// Errors: `threads` is not a power of two up to 1024.
Result<ReductionExplanation> explain_reduction(Reduction reduction, uint32_t threads, uint64_t elements);

}  // namespace drywarp::explain
