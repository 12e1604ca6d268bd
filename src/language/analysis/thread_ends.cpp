#include <algorithm>

#include "language/analysis/passes.h"

namespace drywarp::analysis {
namespace {

using ir::BlockId;

// Whether a thread at the beginning of this block does nothing more than end.
bool is_end(const ir::Function& f, BlockId block) {
  const auto passes_on = [&](const ir::Block& b) {
    const auto ends_or_jumps = [](const ir::Instruction& in) {
      return in.op == ir::Opcode::Ret || in.op == ir::Opcode::Exit || in.op == ir::Opcode::Bra;
    };
    return b.successors.size() == 1 &&
           std::all_of(f.instructions.begin() + b.first, f.instructions.begin() + b.end, ends_or_jumps);
  };
  for (size_t steps = 0; steps <= f.blocks.size(); ++steps) {  // an endless loop never ends
    if (block == ir::kExit) return true;
    if (block >= f.blocks.size() || !passes_on(f.blocks[block])) return false;
    block = f.blocks[block].successors[0];
  }
  return false;
}

}  // namespace

ThreadEnds thread_ends(const ir::Function& f) {
  ThreadEnds ends{std::vector<bool>(f.blocks.size(), false), std::vector<bool>(f.blocks.size(), false)};
  for (BlockId b = 0; b < f.blocks.size(); ++b) ends.only_ends[b] = is_end(f, b);
  // Whatever the other side of a guard reaches is behind it.
  std::vector<BlockId> reached;
  const auto reach = [&](const ir::Block& from) {
    for (const BlockId s : from.successors) {
      if (s == ir::kExit || ends.behind_guard[s]) continue;
      ends.behind_guard[s] = true;
      reached.push_back(s);
    }
  };
  for (const ir::Block& b : f.blocks)
    if (std::ranges::any_of(b.successors, [&](BlockId s) { return ends.at_end(s); })) reach(b);
  while (!reached.empty()) {
    const BlockId next = reached.back();
    reached.pop_back();
    reach(f.blocks[next]);
  }
  return ends;
}

}  // namespace drywarp::analysis
