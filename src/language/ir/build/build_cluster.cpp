// Clusters of one block, which every block is that belongs to no other: the block's shared memory is the cluster's, its
// rank is 0, and its threads are all that a cluster's barrier waits for. Kernels that ask for larger clusters keep the
// instructions as they stand, and are refused by name. What is written here keeps the mark of its origin (.cluster,
// .shared::cluster), so that a launch with larger clusters is refused, too.
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
    // Arriving orders memory; waiting is the block's barrier. A thread that waits here waits until the others do, too,
    // and not only until they have arrived: nothing that ends on a GPU with all threads going on depends on that.
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
