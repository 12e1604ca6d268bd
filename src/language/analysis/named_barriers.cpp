#include "language/analysis/named_barriers.h"

#include <algorithm>

namespace drywarp::analysis {

uint32_t named_barriers(const ir::Function& code) {
  constexpr uint32_t kAll = 16;
  uint32_t used = 0;
  for (const ir::Instruction& in : code.instructions) {
    if ((in.op != ir::Opcode::Bar && in.op != ir::Opcode::Barrier) || in.src.empty()) continue;
    const ir::Operand& which = in.src[0];
    const bool known = which.kind == ir::Operand::Kind::Immediate && which.bits < kAll;
    used = std::max(used, known ? static_cast<uint32_t>(which.bits) + 1 : kAll);
  }
  return used;
}

}  // namespace drywarp::analysis
