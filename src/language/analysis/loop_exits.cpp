#include "language/analysis/dominance.h"
#include "language/analysis/passes.h"

namespace drywarp::analysis {
namespace {

using ir::BlockId;

// The blocks of the natural loop of a back edge: those that reach its end without passing the header.
std::vector<BlockId> loop_of(const ControlFlow& flow, BlockId header, BlockId end) {
  std::vector<BlockId> blocks{header};
  std::vector<bool> inside(flow.predecessors.size(), false);
  inside[header] = true;
  std::vector<BlockId> open;
  const auto add = [&](BlockId b) {
    if (inside[b] || !flow.reachable[b]) return;
    inside[b] = true;
    blocks.push_back(b), open.push_back(b);
  };
  add(end);
  while (!open.empty()) {
    const BlockId b = open.back();
    open.pop_back();
    for (const BlockId p : flow.predecessors[b]) add(p);
  }
  return blocks;
}

// Whether lanes leave at the end of a block through the point where others meet (hold_leaving_lanes).
bool sets_flag(const ir::Function& f, BlockId b) {
  return std::any_of(f.instructions.begin() + f.blocks[b].first, f.instructions.begin() + f.blocks[b].end,
                     sets_held_flag);
}

}  // namespace

std::vector<bool> loop_exits(const ir::Function& function, const ControlFlow& flow) {
  const size_t count = function.blocks.size();
  std::vector<bool> exits(count, false);
  const std::vector<BlockId> dominator = immediate_dominators(function, flow);
  // Back edges of one header make one loop.
  for (BlockId header = 0; header < count; ++header) {
    if (!flow.loop_header[header]) continue;
    std::vector<bool> inside(count, false);
    std::vector<BlockId> blocks;
    for (const BlockId end : flow.predecessors[header]) {
      if (!flow.reachable[end] || !dominates(dominator, header, end)) continue;
      for (const BlockId b : loop_of(flow, header, end))
        if (!inside[b]) inside[b] = true, blocks.push_back(b);
    }
    for (const BlockId b : blocks) {
      if (sets_flag(function, b)) exits[b] = true;
      for (const BlockId s : function.blocks[b].successors)
        if (s == ir::kExit || !inside[s]) exits[b] = true;
    }
  }
  return exits;
}

}  // namespace drywarp::analysis
