#include <algorithm>

#include "language/analysis/passes.h"

namespace drywarp::analysis {

// Starts from "every register that is read is an address" and takes back what another use contradicts. Uses mostly
// follow definitions, so from the last instruction to the first a chain of them takes one pass.
std::vector<bool> address_arithmetic(const ir::Function& f) {
  std::vector<bool> address(f.registers.size(), false);
  for (const ir::Instruction& in : f.instructions) for_each_use(in, [&](ir::RegisterId r) { address[r] = true; });
  const auto only_makes_addresses = [&](const ir::Instruction& in) {
    bool any = false, all = true;
    for_each_definition(in, [&](ir::RegisterId r) { any = true, all = all && address[r]; });
    return any && all && !in.address && !in.address2 && in.call_arguments.empty() && !in.guard;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (auto at = f.instructions.rbegin(); at != f.instructions.rend(); ++at) {
      const ir::Instruction& in = *at;
      const bool makes = only_makes_addresses(in);
      const auto reject = [&](ir::RegisterId r) {
        changed = changed || address[r];
        address[r] = false;
      };
      if (in.guard) reject(in.guard.reg);
      for (const ir::Operand& o : in.call_arguments)
        if (o.kind == ir::Operand::Kind::Register) reject(o.id);
      if (makes) continue;
      for (const ir::Operand& o : in.src)
        if (o.kind == ir::Operand::Kind::Register) reject(o.id);
    }
  }
  std::vector<bool> result;
  for (const ir::Instruction& in : f.instructions) result.push_back(only_makes_addresses(in));
  return result;
}

}  // namespace drywarp::analysis
