#include "engine/jit/emit/nan_flow.h"

namespace drywarp::jit {
namespace {

// Whether the instruction computes an f32 that may be a NaN. set.f32 and testp never produce one.
bool computes(const ir::Instruction& in) {
  using F = ir::Family;
  if (in.type != ir::Type::F32) return false;
  switch (ir::info(in.op).family) {
    case F::Arithmetic:
    case F::Special:
    case F::Convert:
      return in.op != ir::Opcode::Copysign;
    default:
      return false;
  }
}

// Opcodes whose result is one of their operands, unchanged.
bool passes_on(ir::Opcode op) {
  using O = ir::Opcode;
  return op == O::Mov || op == O::Selp || op == O::Slct || op == O::Shfl || op == O::Copysign;
}

}  // namespace

std::vector<bool> computed_floats(const ir::Function& function) {
  std::vector<bool> computed(function.registers.size(), false);
  auto is_float = [&](const ir::Operand& o) {
    return o.kind == ir::Operand::Kind::Register && function.registers[o.id].type == ir::Type::F32;
  };
  bool changed = true;
  while (changed) {
    changed = false;
    for (const ir::Instruction& in : function.instructions) {
      bool source = computes(in);
      if (!source && passes_on(in.op))
        for (const ir::Operand& o : in.src) source |= is_float(o) && computed[o.id];
      if (!source) continue;
      for (const ir::Operand& d : in.dst) {
        if (!is_float(d) || computed[d.id]) continue;
        computed[d.id] = changed = true;
      }
    }
  }
  return computed;
}

}  // namespace drywarp::jit
