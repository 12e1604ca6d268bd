#include "base/events/trace_rows.h"

#include <algorithm>
#include <iterator>

namespace drywarp {

std::shared_ptr<const LaunchTrace> select(const std::shared_ptr<const LaunchTrace>& trace, const BlockRows& rows) {
  if (rows.all() || rows == trace->rows) return trace;
  auto out = std::make_shared<LaunchTrace>();
  out->rows = rows;
  out->blocks_in_grid = trace->blocks_in_grid;
  out->loads = trace->loads;
  out->sample_blocks = trace->sample_blocks;
  out->built = trace->built;
  std::ranges::copy_if(trace->blocks, std::back_inserter(out->blocks),
                       [&](const BlockTrace& block) { return rows.hold(block.block); });
  for (BlockLines& sample : out->sample_blocks)
    sample.place = rows.hold(sample.block) ? rows.count(sample.block) : BlockLines::kOther;
  return out;
}

}  // namespace drywarp
