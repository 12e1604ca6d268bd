// Half-precision arithmetic takes either half of a register for both elements, or for its only one (.H0_H0, .H1_H1),
// and a PRMT that makes a pair of halves takes them from anywhere: no instruction fetches a half first.
#include <bit>

#include "model/sass/passes/passes.h"

namespace drywarp::sass {

using enum machine::Operation;

namespace {

// The half that `s` names, where its register was filled from another one.
bool fold_origin(Values& v, Source& s) {
  if (!s.is_register() || s.value != 0 || !v.known[s.reg]) return false;
  const Instruction& d = v.made_by[s.reg];
  if (d.guard || !takes_half(d) || !d.source[0].is_register() || d.source[0].modifiers != 0 || !v.usable(d))
    return false;
  Source from = Source::half_of(d.source[0].reg, d.form.word);
  from.modifiers |= s.modifiers;
  v.set(s, from);
  return true;
}

// A pair of one half, for an instruction on pairs.
bool fold_pair(Values& v, Source& s) {
  if (!s.is_register() || (s.modifiers & kHalf) != 0 || !v.known[s.reg]) return false;
  const Instruction& d = v.made_by[s.reg];
  if (d.guard || !is_pair_of_halves(d) || d.source[0] != d.source[1] || !d.source[0].is_register() || !v.usable(d))
    return false;
  Source from = d.source[0];
  from.modifiers |= kHalf | s.modifiers;
  v.set(s, from);
  return true;
}

// A sign is a modifier of the operand.
bool fold_sign(Values& v, Source& s) {
  if (!s.is_register() || s.value != 0 || !v.known[s.reg]) return false;
  const Instruction& d = v.made_by[s.reg];
  if (d.op != Hadd2 || !d.form.changes_sign || d.guard || !d.source[0].is_register() || !v.usable(d)) return false;
  Source from = d.source[0];
  if ((s.modifiers & kAbsolute) != 0) from.modifiers &= kHalf;
  from.modifiers = static_cast<uint8_t>((from.modifiers ^ (s.modifiers & ~kHalf)) | (s.modifiers & kHalf));
  v.set(s, from);
  return true;
}

}  // namespace

bool takes_half(const Instruction& c) {
  return c.op == Prmt && c.source.size() == 1 && c.form == Form{.from = c.form.from, .word = c.form.word} &&
         ir::bits(c.form.from) == 16;
}

bool is_pair_of_halves(const Instruction& c) {
  return c.op == Prmt && c.form == kPairOfHalves && c.source[1] && !c.source[2];
}

bool fold_halves(Values& v, Instruction& c) {
  const bool pairs = c.form.type == ir::Type::F16x2 || c.form.type == ir::Type::BF16x2;
  const bool single = c.form.type == ir::Type::F16 || c.form.type == ir::Type::BF16;
  if (c.form.from != ir::Type{} || c.form.changes_sign || (!pairs && !single)) return false;
  bool any = false;
  for (Source& s : c.source) {
    any = fold_sign(v, s) || any;
    any = (pairs && fold_pair(v, s)) || any;
    any = fold_sign(v, s) || any;
    any = ((single || (s.modifiers & kHalf) != 0) && fold_origin(v, s)) || any;
  }
  return any;
}

bool fold_constant_half(Values& v, Instruction& c) {
  const Form conversion{.type = ir::Type::F16, .from = ir::Type::F32, .rounding = ir::Rounding::Rn};
  if (c.form != conversion || !c.source[0].is_immediate() || c.source[0].modifiers != 0 || c.source[1]) return false;
  const auto value = std::bit_cast<float>(static_cast<uint32_t>(c.source[0].value));
  v.become_copy(c, Source::immediate(std::bit_cast<uint16_t>(static_cast<_Float16>(value))));
  return true;
}

// F2FP converts two values into a word.
bool fold_pair_of_conversions(Values& v, Instruction& c) {
  std::array<const Instruction*, 2> of{};
  for (unsigned i = 0; i < 2; ++i) {
    const Source& s = c.source[i];
    const Instruction* d = s.is_register() && s.modifiers == 0 ? v.definition(s) : nullptr;
    const bool converts = d && d->op == F2fp && !d->guard && !d->source[1] && d->form.from == ir::Type::F32 &&
                          ir::bits(d->form.type) == 16 && v.usable(*d) && v.only_use(s);
    if (!converts) return false;
    of[i] = d;
  }
  if (of[0]->form != of[1]->form) return false;
  v.replace(c, F2fp, of[0]->form, {of[1]->source[0], of[0]->source[0]});
  return true;
}

bool fold_pair_of_halves(Values& v, Instruction& c) {
  if (!is_pair_of_halves(c)) return false;
  if (fold_pair_of_conversions(v, c)) return true;
  if (c.source[0].is_immediate() && c.source[1].is_immediate()) {
    constexpr uint64_t kMask = 0xffff;
    v.become_copy(c, Source::immediate((c.source[0].value & kMask) | (c.source[1].value & kMask) << 16));
    return true;
  }
  for (unsigned i = 0; i < 2; ++i) {
    // Elements of several words stay apart: nothing copies a word of a vector.
    const Source& s = c.source[i];
    const Instruction* d = v.definition(s);
    if (!d || !takes_half(*d) || v.kernel.registers[d->source[0].reg].words != 1) continue;
    if (fold_origin(v, c.source.at(i))) return true;
  }
  const Source &low = c.source[0], &high = c.source[1];
  if (!low.is_register() || low.reg != high.reg || low != Source::half_of(low.reg, 0) ||
      high != Source::half_of(low.reg, 1))
    return false;
  v.become_copy(c, Source::of(low.reg));
  return true;
}

bool fold_stored_half(Values& v, Instruction& c) {
  if (c.role != Role::Effect || c.bytes != 2 || c.source.size() != 2) return false;
  if (c.op != Stg && c.op != Sts && c.op != Stl && c.op != St) return false;
  const Instruction* d = v.definition(c.source[1]);
  if (!d || d->guard || !takes_half(*d) || d->form.word != 0 || !v.usable(*d)) return false;
  const Source whole = d->source[0];
  if (!whole.is_register() || v.kernel.registers[whole.reg].words != 1) return false;
  v.set(c.source.at(1), whole);
  return true;
}

bool fold_bfloat(Values& v, Instruction& c) {
  constexpr uint64_t kHalfBits = 16, kMask = 0xffff;
  if (c.op != Shf || shift_of(c) != Shift::Left || c.wide || !c.source[0].is_register() || c.source[0].modifiers != 0)
    return false;
  if (!c.source[1].is_immediate() || c.source[1].value != kHalfBits) return false;
  const Instruction* d = v.definition(c.source[0]);
  if (!d || d->guard || d->wide || d->destination[1] != kNone || !v.usable(*d) || !d->source[0].is_register())
    return false;
  const bool masks = is_logic(*d) && d->form.table == kAnd && d->source[1].is_immediate() && !d->source[2] &&
                     (d->source[1].value & kMask) == kMask;
  const bool converts = c.instruction != kNone && v.kernel.function->instructions[c.instruction].op == ir::Opcode::Cvt;
  if (!masks && !(converts && takes_half(*d) && d->form.word % 2 == 0)) return false;
  Source from = d->source[0];
  if (!masks && v.kernel.registers[from.reg].words != 1) from = Source::half_of(from.reg, d->form.word);
  v.set(c.source.at(0), from);
  return true;
}

}  // namespace drywarp::sass
