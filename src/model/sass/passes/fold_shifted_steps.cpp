#include <algorithm>
#include <bit>
#include <vector>

#include "model/sass/passes/passes.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

constexpr unsigned kShiftable = 32;

struct Value {
  Instruction* made = nullptr;
  unsigned writes = 0;
  std::vector<Instruction*> read_by;  // an instruction that reads it twice is there twice
  bool is_address = false;
};

std::vector<Value> find_values(Kernel& kernel) {
  std::vector<Value> values(kernel.registers.size());
  for (CodeBlock& block : kernel.blocks)
    for (Instruction& c : block.code) {
      for_each_source(c, [&](const Source& s) { values[s.reg].read_by.push_back(&c); });
      if (c.space != AddressSpace::None && c.source[0].is_register()) values[c.source[0].reg].is_address = true;
      for (const Register d : c.destination)
        if (d != kNone) values[d].made = &c, ++values[d].writes;
    }
  return values;
}

// A sum of two operands, of 32 bits.
bool is_sum(const Instruction& c) {
  return c.op == Iadd3 && is_plain(c) && !c.wide && !c.guard && is_plain_register(c.source[0]) && c.source[1] &&
         !c.source[2] && c.destination[1] == kNone;
}
bool adds_literal(const Instruction& c) { return is_sum(c) && c.source[1].is_immediate(); }
bool adds_value(const Instruction& c) {
  if (!is_sum(c)) return false;
  return c.source[1].is_constant() || (is_plain_register(c.source[1]) && c.source[0].reg != c.source[1].reg);
}

// The OR of a left shift and a literal in the bits that the shift has cleared.
bool joins_literal(const Instruction& c, const Instruction& shift) {
  return is_logic(c) && c.form.table == kOr && !c.wide && !c.guard && c.destination[1] == kNone &&
         is_plain_register(c.source[0]) && c.source[1].is_immediate() && !c.source[2] &&
         shift_of(shift) == Shift::Left &&
         static_cast<unsigned>(std::bit_width(static_cast<uint32_t>(c.source[1].value))) <= shift.source[1].value;
}

bool shifts_by_literal(const Instruction& c) {
  return c.op == Shf && c.role == Role::Pure && !c.wide && !c.guard && is_plain_register(c.source[0]) &&
         c.source[1].is_immediate() && c.source[1].value > 0 && c.source[1].value < kShiftable;
}

void add_shifted(Instruction& sum, const Instruction& shift) {
  const bool first = sum.source[0].is_register() && sum.source[0].reg == shift.destination[0];
  const Source other = sum.source[first ? 1 : 0];
  sum.op = Lea;
  sum.form = {.shift = shift_of(shift), .distance = static_cast<uint8_t>(shift.source[1].value)};
  sum.source = {shift.source[0], other};
}

}  // namespace

void fold_shifted_steps(Kernel& kernel) {
  const std::vector<Value> values = find_values(kernel);
  for (CodeBlock& block : kernel.blocks)
    for (Instruction& c : block.code) {
      if (c.dead || !c.source[0].is_register() || c.destination[0] == kNone) continue;
      const Value& shifted = values[c.source[0].reg];
      if (!shifted.made || shifted.writes != 1 || shifted.made->dead || !shifts_by_literal(*shifted.made)) continue;
      const Instruction shift = *shifted.made;
      if (values[shift.source[0].reg].writes != 1 || values[c.destination[0]].is_address) continue;
      const Shift direction = shift_of(shift);
      const bool is_shift =
          direction == Shift::Left || direction == Shift::Right || direction == Shift::RightArithmetic;
      if (!is_shift || !(adds_literal(c) || joins_literal(c, shift))) continue;
      // Beside one literal, a left shift may be added to other values.
      const bool all_add = std::ranges::all_of(shifted.read_by, [&](const Instruction* use) {
        return use == &c || (direction == Shift::Left && adds_value(*use));
      });
      if (!all_add) continue;
      for (Instruction* use : shifted.read_by) add_shifted(*use, shift);
      shifted.made->dead = true;
    }
  for (CodeBlock& block : kernel.blocks) std::erase_if(block.code, [](const Instruction& c) { return c.dead; });
}

}  // namespace drywarp::sass
