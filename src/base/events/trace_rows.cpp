#include "base/events/trace_rows.h"

#include <algorithm>
#include <iterator>

namespace drywarp {

LaunchTrace select(const LaunchTrace& trace, const BlockRows& rows) {
  LaunchTrace out{.rows = rows,
                  .blocks_in_grid = trace.blocks_in_grid,
                  .loads = trace.loads,
                  .sample_blocks = trace.sample_blocks,
                  .built = trace.built};
  std::ranges::copy_if(trace.blocks, std::back_inserter(out.blocks),
                       [&](const BlockTrace& block) { return rows.hold(block.block); });
  for (BlockLines& sample : out.sample_blocks)
    sample.place = rows.hold(sample.block) ? rows.count(sample.block) : BlockLines::kOther;
  return out;
}

}  // namespace drywarp
