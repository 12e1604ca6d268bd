#include "language/analysis/passes.h"

#include <bit>

namespace drywarp::analysis {

bool RegisterSet::merge(const RegisterSet& other) {
  bool grew = false;
  for (size_t i = 0; i < words_.size(); ++i) {
    uint64_t both = words_[i] | other.words_[i];
    grew |= both != words_[i];
    words_[i] = both;
  }
  return grew;
}

std::vector<ir::RegisterId> RegisterSet::list() const {
  std::vector<ir::RegisterId> all;
  for (size_t i = 0; i < words_.size(); ++i)
    for (uint64_t w = words_[i]; w != 0; w &= w - 1) all.push_back(i * 64 + std::countr_zero(w));
  return all;
}

Liveness liveness(const ir::Function& f, const ControlFlow& flow, std::span<const WordPart> parts) {
  Liveness result;
  const size_t registers = f.registers.size();
  result.live_in.assign(f.blocks.size(), RegisterSet(registers));
  for (bool changed = true; changed;) {
    changed = false;
    for (auto it = flow.order.rbegin(); it != flow.order.rend(); ++it) {
      const ir::Block& block = f.blocks[*it];
      RegisterSet live(registers);
      for (ir::BlockId s : block.successors)
        if (s != ir::kExit) live.merge(result.live_in[s]);
      for (uint32_t i = block.end; i-- > block.first;) {
        const ir::Instruction& in = f.instructions[i];
        // A guarded write leaves the old value in some lanes: it does not end the life of that value.
        if (!in.guard) for_each_definition(in, [&](ir::RegisterId r) { live.remove(r); });
        for_each_use(in, [&](ir::RegisterId r) { live.add(r); });
        if (!parts.empty() && parts[i].address != ir::kNone) live.add(parts[i].address);
      }
      changed |= result.live_in[*it].merge(live);
    }
  }
  return result;
}

}  // namespace drywarp::analysis
