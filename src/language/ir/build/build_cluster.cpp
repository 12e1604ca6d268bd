// Clusters of one block: every block outside larger clusters is one. Its shared memory is the cluster's, its rank is 0,
// and a cluster's barrier waits for its threads only. Kernels that ask for larger clusters keep the instructions as
// they stand, and fail by name. Rewritten instructions keep a mark of their origin (.cluster, .shared::cluster), so
// that a launch with larger clusters fails too.
#include <algorithm>

#include "language/ir/build/builder.h"

namespace drywarp::ir {

bool FunctionBuilder::is_of_one_block(const Instruction& out) const {
  if (out.op != Opcode::Mapa && out.op != Opcode::Getctarank && out.op != Opcode::BarrierCluster) return false;
  for (uint32_t i = 0; i < syntax_.directives.count; ++i) {
    const ptx::FunctionDirective& given = owner_.tree.directives[syntax_.directives.first + i];
    if (given.name != "reqnctapercluster") continue;
    for (uint32_t k = 0; k < given.numbers.count; ++k)
      if (owner_.tree.numbers[given.numbers.first + k] > 1) return false;
  }
  return true;
}

bool FunctionBuilder::of_one_block(const ptx::Instruction& syntax, Instruction& out) {
  Operand zero;
  zero.kind = Operand::Kind::Immediate;
  if (out.op == Opcode::BarrierCluster) {
    // Arriving orders memory; waiting is the block's barrier. A thread then waits until the others wait, not only until
    // they arrive. No program that ends on a GPU depends on the difference.
    const bool waits = out.mods.extra.find("wait") != std::string::npos;
    out.op = waits ? Opcode::Barrier : Opcode::Membar;
    out.mods = {};
    out.mods.scope = Scope::Cluster;
    if (!waits) return true;
    out.mods.mode = Mode::BarSync;
    out.mods.sync = true;
    out.src.push_back(zero);
    return check_shape(syntax, out);
  }
  // mapa d, a, b: a, for b is 0. getctarank d, a: 0.
  const bool maps = out.op == Opcode::Mapa;
  ptx::Instruction shorter = syntax;
  shorter.operands.count = std::min(syntax.operands.count, maps ? 2u : 1u);
  out.op = Opcode::Mov;
  if (!maps) out.type = Type::B32;
  out.mods = {};
  out.mods.space = AddressSpace::SharedCluster;
  if (!operands(shorter, out)) return false;
  if (!maps) out.src.push_back(zero);
  return check_shape(shorter, out);
}

}  // namespace drywarp::ir
