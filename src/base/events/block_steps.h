// What the warps of one block executed, step by step: what a drawing of divergence or of a reduction's rounds shows.
#pragma once

#include <cstdint>
#include <vector>

#include "base/events/warp_trace.h"

namespace drywarp {

struct BlockSteps {
  struct Barrier {
    uint32_t step = 0;    // index into Warp::steps: the step ends with the warp's arrival
    uint32_t number = 0;  // named barrier; 0: __syncthreads()
    bool operator==(const Barrier&) const = default;
  };
  struct Warp {
    std::vector<WarpStep> steps;  // code block, lanes, repeats
    std::vector<Barrier> barriers;
    bool cut = false;  // it executed more steps
    bool operator==(const Warp&) const = default;
  };
  uint64_t block = 0;       // linear index in the grid, x fastest
  std::vector<Warp> warps;  // by their number in the block; none: no block was recorded
};

inline constexpr size_t kMostSteps = 8192;  // of all warps of a block: more than a drawing can show

// The steps of the recorded block that loses the most lanes to divergence, or else of the first. Each warp has its
// first steps, up to an equal share of `most`.
[[nodiscard]] BlockSteps steps_to_draw(const LaunchTrace& trace, size_t most = kMostSteps);

// The instructions of each code block (WarpStep::block): first and last index into KernelInfo::instructions. An empty
// code block has first > last.
struct InstructionRange {
  uint32_t first = 1, last = 0;
  bool operator==(const InstructionRange&) const = default;
};
[[nodiscard]] std::vector<InstructionRange> instruction_ranges(const KernelInfo& kernel);

}  // namespace drywarp
