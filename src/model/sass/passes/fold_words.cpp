#include <algorithm>

#include "model/sass/passes/passes.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

constexpr uint64_t kWordBits = 32, kLowBits = 0xffffffffu;
constexpr unsigned kLowerWord = 1, kUpperWord = 2;  // sets of words

// An unguarded definition whose sources still hold what it read.
const Instruction* usable_definition(const Values& v, const Source& s) {
  const Instruction* d = v.definition(s);
  return d && !d->guard && v.usable(*d) ? d : nullptr;
}

bool shifts_by(const Instruction& c, Shift direction, uint64_t least) {
  return c.op == Shf && shift_of(c) == direction && c.source[0].is_register() && c.source[0].modifiers == 0 &&
         c.source[1].is_immediate() && c.source[1].value >= least;
}

// Words of a 64-bit value that are known to be zero.
unsigned zero_words(const Values& v, const Source& s) {
  if (s.modifiers != 0) return 0;
  if (s.is_immediate())
    return ((s.value & kLowBits) == 0 ? kLowerWord : 0) | (s.value >> kWordBits == 0 ? kUpperWord : 0);
  if (!s.is_register()) return 0;
  if (v.kernel.registers[s.reg].words == 1) return kUpperWord;  // extended by zeros
  const Instruction* d = v.definition(s);
  if (!d || d->guard || d->wide) return 0;
  if (d->op == Sel) return kUpperWord;  // of small literals
  if (moves_word(*d)) return d->form.shift == Shift::Left ? kLowerWord : kUpperWord;
  if (shifts_by(*d, Shift::Left, kWordBits)) return kLowerWord;
  if (shifts_by(*d, Shift::Right, kWordBits)) return kUpperWord;
  if (d->op == Lop3 && d->form.one_word && d->source[1].is_immediate())
    return d->source[1].value >> kWordBits == 0 ? kUpperWord : kLowerWord;
  return 0;
}

// Both ends of a value, shifted past each other: a rotation, which is two funnel shifts, or none where the words change
// places. nvcc adds the ends.
bool fold_rotation(Values& v, Instruction& c) {
  const Instruction *a = usable_definition(v, c.source[0]), *b = usable_definition(v, c.source[1]);
  if (!a || !b || a->source[0] != b->source[0]) return false;
  const Source value = a->source[0];
  if (!value.is_register() || value.modifiers != 0) return false;
  if (moves_word(*a) && moves_word(*b) && a->form.shift != b->form.shift) {
    v.replace(c, Mov, {.in_sequence = true}, {value});
    c.role = Role::Tuple, c.wide = false;
    return true;
  }
  if (shift_of(*a) == Shift::Right) std::swap(a, b);
  if (!shifts_by(*a, Shift::Left, 0) || !shifts_by(*b, Shift::Right, 0)) return false;
  const Source left = a->source[1], right = b->source[1];
  if (left.value + right.value != 2 * kWordBits) return false;
  v.replace(c, Shf, {.shift = Shift::FunnelLeft}, {value, value, left});
  c.wide = true;
  return true;
}

// Of values without common bits in a word, that word of the sum is one of theirs.
bool fold_known_words(Values& v, Instruction& c) {
  const Source a = c.source[0], b = c.source[1];
  const unsigned of_a = zero_words(v, a), of_b = zero_words(v, b), either = of_a | of_b;
  if (either == 0) return false;
  if (either == (kLowerWord | kUpperWord) && of_a != either && of_b != either) {
    v.replace(c, Mov, {.in_sequence = true}, {a, b});
    c.role = Role::Tuple, c.wide = false;
    return true;
  }
  if (either == (kLowerWord | kUpperWord)) return false;
  c.wide = false;
  c.form.word = either == kLowerWord ? 2 : 1;
  return true;
}

// A mask of bits in one word: a single instruction computes that word.
bool fold_word_mask(Values& v, Instruction& c) {
  if (!c.source[1].is_immediate()) return false;
  const uint64_t mask = c.source[1].value, low = mask & kLowBits, high = mask >> kWordBits;
  if (low != 0 && high != 0) {
    if (low != kLowBits && high != kLowBits) return false;
    c.wide = false;  // the other word stays as it is
    c.form.word = low == kLowBits ? 2 : 1;
    return true;
  }
  const Instruction* d = v.definition(c.source[0]);
  const bool whole = mask == kLowBits || mask == ~kLowBits;
  const bool takes = whole && d && d->op == Lop3 && is_logic(*d) && d->wide && !d->guard && v.usable(*d) &&
                     v.only_use(c.source[0]) && d->source[0].is_register() && d->source[1].is_register() &&
                     !d->source[2];
  if (takes) v.replace(c, Lop3, d->form, {d->source[0], d->source[1]});
  c.form.one_word = true;
  c.wide = false;
  return true;
}

// A product that is added or, if a factor is constant, subtracted: its IMAD.WIDE takes the other addend, with the
// negated factor.
bool fold_product(Values& v, Instruction& c, unsigned side) {
  Source product = c.source[side];
  const Source other = c.source[1 - side];
  if (other.modifiers != 0 || (product.modifiers & ~kNegated) != 0) return false;
  const bool subtracted = product.modifiers == kNegated;
  product.modifiers = 0;
  const Instruction* d = usable_definition(v, product);
  if (!d || !ends_product(*d) || d->source[2] || !v.only_use(product) || !in_one_block(v.kernel, *d, c)) return false;
  if (subtracted) {
    const Instruction* low = usable_definition(v, d->source[0]);
    if (!low || low->op != ImadWide || !low->source[1].is_immediate() || low->source[2]) return false;
  }
  v.replace(c, Iadd3, d->form, {d->source[0], d->source[1], other});
  c.wide = false;
  return true;
}

// x + (y >> 32 or more): LEA.HI and a carry.
bool fold_high_word(Values& v, Instruction& c, unsigned side) {
  const Source mine = c.source[side], other = c.source[1 - side];
  const Instruction* d = usable_definition(v, mine);
  if (!d || d->wide || !shifts_by(*d, Shift::Right, kWordBits + 1) || !v.only_use(mine) || !other.is_register())
    return false;
  // The quotient of a signed division by a constant: one LEA.HI, and one that also shifts the other word.
  const Instruction* quotient = usable_definition(v, other);
  const bool rounds = quotient && quotient->wide && shifts_by(*quotient, Shift::RightArithmetic, 0) &&
                      quotient->source[0] == d->source[0] && v.only_use(other) && other.modifiers == 0;
  const Form form{.shift = Shift::Right, .distance = static_cast<uint8_t>(d->source[1].value)};
  v.replace(c, Lea, form, {d->source[0], other});
  c.wide = !rounds;
  return true;
}

bool has_two_operands(const Instruction& c) {
  return c.wide && c.source[0] && c.source[1] && !c.source[2] && c.destination[1] == kNone;
}

}  // namespace

bool in_one_block(const Kernel& kernel, const Instruction& a, const Instruction& b) {
  if (a.instruction == kNone || b.instruction == kNone) return true;
  return std::ranges::any_of(kernel.function->blocks, [&](const ir::Block& block) {
    const auto is_in = [&](const Instruction& c) { return c.instruction >= block.first && c.instruction < block.end; };
    return is_in(a) && is_in(b);
  });
}

bool fold_wide_sum(Values& v, Instruction& c) {
  if (!has_two_operands(c)) return false;
  if (fold_rotation(v, c)) return true;
  for (unsigned side = 0; side < 2; ++side)
    if (fold_product(v, c, side) || fold_high_word(v, c, side)) return true;
  return false;
}

bool fold_wide_logic(Values& v, Instruction& c) {
  if (!is_logic(c) || !has_two_operands(c)) return false;
  if (c.form.table == kAnd) return fold_word_mask(v, c);
  if (c.form.table != kOr && c.form.table != kXor) return false;
  return fold_rotation(v, c) || fold_known_words(v, c);
}

bool fold_word_compare(Values& v, Instruction& c) {
  const bool equality = c.form.compare == ir::Compare::Eq || c.form.compare == ir::Compare::Ne;
  if (!equality || c.source[2] || !c.source[1].is_immediate() || c.source[1].value != 0) return false;
  const Instruction* d = v.definition(c.source[0]);
  if (!d || d->op != Lop3 || !d->form.one_word) return false;
  c.wide = false;
  return true;
}

}  // namespace drywarp::sass
