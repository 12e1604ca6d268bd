#include "language/analysis/code_numbers.h"

#include "language/ir/accesses.h"

namespace drywarp::analysis {
namespace {

using ir::Opcode;

bool has_number(const ir::MemoryAccess& access) {
  return counted_memory(access.space) || access.space == AddressSpace::Const;
}

}  // namespace

std::optional<Memory> counted_memory(AddressSpace space) {
  switch (space) {
    case AddressSpace::Generic:
    case AddressSpace::Global:
      return Memory::Global;
    case AddressSpace::Shared:
    case AddressSpace::SharedCluster:
      return Memory::Shared;
    case AddressSpace::Local:
      return Memory::Local;
    default:
      return std::nullopt;
  }
}

CodeNumbers number(const ir::Function& code) {
  CodeNumbers n;
  const size_t count = code.instructions.size();
  for (auto* numbers : {&n.instruction, &n.predicate, &n.branch, &n.access, &n.written})
    numbers->assign(count, ir::kNone);
  uint32_t next = 0, expanded = ir::kNone;
  for (size_t i = 0; i < count; ++i) {
    const ir::Instruction& in = code.instructions[i];
    const bool counts = ir::counts(in.origin);
    if (counts) n.instruction[i] = next++;
    if (in.origin == ir::Origin::Expanded) expanded = n.instruction[i];
    if (in.origin == ir::Origin::Part) n.instruction[i] = expanded;
    const bool jumps = in.op == Opcode::Bra || in.op == Opcode::Ret || in.op == Opcode::Exit;
    if (in.guard && counts && !jumps) n.predicate[i] = n.predicates++;
    if ((in.guard && counts && jumps) || in.op == Opcode::BrxIdx) n.branch[i] = n.branches++;
    const ir::Accesses accesses = ir::accesses(in);
    if (accesses.empty() || !has_number(accesses[0])) continue;
    if (in.origin == ir::Origin::Part) ++next;  // an access has an entry
    if (accesses.size() > 1) {
      if (counts) ++next;  // the second has an entry of its own
      n.written[i] = n.accesses++;
    }
    n.access[i] = n.accesses;
    n.accesses += accesses[0].space == AddressSpace::Generic ? kMemories : 1;
  }
  n.instructions = next;
  return n;
}

}  // namespace drywarp::analysis
