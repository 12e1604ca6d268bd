// Which instructions have rare cases (base/events/rare_cases.h).
#pragma once

#include "language/ir/kernel.h"

namespace drywarp::ir {

[[nodiscard]] inline bool has_rare_cases(const Instruction& in) {
  const bool divides = in.op == Opcode::Div || in.op == Opcode::Rcp || in.op == Opcode::Sqrt;
  return divides && (in.type == Type::F32 || in.type == Type::F64) && !in.mods.approx && !in.mods.full;
}

}  // namespace drywarp::ir
