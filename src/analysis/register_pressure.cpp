#include "analysis/register_pressure.h"

#include <algorithm>

namespace drywarp::analysis {

uint32_t register_pressure(const ir::Function& f, const ControlFlow& flow, const Liveness& live) {
  auto size = [&](ir::RegisterId r) -> int {
    const unsigned bits = ir::bits(f.registers[r].type);
    return bits <= 1 ? 0 : static_cast<int>((bits + 31) / 32);
  };
  int most = 0;
  for (ir::BlockId b : flow.order) {
    const ir::Block& block = f.blocks[b];
    RegisterSet now(f.registers.size());
    for (ir::BlockId s : block.successors)
      if (s != ir::kExit) now.merge(live.live_in[s]);
    int count = 0;
    for (ir::RegisterId r : now.list()) count += size(r);
    most = std::max(most, count);
    for (uint32_t i = block.end; i-- > block.first;) {
      const ir::Instruction& in = f.instructions[i];
      if (!in.guard)
        for_each_definition(in, [&](ir::RegisterId r) {
          if (now.has(r)) count -= size(r);
          now.remove(r);
        });
      for_each_use(in, [&](ir::RegisterId r) {
        if (!now.has(r)) count += size(r);
        now.add(r);
      });
      most = std::max(most, count);
    }
  }
  return static_cast<uint32_t>(most);
}

}  // namespace drywarp::analysis
