#include <algorithm>
#include <bit>

#include "model/sass/passes/passes.h"

namespace drywarp::sass {
namespace {

using machine::Operation;
using enum machine::Operation;

constexpr unsigned kWord = 32;

// Of a value that a shift made; None: of another one.
Shift shift_at(const Values& v, const Source& s) {
  const Instruction* d = v.definition(s);
  return d ? shift_of(*d) : Shift::None;
}
bool is_left_shift(const Instruction& c) {
  return c.op == Shf && shift_of(c) == Shift::Left && c.source[1].is_immediate();
}
// x + immediate
bool is_add_immediate(const Instruction& c) {
  return is_plain_add(c) && !c.source[2] && c.source[0].is_register() && c.source[0].modifiers == 0 &&
         c.source[1].is_immediate();
}
bool selects_literals(const Instruction& c) {
  return c.op == Sel && c.role == Role::Pure && !c.guard && c.form == Form{} && c.source[0].is_immediate() &&
         c.source[1].is_immediate();
}

bool adds_nothing(const Source& s) { return !s || (s.is_immediate() && s.value == 0); }
int64_t signed_value(const Instruction& c, const Source& s) {
  const int64_t v = c.wide ? static_cast<int64_t>(s.value) : static_cast<int32_t>(s.value);
  return s.modifiers & kNegated ? -v : v;
}

bool fold_address(Values& v, Instruction& c) {
  const Instruction* d = v.definition(c.source[0]);
  if (!d || d->guard || !v.usable(*d)) return false;
  // [register + uniform register]: but a compare-and-swap's address is one register
  const bool swaps = c.op == Atoms && c.source[2];
  if (!swaps && is_plain_add(*d) && !d->source[2] && !d->wide && c.space == AddressSpace::Shared && !c.uniform_base) {
    for (unsigned i = 0; i < 2; ++i) {
      const Source &x = d->source[i], &y = d->source[1 - i];
      if (!x.is_register() || !y.is_register() || x.modifiers != 0 || y.modifiers != 0) continue;
      if (v.kernel.registers[x.reg].file != RegisterFile::Uniform) continue;
      const Source base = y, uniform = x;
      v.set(c.uniform_base, uniform);
      v.set(c.source.at(0), base);
      return true;
    }
  }
  if (!is_add_immediate(*d)) return false;
  const int64_t offset = c.offset + signed_value(*d, d->source[1]);
  if (offset < -(1 << 23) || offset >= (1 << 23)) return false;
  c.offset = offset;
  v.set(c.source.at(0), d->source[0]);
  return true;
}

// Whether a value is computed from constants and parameters only.
bool made_of_constants(const Values& v, const Source& s, unsigned depth = 0) {
  constexpr unsigned kDeepest = 8;
  if (!s.is_register()) return static_cast<bool>(s);
  const Instruction* d = v.definition(s);
  if (!d || d->op == S2r || d->op == Vote || d->guard || depth == kDeepest) return false;
  bool all = true;
  for (const Source& from : d->source)
    if (from) all = all && made_of_constants(v, from, depth + 1);
  return all;
}

Form lea(Shift shift, const Source& distance) {
  return {.shift = shift, .distance = static_cast<uint8_t>(distance.value)};
}

// a - b * constant: the remainder of a division, in which ptxas multiplies by the negated constant.
bool fold_subtracted_product(Values& v, Instruction& c) {
  if (c.wide || c.source[2]) return false;
  for (unsigned side = 0; side < 2; ++side) {
    Source product = c.source[side];
    const Source& other = c.source[1 - side];
    if (!product.is_register() || product.modifiers != kNegated || !other.is_register()) continue;
    product.modifiers = 0;
    const Instruction* d = v.definition(product);
    if (!d || d->op != Imad || !is_plain(*d) || d->guard || d->source[2] || !v.usable(*d) || !v.only_use(product) ||
        !d->source[1].is_immediate())
      continue;
    v.replace(c, Imad, {}, {d->source[0], Source::immediate(-d->source[1].value & 0xffffffff), other});
    return true;
  }
  return false;
}

// Whether a sum adds a literal or nothing, which is a sum and a predicated move in ptxas's code, and no part of a sum
// of three.
bool adds_by_predicate(const Values& v, const Source& s) {
  const Instruction* d = v.definition(s);
  return d && selects_literals(*d) && !d->wide && v.only_use(s) && (d->source[0].value == 0 || d->source[1].value == 0);
}

// A product of 32 bits; also of values of 16 bits.
bool is_product(const Instruction& c) {
  const bool halves = ir::bits(c.form.type) == 16 && !ir::is_float(c.form.type);
  const bool plain = c.form == Form{} || (halves && c.form == Form{.type = c.form.type});
  return c.op == Imad && c.role == Role::Pure && plain && !c.wide;
}

bool fold_add(Values& v, Instruction& c) {
  const Source &a = c.source[0], &b = c.source[1], &third = c.source[2];
  if (!b && !third && a.is_register() && a.modifiers == 0) return false;
  if (a.is_immediate() && b.is_immediate() && !third) {
    v.become_copy(c, Source::immediate(static_cast<uint64_t>(signed_value(c, a) + signed_value(c, b))));
    return true;
  }
  if (adds_nothing(b) && !third && a.modifiers == 0) {
    v.become_copy(c, a);
    return true;
  }
  if (a.is_immediate() && b && !b.is_immediate()) {
    std::swap(c.source.at(0), c.source.at(1));
    return true;
  }
  if (third) return false;
  if (fold_subtracted_product(v, c) || (c.wide && fold_wide_sum(v, c))) return true;
  for (unsigned side = 0; side < 2; ++side) {
    const Source& mine = c.source[side];
    const Source& other = c.source[1 - side];
    const Instruction* d = v.definition(mine);
    // LEA.HI.X.SX32 adds the sign of a 32-bit value to a known base.
    const bool extended = d && c.wide && extends_word(*d) && !d->guard && v.usable(*d) && v.only_use(mine);
    if (extended && mine.modifiers == 0 && other.modifiers == 0 && !other.is_immediate() &&
        made_of_constants(v, other)) {
      v.replace(c, Lea, {.shift = Shift::RightArithmetic}, {d->source[0], other});
      return true;
    }
    if (!d || d->guard || !v.usable(*d) || d->wide != (c.wide && d->op != ImadWide)) continue;
    if (d->op == ImadWide && c.wide && !d->source[2] && !d->form.in_sequence && other.modifiers == 0) {
      Source x = d->source[0], y = d->source[1], plus = other;
      v.replace(c, ImadWide, d->form, {x, y, plus});
      c.wide = false;
      return true;
    }
    // IMAD costs what an addition does, so every sum of a product may be one; but a base of shared memory is uniform,
    // and then a literal factor would need a register.
    const Instruction* const plus = v.definition(other);
    const bool summed =
        v.only_use(mine) || (mine.modifiers == 0 && v.only_added[mine.reg] && !(plus && is_shared_base(*plus)));
    if (d->op == Imad && !c.wide && is_product(*d) && !d->source[2] && summed) {
      v.replace(c, Imad, {}, {d->source[0], d->source[1], other});
      return true;
    }
    // LEA costs what an addition does, so every use of the shift may become one; unless the other operand could be
    // folded into the sum instead.
    const auto could_join = [&](const Source& s) {
      const Instruction* made = v.definition(s);
      return made && v.only_use(s) && (made->op == Shf || made->op == Imad);
    };
    const bool for_all = !c.wide && v.only_added[mine.reg] && !could_join(other);
    if (is_left_shift(*d) && d->source[1].value < 32 && !other.is_immediate() && (v.only_use(mine) || for_all)) {
      v.replace(c, Lea, lea(Shift::Left, d->source[1]), {d->source[0], other});
      return true;
    }
    const Shift shift = d->op == Shf ? shift_of(*d) : Shift::None;
    const bool right = shift == Shift::Right || shift == Shift::RightArithmetic;
    if (right && d->source[1].is_immediate() && !c.wide && v.only_use(mine) && !other.is_immediate()) {
      v.replace(c, Lea, lea(shift, d->source[1]), {d->source[0], other});
      return true;
    }
    const bool funnel = shift == Shift::FunnelLeft || shift == Shift::FunnelRight;
    if (funnel && d->source[2].is_immediate() && !c.wide && v.only_use(mine) && other.is_register() &&
        other.modifiers == 0) {
      v.replace(c, Lea, lea(shift, d->source[2]), {d->source[0], other, d->source[1]});
      return true;
    }
    if (is_plain_add(*d) && !d->source[2] && d->source[1]) {
      if (is_add_immediate(*d) && other.is_immediate()) {
        const int64_t sum = signed_value(*d, d->source[1]) + signed_value(c, other);
        const Source base = d->source[0];
        v.set(c.source.at(side), base);
        c.source.set(1 - side, Source::immediate(static_cast<uint64_t>(sum)));
        return true;
      }
      // Of 64 bits, an IADD3 with two carries and an IADD3.X; an immediate stays apart, for it may become an address's
      // offset.
      const unsigned immediates = unsigned(d->source[1].is_immediate()) + unsigned(other.is_immediate());
      const bool by_predicate =
          adds_by_predicate(v, other) || adds_by_predicate(v, d->source[0]) || adds_by_predicate(v, d->source[1]);
      if (v.only_use(mine) && immediates < (c.wide ? 1 : 2) && !by_predicate) {
        const bool wide = c.wide;
        v.replace(c, Iadd3, {}, {d->source[0], d->source[1], other});
        c.wide = wide;
        return true;
      }
    }
  }
  return false;
}

// The counter of an unrolled loop: several increments become one.
bool fold_uniform_add(Values& v, Instruction& c) {
  const auto adds_immediate = [](const Instruction& a) {
    return a.op == Uiadd3 && is_plain(a) && !a.guard && !a.source[2] && a.source[0].is_register() &&
           a.source[0].modifiers == 0 && a.source[1].is_immediate();
  };
  const Instruction* d = v.definition(c.source[0]);
  if (!d || !adds_immediate(c) || !adds_immediate(*d) || d->wide != c.wide || !v.usable(*d)) return false;
  const int64_t sum = signed_value(*d, d->source[1]) + signed_value(c, c.source[1]);
  const Source base = d->source[0];
  v.set(c.source.at(0), base);
  c.source.set(1, Source::immediate(static_cast<uint64_t>(sum)));
  return true;
}

bool fold_multiply_add(Values& v, Instruction& c) {
  if (c.source[0].is_immediate() && !c.source[1].is_immediate()) {
    std::swap(c.source.at(0), c.source.at(1));
    return true;
  }
  if (c.source[1].is_immediate() && c.source[1].value == 1 && adds_nothing(c.source[2])) {
    v.become_copy(c, c.source[0]);
    return true;
  }
  // (x + a) * b = x * b + a * b, if products are all that x + a is for
  const Instruction* d = v.definition(c.source[0]);
  if (d && is_add_immediate(*d) && !d->wide && !d->guard && v.usable(*d) && v.only_scaled[c.source[0].reg] &&
      c.source[1].is_immediate() && c.source[1].modifiers == 0 && !c.source[2]) {
    const auto added = static_cast<uint32_t>(static_cast<uint64_t>(signed_value(*d, d->source[1])) * c.source[1].value);
    v.replace(c, Imad, {}, {d->source[0], c.source[1], Source::immediate(added)});
    return true;
  }
  return false;
}

// Low bits that are known to be zero: of a product with a constant, or of a left shift.
unsigned zeros_below(const Values& v, const Source& s) {
  const Instruction* d = v.definition(s);
  if (!d || d->guard || d->wide || !d->source[1].is_immediate()) return 0;
  if (d->op == Imad && is_plain(*d) && adds_nothing(d->source[2]))
    return static_cast<unsigned>(std::countr_zero(static_cast<uint32_t>(d->source[1].value)));
  return is_left_shift(*d) ? static_cast<unsigned>(d->source[1].value) : 0;
}

bool fold_logic(Values& v, Instruction& c) {
  // Two dependent operations become one LOP3 if they have at most three inputs, and the inner result has no other use
  // or this operation has no more inputs than before.
  if (!is_logic(c) || c.destination[1] != kNone || c.source.size() > 3) return false;
  for (unsigned side = 0; side < 3; ++side) {
    const Instruction* d = v.definition(c.source[side]);
    if (!d || d->op != Lop3 || !is_logic(*d) || d->wide != c.wide || d->guard || d->destination[1] != kNone) continue;
    if (!v.usable(*d) || d->source.size() > 3) continue;
    unsigned mine = 0;
    for (const Source& s : c.source) mine += s.is_register() && s.reg == c.source[side].reg;
    if (mine != 1) continue;
    std::array<Source, 3> inputs{};
    unsigned count = 0;
    bool fits = true;
    const auto add = [&](const Source& s) {
      if (!s) return;
      for (unsigned i = 0; i < count; ++i)
        if (inputs[i] == s) return;
      if (count == inputs.size()) {
        fits = false;
        return;
      }
      inputs[count++] = s;
    };
    for (unsigned k = 0; k < 3; ++k)
      if (k != side) add(c.source[k]);
    for (const Source& s : d->source) add(s);
    unsigned fixed = 0;
    for (unsigned i = 0; i < count; ++i) fixed += !inputs[i].is_register();
    if (!fits || fixed > 1) continue;
    if (!v.only_use(c.source[side]) && count > std::ranges::count_if(c.source, [](const Source& s) { return bool(s); }))
      continue;
    const unsigned inner = table_over(*d, inputs, count, 3, 0);
    const unsigned table = table_over(c, inputs, count, side, inner);
    v.replace(c, Lop3, {.table = static_cast<uint8_t>(table)}, {inputs[0], inputs[1], inputs[2]});
    return true;
  }
  return false;
}

// A product with a power of two, and nothing else.
bool is_scaled(const Instruction& c) {
  return is_product(c) && c.source[1].is_immediate() && c.source[1].modifiers == 0 &&
         std::has_single_bit(static_cast<uint32_t>(c.source[1].value)) && adds_nothing(c.source[2]);
}

// A shifted selection of a literal or zero selects the shifted literal, for each use.
bool fold_shifted_selection(Values& v, Instruction& c) {
  if (c.wide || !(is_left_shift(c) || is_scaled(c)) || c.source[1].value == 0) return false;
  const Instruction* d = v.definition(c.source[0]);
  if (!d || d->wide || !selects_literals(*d) || !v.usable(*d)) return false;
  if (d->source[0].value != 0 && d->source[1].value != 0) return false;
  if (v.kernel.registers[d->destination[0]].words != 1 || v.kernel.registers[c.destination[0]].words != 1) return false;
  const auto shifted = [&](const Source& s) {
    const uint64_t value = is_scaled(c) ? s.value * c.source[1].value : s.value << (c.source[1].value & (kWord - 1));
    return Source::immediate(static_cast<uint32_t>(value));
  };
  v.replace(c, Sel, {}, {shifted(d->source[0]), shifted(d->source[1]), d->source[2]});
  return true;
}

// The upper word of a selection of small literals is zero.
bool fold_wide_selection(const Values& v, Instruction& c) {
  constexpr uint64_t kLowBits = 0xffffffff;
  if (!c.wide || !selects_literals(c) || v.kernel.registers[c.destination[0]].words != 2) return false;
  if (c.source[0].value > kLowBits || c.source[1].value > kLowBits) return false;
  c.wide = false;
  return true;
}

// Takes one of several small elements of a register, extended by zeros.
bool takes_part(const Instruction& c) {
  return c.op == Prmt && c.source.size() == 1 && c.form == Form{.from = c.form.from, .word = c.form.word} &&
         c.form.from != ir::Type::None;
}
// Extends the sign of a part.
bool extends_sign(const Instruction& c) {
  return c.op == Prmt && c.source.size() == 1 && !c.form.in_sequence && ir::is_signed(c.form.from);
}

// The bits that a value may have set: of what a load or a mask leaves, or of literals; 0 where nothing is known.
unsigned known_bits(const Values& v, const Source& value) {
  if (!value.is_register() || value.modifiers != 0) return 0;
  if (const unsigned loaded = v.loaded_bits(value.reg)) return loaded;
  const Instruction* d = v.definition(value);
  if (!d || d->guard || d->wide) return 0;
  if (takes_part(*d)) return ir::bits(d->form.from);
  if (selects_literals(*d))
    return static_cast<unsigned>(std::bit_width(static_cast<uint32_t>(d->source[0].value | d->source[1].value)));
  const auto shifted_by = [&](unsigned distance) {
    const unsigned bits = known_bits(v, d->source[0]);
    return bits != 0 && bits + distance <= kWord ? bits + distance : 0;
  };
  if (is_left_shift(*d) && d->source[1].value < kWord) return shifted_by(static_cast<unsigned>(d->source[1].value));
  if (is_scaled(*d))
    return shifted_by(static_cast<unsigned>(std::countr_zero(static_cast<uint32_t>(d->source[1].value))));
  if (d->op == Lea && d->form == Form{.shift = Shift::Left, .distance = d->form.distance} && !d->source[2]) {
    const unsigned below = known_bits(v, d->source[1]);
    return below != 0 && below <= d->form.distance ? shifted_by(d->form.distance) : 0;
  }
  const bool masks = is_logic(*d) && d->form.table == kAnd && d->source[1].is_immediate() && !d->source[2];
  return masks ? static_cast<unsigned>(std::bit_width(static_cast<uint32_t>(d->source[1].value))) : 0;
}

// The OR of values without common bits is their sum, and a sum can absorb a right shift. Hashes have such rotations,
// with the left shift folded into a multiplication. A left shift takes what fits into the bits that it clears: another
// byte, a bit. (As ptxas 13.)
bool fold_disjoint_or(Values& v, Instruction& c) {
  if (!is_logic(c) || c.form.table != kOr || c.source[2] || c.destination[1] != kNone) return false;
  for (unsigned side = 0; side < 2; ++side) {
    const Instruction* d = v.definition(c.source[side]);
    if (c.source[side].modifiers != 0 || c.source[1 - side].modifiers != 0) return false;
    const Source other = c.source[1 - side];
    const bool shifts = d && is_left_shift(*d) && d->source[1].value < kWord;
    if (d && (shifts || is_scaled(*d)) && !d->wide && !d->guard && v.usable(*d) && v.only_use(c.source[side]) &&
        other.is_register()) {
      const unsigned bits = known_bits(v, other);
      if (bits != 0 && bits <= zeros_below(v, c.source[side])) {
        if (shifts)
          v.replace(c, Lea, lea(Shift::Left, d->source[1]), {d->source[0], other});
        else
          v.replace(c, Imad, {}, {d->source[0], d->source[1], other});
        return true;
      }
    }
    const bool shifted =
        d && d->op == Shf && shift_of(*d) == Shift::Right && !d->wide && !d->guard && d->source[1].is_immediate();
    if (!shifted || !v.only_use(c.source[side]) || zeros_below(v, c.source[1 - side]) == 0) continue;
    if (zeros_below(v, c.source[1 - side]) + d->source[1].value < kWord) continue;
    c.op = Iadd3;
    c.form = {};
    return true;
  }
  return false;
}

// Operands with a selector: HADD2, F2I.F16 and I2F.U16 take half a register, I2F.S8 a byte, and PRMT extends the sign
// of what it takes. I2FP has none, but what loads extend by zeros are whole 32-bit numbers to it.
bool fold_part(Values& v, Instruction& c) {
  const Source& value = c.source[0];
  if (c.source[1] || !value.is_register() || value.modifiers != 0) return false;
  Form form = c.form;
  constexpr uint32_t kFirstWithI2fp = 86;
  const bool to_single = c.op == I2f && form.type == ir::Type::F32 && v.kernel.compute_capability >= kFirstWithI2fp;
  const auto count_on_zeros = [&] { return c.op = I2fp, true; };
  if (to_single && !ir::is_signed(form.from) && v.loaded_bits(value.reg) != 0) return count_on_zeros();
  if (c.op == Prmt && extends_sign(c) && form.from == ir::Type::S16 && form.word == 0) {
    const unsigned bits = known_bits(v, value);
    if ((bits != 0 && bits < 16) || v.loaded_sign(value.reg)) {
      v.become_copy(c, value);
      return true;
    }
  }
  const Instruction* d = v.definition(value);
  if (!d || d->guard || !v.usable(*d)) return false;
  if (extends_sign(*d) && ir::bits(d->form.from) <= 16) {
    // Of a value that fits, PRMT leaves what is there.
    if (c.op == Prmt && extends_sign(c) &&
        ir::bits(d->form.from) <= std::min(ir::bits(form.type), ir::bits(form.from))) {
      v.become_copy(c, value);
      return true;
    }
    if (c.op != I2f || !ir::is_signed(form.from) || ir::bits(d->form.from) > ir::bits(form.from)) return false;
    form.from = d->form.from, form.word = d->form.word;
    v.replace(c, I2f, form, {d->source[0]});
    return true;
  }
  if (!takes_part(*d) || form.word != 0) return false;
  const bool halves = ir::bits(d->form.from) == 16;
  if (to_single && !halves) return count_on_zeros();
  const bool takes = c.op == Prmt  ? extends_sign(c) && ir::bits(form.from) == ir::bits(d->form.from)
                     : c.op == I2f ? halves && ir::bits(form.from) == 16
                     : c.op == F2i ? halves && form.from == ir::Type::F16
                                   : halves && form == Form{.type = ir::Type::F32, .from = ir::Type::F16};
  if (!takes) return false;
  form.word = d->form.word;
  v.replace(c, c.op, form, {d->source[0]});
  return true;
}

// I2F takes the lowest or the highest byte or half of a word, also where others need that extended. A masked shift
// stays one, whose result I2FP takes. (ptxas 13: 3 of 3 kernels.)
bool fold_converted_part(Values& v, Instruction& c) {
  if (c.role != Role::Pure || c.form.type != ir::Type::F32 || c.form.from != ir::Type::U32) return false;
  const Instruction* d = v.definition(c.source[0]);
  if (!d || d->guard || d->wide || !d->source[0].is_register() || d->source[0].modifiers != 0) return false;
  if (!d->source[1].is_immediate() || !v.usable(*d)) return false;
  constexpr uint64_t kByte = 8, kHalfWord = 16;
  const bool masks = is_logic(*d) && d->form.table == kAnd && !d->source[2] && shift_at(v, d->source[0]) == Shift::None;
  for (const uint64_t bits : {kByte, kHalfWord}) {
    const bool highest = shift_of(*d) == Shift::Right && d->source[1].value == kWord - bits;
    if (!highest && !(masks && d->source[1].value == (uint64_t{1} << bits) - 1)) continue;
    Form form = c.form;
    form.from = bits == kByte ? ir::Type::U8 : ir::Type::U16;
    form.word = highest ? static_cast<uint8_t>(kWord / bits - 1) : 0;
    v.replace(c, I2f, form, {d->source[0]});
    return true;
  }
  return false;
}

// The mask of a value that has no other bits.
bool fold_mask(Values& v, Instruction& c) {
  const Source &value = c.source[0], &mask = c.source[1];
  if (!is_logic(c) || c.form.table != kAnd || c.source[2] || c.destination[1] != kNone || !mask.is_immediate())
    return false;
  if (!value.is_register() || value.modifiers != 0 || mask.modifiers != 0) return false;
  unsigned bits = known_bits(v, value);
  // A right shift adds no bits.
  if (const Instruction* d = v.definition(value); d && !d->guard && shift_of(*d) == Shift::Right && !d->wide)
    bits = d->source[0].is_register() ? known_bits(v, d->source[0]) : 0;
  if (bits == 0 || (~mask.value & ((uint64_t{1} << bits) - 1)) != 0) return false;
  v.become_copy(c, value);
  return true;
}

// A shift of a word takes its distance modulo 32 for free, where nothing else reads the masked distance. (ptxas 13: 10
// of 10 kernels; in 40 kernels with other reads the mask stays, as for 64 bits.)
bool fold_wrapped_distance(Values& v, Instruction& c) {
  const bool shifts = shift_of(c) == Shift::Left || shift_of(c) == Shift::Right;
  if (!shifts || c.wide || v.kernel.registers[c.destination[0]].words != 1) return false;
  const Instruction* d = v.definition(c.source[1]);
  if (!d || d->guard || d->wide || !is_logic(*d) || d->form.table != kAnd || d->source[2]) return false;
  if (!d->source[0].is_register() || d->source[1] != Source::immediate(kWord - 1)) return false;
  if (!v.usable(*d) || !v.only_use(c.source[1])) return false;
  const Source value = c.source[0], distance = d->source[0];
  v.replace(c, Shf, {.shift = c.form.shift, .wraps = true}, {value, distance});
  return true;
}

// An exchange checks its mask unless all lanes have the same one: a constant, a parameter, the result of a vote.
// (The mask of active lanes: place_exchange_checks().)
bool is_mask_of_warp(const Values& v, const Source& mask) {
  if (!mask.is_register()) return true;
  const Instruction* d = v.definition(mask);
  return d && ((d->op == Vote && d->source[0]) || ((d->op == Mov || d->op == Ldc) && !d->source[0].is_register()));
}

}  // namespace

bool fold(Values& v, Instruction& c) {
  if (c.space != AddressSpace::None && c.space != AddressSpace::Const)
    return fold_address(v, c) || fold_stored_half(v, c);
  if (c.guard) return false;
  switch (c.op) {
    case Warpsync:
      if (!c.source[0] || !is_mask_of_warp(v, c.source[0])) return false;
      if (c.for_exchange)
        v.kill(c);
      else
        c.source.set(0, {});
      return false;
    case Iadd3:
      return is_plain(c) && fold_add(v, c);
    case Uiadd3:
      return fold_uniform_add(v, c);
    case Imad:
      return (is_plain(c) && !c.wide && fold_multiply_add(v, c)) || fold_shifted_selection(v, c);
    case Lop3:
      return c.role == Role::Pure && (c.wide ? fold_wide_logic(v, c) || fold_logic(v, c)
                                             : fold_mask(v, c) || fold_disjoint_or(v, c) || fold_logic(v, c));
    case Shf:
      if (c.source[1].is_immediate() && c.source[0].is_immediate() && shift_of(c) == Shift::Left) {
        v.become_copy(c, Source::immediate(c.source[0].value << (c.source[1].value & 63)));
        return true;
      }
      return fold_bfloat(v, c) || fold_shifted_selection(v, c) || fold_wrapped_distance(v, c);
    case Sel:
      return fold_wide_selection(v, c) || fold_selected_minimum(v, c);
    case Fadd:
    case Dadd:
      return fold_saturation(v, c) || fold_float_signs(v, c) || fuse_product(v, c);
    case Hadd2:
      return fold_part(v, c) || fold_halves(v, c) || fuse_product(v, c);
    case Hmul2:
    case Hfma2:
    case Hmnmx2:
    case Hsetp2:
      return fold_halves(v, c);
    case F2fp:
      return fold_constant_half(v, c);
    case I2f:
      return fold_part(v, c);
    case I2fp:
      return fold_converted_part(v, c);
    case Prmt:
      return fold_part(v, c) || fold_pair_of_halves(v, c);
    case Imnmx:
      return fold_minimum(v, c);
    case F2i:
      return fold_rounding(v, c) || fold_part(v, c);
    case Isetp:
      return c.wide ? fold_word_compare(v, c) : fold_tested_selection(v, c);
    case Fmul:
      return fold_literal_product(v, c) || fold_float_signs(v, c);
    case Ffma:
    case Fmnmx:
    case Fsel:
    case Fsetp:
    case Dmul:
    case Dfma:
      return fold_float_signs(v, c);
    case Plop3:
      return fold_predicates(v, c);
    default:
      return false;
  }
}

}  // namespace drywarp::sass
