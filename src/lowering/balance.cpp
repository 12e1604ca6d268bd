#include "lowering/balance.h"

namespace drywarp::lowering {
namespace {

using enum machine::Operation;
using machine::Pipe;

bool has_multiply_form(const Kernel& kernel, const Code& c) {
  if (c.wide || c.role == Role::Copy || c.destination[0] == kNone || c.destination[1] != kNone) return false;
  const RegisterInfo& to = kernel.registers[c.destination[0]];
  if (to.file != RegisterFile::General || to.words != 1) return false;
  if (c.op == Mov) return true;
  if (c.op == Iadd3) return c.variant == 0 && !c.source[2] && c.role == Role::Pure;
  return c.op == Shf && c.variant == 1 && c.source[1].is_immediate();
}

}  // namespace

void balance_pipes(const Kernel& kernel, std::vector<Region>& regions) {
  if (kernel.compute_capability < 70) return;
  for (Region& region : regions) {
    unsigned alu = 0, fma = 0;
    for (Code& c : region.code) {
      if (c.role == Role::Tuple || c.role == Role::Copy) continue;  // most vanish
      if (has_multiply_form(kernel, c) && alu > fma) c.op = c.op == Mov ? ImadMov : Imad;
      const Pipe pipe = machine::info(c.op).pipe;
      const unsigned issued = c.wide ? 2 : 1;
      if (pipe == Pipe::Alu) alu += issued;
      if (pipe == Pipe::Fma) fma += issued;
    }
  }
}

}  // namespace drywarp::lowering
