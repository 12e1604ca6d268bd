// BREAK: lanes that leave a loop inside a branch give up their part in the barrier at which the branch's sides meet.
// ptxas 13 puts one for each such barrier before the branch that leaves, with its guard. The code that runs leads such
// lanes through a block where the sides meet (hold_leaving_lanes), whose only instruction is no machine code.
#include "model/sass/passes/passes.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

// The flag that a block of hold_leaving_lanes tests.
ir::RegisterId flag_of(const ir::Function& f, uint32_t block) {
  const ir::Block& b = f.blocks[block];
  if (b.first == b.end) return ir::kNone;
  const ir::Instruction& last = f.instructions[b.end - 1];
  return last.origin == ir::Origin::Held && last.op == ir::Opcode::Bra ? last.guard.reg : ir::kNone;
}

// Blocks whose lanes leave with that flag.
std::vector<uint32_t> leaving_with(const ir::Function& f, ir::RegisterId flag) {
  std::vector<uint32_t> found;
  for (uint32_t b = 0; b < f.blocks.size(); ++b)
    for (uint32_t i = f.blocks[b].first; i < f.blocks[b].end; ++i)
      if (const ir::Instruction& in = f.instructions[i]; analysis::sets_held_flag(in) && in.dst[0].id == flag)
        found.push_back(b);
  return found;
}

bool ends_lanes(const ir::Function& f, uint32_t block) {
  if (block == ir::kExit) return true;
  const ir::Block& b = f.blocks[block];
  return b.successors.size() == 1 && b.successors[0] == ir::kExit && b.end == b.first + 1;
}

}  // namespace

void place_breaks(Kernel& kernel) {
  const ir::Function& f = *kernel.function;
  const auto add = [&](auto& self, uint32_t meets, uint32_t block) -> void {
    if (const ir::RegisterId outer = flag_of(f, block); outer != ir::kNone) {
      for (const uint32_t b : leaving_with(f, outer)) self(self, meets, b);  // through an inner branch's meeting point
      return;
    }
    auto& code = kernel.blocks[block].code;
    Instruction leave;
    leave.op = Break;
    leave.role = Role::Effect;
    leave.target = meets;
    const auto at = before_branches(code);
    if (at != code.end() && at->op == Bra) leave.guard = at->guard, leave.guard_negated = at->guard_negated;
    code.insert(at, leave);
  };
  for (uint32_t b = 0; b < f.blocks.size(); ++b) {
    const auto& code = kernel.blocks[b].code;
    if (code.empty() || code[0].op != Bsync || code[0].target != b) continue;
    const ir::RegisterId flag = flag_of(f, b);
    // Lanes that end need no BREAK.
    if (flag == ir::kNone || ends_lanes(f, f.blocks[b].successors[0])) continue;
    for (const uint32_t from : leaving_with(f, flag)) add(add, b, from);
  }
}

}  // namespace drywarp::sass
