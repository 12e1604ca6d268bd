#include "language/analysis/passes.h"
#include "language/ir/passes.h"
#include "language/ir/warp_exchanges.h"

namespace drywarp::analysis {

using ir::Opcode;
using ir::waits_for_lanes;

bool waits_for_warps(const ir::Instruction& in) { return in.op == Opcode::Bar || in.op == Opcode::Barrier; }

bool really_calls(const ir::Module& module, const ir::Instruction& in) {
  return in.op == Opcode::Call && in.origin != ir::Origin::InlinedCall &&
         (in.callee == ir::kNone || !module.functions[in.callee].is_declaration);
}

ir::Function split_at_waits(const ir::Module& module, ir::Function f) {
  std::vector<ir::Block> blocks;
  std::vector<ir::BlockId> first_part(f.blocks.size());
  for (size_t old = 0; old < f.blocks.size(); ++old) {
    first_part[old] = blocks.size();
    const ir::Block& block = f.blocks[old];
    uint32_t start = block.first;
    auto cut = [&](uint32_t at) {
      if (at == start) return;
      blocks.push_back({start, at, {static_cast<ir::BlockId>(blocks.size() + 1)}});
      start = at;
    };
    for (uint32_t i = block.first; i < block.end; ++i) {
      const ir::Instruction& in = f.instructions[i];
      const bool calls = really_calls(module, in);
      if (!waits_for_lanes(in) && !waits_for_warps(in) && !calls) continue;
      if (!calls) cut(i);
      if (calls || !f.is_kernel || waits_for_warps(in) || in.op == Opcode::BarWarpSync) cut(i + 1);
    }
    blocks.push_back({start, block.end, block.successors});
    // The last part has the old block numbers as successors until they are renumbered below.
    blocks.back().successors = block.successors;
    f.blocks[old].first = blocks.size() - 1;  // index of the part that ends the old block
  }
  auto renumber = [&](ir::BlockId& b) {
    if (b != ir::kExit) b = first_part[b];
  };
  for (const ir::Block& old : f.blocks)
    for (ir::BlockId& s : blocks[old.first].successors) renumber(s);
  for (ir::Instruction& in : f.instructions) {
    if (in.op == Opcode::Bra) renumber(in.target);
    for (ir::BlockId& t : in.targets) renumber(t);
  }
  f.blocks = std::move(blocks);
  return f;
}

ir::Function code_to_run(const ir::Module& module, const ir::Function& function) {
  return split_at_waits(module, hold_leaving_lanes(join_short_circuits(ir::inline_calls(module, function))));
}

}  // namespace drywarp::analysis
