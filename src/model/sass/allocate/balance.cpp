#include "model/sass/allocate/allocate.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;
using machine::Pipe;

// In ptxas's code for sm_90 a third of the additions of two registers runs on the FMA pipe, and no move from a uniform
// register does (58 of 58).
bool has_multiply_form(const Kernel& kernel, const Instruction& c) {
  if (c.wide || c.destination[0] == kNone || c.destination[1] != kNone) return false;
  const RegisterInfo& to = kernel.registers[c.destination[0]];
  if (to.file != RegisterFile::General || (to.words != 1 && c.role != Role::Copy)) return false;
  const auto is_lanes = [&](const Source& s) {
    return !s.is_register() || kernel.registers[s.reg].file == RegisterFile::General;
  };
  if (c.op == Mov) return is_lanes(c.source[0]);
  if (c.op == Iadd3) {
    unsigned addends = 0;
    for (const Source& s : c.source) {
      if (s.is_immediate() && s.value != 0) return false;
      addends += s.is_register() && kernel.registers[s.reg].file == RegisterFile::General;
    }
    return addends <= 2 && c.role == Role::Pure;
  }
  return shift_of(c) == Shift::Left && c.source[1].is_immediate();
}

// Half of the additions of an immediate (332 of 624) are VIADD, which Nsight Compute counts for the FMA pipe; none
// before sm_90.
bool has_vector_form(const Kernel& kernel, const Instruction& c) {
  return kernel.compute_capability >= 90 && c.op == Iadd3 && is_plain(c) && !c.wide && c.destination[0] != kNone &&
         c.destination[1] == kNone && !c.source[2] && c.source[0].is_register() && c.source[1].is_immediate() &&
         kernel.registers[c.destination[0]].file == RegisterFile::General &&
         kernel.registers[c.destination[0]].words == 1 &&
         kernel.registers[c.source[0].reg].file == RegisterFile::General;
}

// Zeros come from the FMA pipe whatever its load (145 of 162), also the zero word of a shift by a whole word.
bool is_zero(const Kernel& kernel, const Instruction& c) {
  if (c.op == Mov) return c.source[0].is_immediate() && c.source[0].value == 0;
  constexpr uint64_t kWord = 32;
  const Shift shift = shift_of(c);
  return (shift == Shift::Left || shift == Shift::Right) && c.op == Shf && !c.wide && c.destination[0] != kNone &&
         kernel.registers[c.destination[0]].words == 2 && c.source[1].is_immediate() && c.source[1].value == kWord;
}

}  // namespace

void balance_pipes(const Kernel& kernel, std::vector<Region>& regions) {
  if (kernel.compute_capability < 70) return;
  for (Region& region : regions) {
    unsigned alu = 0, fma = 0;
    for (Instruction& c : region.code) {
      if (c.role == Role::Tuple) continue;
      if (is_zero(kernel, c)) c.op = ImadMov;
      if (has_multiply_form(kernel, c) && alu > fma) c.op = c.op == Mov ? ImadMov : Imad;
      if (has_vector_form(kernel, c) && alu >= fma) c.op = Viadd;
      if (c.role == Role::Copy) continue;  // most are coalesced
      const Pipe pipe = machine::info(c.op).pipe;
      const unsigned issued = c.wide ? 2 : 1;
      if (pipe == Pipe::Alu) alu += issued;
      if (pipe == Pipe::Fma) fma += issued;
    }
  }
}

}  // namespace drywarp::sass
