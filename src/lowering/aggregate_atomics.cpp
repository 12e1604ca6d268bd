#include "lowering/aggregate_atomics.h"

namespace drywarp::lowering {
namespace {

using enum machine::Operation;

constexpr uint32_t kRedux = 80;     // REDUX came with compute capability 8.0
constexpr uint32_t kVariant = 300;  // of the instructions written here: nothing shares them

// What REDUX can do to 32-bit integers.
bool can_reduce(const ir::Instruction& in) {
  using enum ir::AtomOp;
  const bool operation = in.mods.atom == Add || in.mods.atom == Min || in.mods.atom == Max || in.mods.atom == And ||
                         in.mods.atom == Or || in.mods.atom == Xor;
  return operation && !ir::is_float(in.type) && ir::bits(in.type) == 32 && in.mods.vector == 1;
}

std::vector<bool> read_registers(const Kernel& kernel) {
  std::vector<bool> read(kernel.registers.size());
  for (const CodeBlock& block : kernel.blocks)
    for (const Code& c : block.code) {
      for (const Source& s : c.source)
        if (s.is_register()) read[s.reg] = true;
      if (c.guard.is_register()) read[c.guard.reg] = true;
    }
  return read;
}

}  // namespace

void aggregate_atomics(Kernel& kernel) {
  const std::vector<bool> read = read_registers(kernel);
  for (CodeBlock& block : kernel.blocks)
    for (Code& c : block.code)
      if (c.op == Atomg && c.destination[0] != kNone && !read[c.destination[0]]) c.op = Red, c.destination[0] = kNone;
  if (kernel.compute_capability < kRedux) return;
  for (CodeBlock& block : kernel.blocks) {
    std::vector<Code> out;
    for (Code& c : block.code) {
      const bool same_for_all = !c.source[0].is_register() && !c.guard && c.instruction != kNone;
      if (c.op != Red || c.space != MemorySpace::Global || !same_for_all ||
          !can_reduce(kernel.function->instructions[c.instruction])) {
        out.push_back(std::move(c));
        continue;
      }
      auto emit = [&](Operation op, Register to, std::initializer_list<Source> sources) {
        Code made;
        made.op = op;
        made.role = Role::Effect;
        made.variant = kVariant;
        made.destination[0] = to;
        size_t s = 0;
        for (const Source& source : sources) made.source[s++] = source;
        made.instruction = c.instruction;
        made.step = c.step;
        out.push_back(made);
        return Source::of(to);
      };
      // Who is here, who of them is first, what all bring, and am I the first.
      const Source lanes = emit(Vote, kernel.make(1, RegisterFile::Uniform), {});
      const Source leader = emit(Ushf, kernel.make(1, RegisterFile::Uniform), {lanes});
      if (c.source[1].is_register()) {
        c.source[1] = emit(Redux, kernel.make(), {c.source[1]});
      } else {
        const Source count = emit(Popc, kernel.make(), {lanes});
        c.source[1] = c.source[1].is_immediate() && c.source[1].value == 1 ? count : emit(Imad, kernel.make(), {count});
      }
      const Source lane = emit(S2r, kernel.make(), {});
      c.guard = emit(Isetp, kernel.make(1, RegisterFile::Predicate), {lane, leader});
      c.one_lane = true;
      out.push_back(std::move(c));
    }
    block.code = std::move(out);
  }
}

}  // namespace drywarp::lowering
