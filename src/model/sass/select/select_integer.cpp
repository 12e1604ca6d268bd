// Integer arithmetic, logic, shifts, bits, comparison and selection.
#include <bit>

#include "model/sass/select/handlers.h"

namespace drywarp::sass::handlers {

using ir::Opcode;
using ir::Type;
using enum machine::Operation;

namespace {

bool is_wide(Type type) { return ir::bits(type) == 64; }
Source negated(Source s) {
  s.modifiers ^= kNegated;
  return s;
}
bool power_of_two(const Source& s) { return s.is_immediate() && std::has_single_bit(s.value); }
// For multiplications, of which only the sign matters.
Form signedness(Type type) { return {.type = ir::is_signed(type) ? Type::S32 : Type::U32}; }

Shift right_shift(Type type) { return ir::is_signed(type) ? Shift::RightArithmetic : Shift::Right; }
// The low word of a value of 64 bits.
Source low_word(Writer& write, const Source& of) {
  if (of.is_immediate()) return Source::immediate(static_cast<uint32_t>(of.value));
  const Register low = write.temporary();
  write.copy(low, of);
  return Source::of(low);
}
// Of two values of 64 bits whose upper words are zero.
void select_words(Writer& write, Operands& of, const ir::Instruction& in, const Source& a, const Source& b,
                  const Source& chosen_by) {
  const Source low_a = low_word(write, a), low_b = low_word(write, b);
  write.copy(of.result(in), Source::of(write.value(Sel, {low_a, low_b, chosen_by})));
}

uint8_t table_of(ir::BoolOp op) {
  return op == ir::BoolOp::And ? kAnd : op == ir::BoolOp::Or ? kOr : op == ir::BoolOp::Xor ? kXor : 0;
}

struct FloatForm {
  Operation add, multiply, fma, compare, minmax;
};
FloatForm float_form(Type type) {
  switch (type) {
    case Type::F64:
      return {Dadd, Dmul, Dfma, Dsetp, Dsetp};
    case Type::F16:
    case Type::F16x2:
    case Type::BF16:
    case Type::BF16x2:
      return {Hadd2, Hmul2, Hfma2, Hsetp2, Hmnmx2};
    default:
      return {Fadd, Fmul, Ffma, Fsetp, Fmnmx};
  }
}
Form float_arithmetic(const ir::Instruction& in, uint8_t word = 0) {
  return {
      .type = in.type, .rounding = in.mods.rounding, .flushes = in.mods.ftz, .saturates = in.mods.sat, .word = word};
}

}  // namespace

void add(Writer& write, Operands& of, const ir::Instruction& in) {
  const bool subtracts = in.op == Opcode::Sub;
  const Source a = of.source(in, 0), b = subtracts ? negated(of.source(in, 1)) : of.source(in, 1);
  if (ir::is_float(in.type)) {
    if (in.type == Type::F32x2) {
      write.emit(Fadd, write.temporary(), {a, b}, float_arithmetic(in));
      write.emit(Fadd, of.result(in), {a, b}, float_arithmetic(in, 1));
      return;
    }
    write.emit(float_form(in.type).add, of.result(in), {a, b}, float_arithmetic(in));
    return;
  }
  if (in.mods.carry_out) return carry(write, of, in);
  Instruction& code = write.emit(Iadd3, of.result(in), {a, b});
  code.wide = is_wide(in.type);
}

void carry(Writer& write, Operands& of, const ir::Instruction& in) {
  // ptxas keeps the carry in a predicate; here the order of the effects stands for it.
  const bool multiplies = in.op == Opcode::Madc || in.op == Opcode::Mad;
  Instruction& code = write.emit(multiplies ? in.mods.part == ir::Part::Hi ? ImadHi : Imad : Iadd3, of.result(in),
                                 {of.source(in, 0), of.source(in, 1), multiplies ? of.source(in, 2) : Source{}});
  code.wide = is_wide(in.type);
  code.role = Role::Effect;
}

void multiply(Writer& write, Operands& of, const ir::Instruction& in) {
  const bool adds = in.op == Opcode::Mad || in.op == Opcode::Fma || in.op == Opcode::Mad24;
  const Source a = of.source(in, 0), b = of.source(in, 1);
  if (ir::is_float(in.type)) {
    const FloatForm form = float_form(in.type);
    if (in.type == Type::F32x2) {
      const Source c = adds ? of.source(in, 2) : Source{};
      write.emit(adds ? Ffma : Fmul, write.temporary(), {a, b, c}, float_arithmetic(in));
      write.emit(adds ? Ffma : Fmul, of.result(in), {a, b, c}, float_arithmetic(in, 1));
      return;
    }
    if (adds)
      write.emit(form.fma, of.result(in), {a, b, of.source(in, 2)}, float_arithmetic(in));
    else
      write.emit(form.multiply, of.result(in), {a, b}, float_arithmetic(in));
    return;
  }
  if (in.mods.carry_out) return carry(write, of, in);
  if (in.mods.part == ir::Part::Wide) {
    if (ir::bits(in.type) == 16) {
      write.emit(Imad, of.result(in), {a, b, adds ? of.source(in, 2, Type::S32) : Source{}}, {.type = in.type});
      return;
    }
    write.emit(ImadWide, of.result(in), {a, b, adds ? of.source(in, 2, Type::S64) : Source{}}, signedness(in.type));
    return;
  }
  if (in.mods.part == ir::Part::Hi && !is_wide(in.type)) {
    write.emit(ImadHi, of.result(in), {a, b, adds ? of.source(in, 2) : Source{}}, signedness(in.type));
    return;
  }
  if (is_wide(in.type)) {
    if (in.mods.part == ir::Part::Hi) {
      const Register w0 = write.temporary(2), w1 = write.temporary(2), w2 = write.temporary(2);
      write.emit(ImadWide, w0, {a, b}, kInSequence);
      write.emit(ImadWide, w1, {a, b, Source::of(w0)}, kInSequence);
      const Register high = write.value(ImadHi, {a, b, Source::of(w1)}, kInSequence);
      write.emit(ImadWide, w2, {a, b, Source::of(high)}, kInSequence);
      const Register c = write.value(Iadd3, {Source::of(w2)}, kInSequence);
      const Source addend = adds ? of.source(in, 2) : Source{};
      if (!ir::is_signed(in.type)) {
        write.wide(Iadd3, of.result(in), {Source::of(w2), Source::of(c), addend}, kInSequence);
        return;
      }
      // Each factor below zero takes the other one off.
      Register sum = write.temporary(2);
      write.wide(Iadd3, sum, {Source::of(w2), Source::of(c)}, kInSequence);
      for (const auto& [sign, other] : {std::pair{a, b}, std::pair{b, a}}) {
        if (!sign.is_register()) continue;
        const Register below = write.predicate(), less = write.temporary(2), chosen = write.temporary(2);
        write.emit(Isetp, below, {sign, Source::immediate(0)},
                   {.type = Type::S32, .compare = ir::Compare::Lt, .word = 1});
        write.wide(Iadd3, less, {Source::of(sum), negated(other)}, kInSequence);
        write.wide(Sel, chosen, {Source::of(less), Source::of(sum), Source::of(below)}, kInSequence);
        sum = chosen;
      }
      if (adds)
        write.wide(Iadd3, of.result(in), {Source::of(sum), addend});
      else
        write.copy(of.result(in), Source::of(sum));
      return;
    }
    const Source c = adds ? of.source(in, 2) : Source{};
    if (power_of_two(b) || power_of_two(a)) {
      const Source& other = power_of_two(b) ? a : b;
      const uint64_t amount = std::countr_zero((power_of_two(b) ? b : a).value);
      const Register shifted = adds ? write.temporary(2) : of.result(in);
      write.wide(Shf, shifted, {other, Source::immediate(amount)}, {.shift = Shift::Left});
      if (adds) write.wide(Iadd3, of.result(in), {Source::of(shifted), c});
      return;
    }
    const bool small_a = of.fits_word(in, 0), small_b = of.fits_word(in, 1), small = small_a || small_b;
    if (small_a && small_b) {  // ptxas adds the other products all the same: a zero
      const Register product = write.temporary(2), zero = write.temporary(1, RegisterFile::Uniform);
      write.emit(Umov, zero, {Source::immediate(0)}, kInSequence);
      write.emit(ImadWide, product, {a, b, c}, signedness(Type::U64));
      write.emit(Iadd3, of.result(in), {Source::of(product), Source::of(zero)}, {.word = 1});
      return;
    }
    const Register high = write.value(Imad, {a, b}, kInSequence);
    const Register low = write.temporary(2);
    const Register cross = small ? high : write.value(Imad, {a, b, Source::of(high)}, kInSequence);
    write.emit(ImadWide, low, {a, b, c}, signedness(Type::U64));
    // Only the high word changes.
    write.emit(Iadd3, of.result(in), {Source::of(low), Source::of(cross)}, {.word = 1});
    return;
  }
  const Source c = adds ? of.source(in, 2) : Source{};
  if (!adds && power_of_two(b)) {
    write.emit(Shf, of.result(in), {a, Source::immediate(std::countr_zero(b.value))}, {.shift = Shift::Left});
    return;
  }
  write.emit(Imad, of.result(in), {a, b, c}, {.type = ir::bits(in.type) == 16 ? Type::B16 : Type::None});
}

void divide(Writer& write, Operands& of, const ir::Instruction& in) {
  if (in.type == Type::F64) return double_divide(write, of, in);
  if (ir::is_float(in.type)) return float_divide(write, of, in);
  integer_divide(write, of, in);
}

void minmax(Writer& write, Operands& of, const ir::Instruction& in) {
  const Source a = of.source(in, 0), b = of.source(in, 1);
  const Form form{
      .type = in.type, .compare = in.op == Opcode::Max ? ir::Compare::Gt : ir::Compare::Lt, .keeps_nan = in.mods.nan};
  if (in.type == Type::F64) {
    const Register p = write.predicate();
    write.emit(Dsetp, p, {a, b}, form);
    const Register high = write.value(Fsel, {a, b, Source::of(p)}, kInSequence);
    const Register low = write.value(Sel, {a, b, Source::of(p)}, kInSequence);
    const Register quiet = write.value(Sel, {b, Source::of(high), Source::of(p)}, kInSequence);
    write.emit(Mov, of.result(in), {Source::of(low), Source::of(quiet)}).role = Role::Tuple;
    return;
  }
  if (ir::is_float(in.type)) {
    const Operation op = float_form(in.type).minmax;
    if (in.src.size() > 2) {
      const Register first = write.value(op, {a, b}, form);
      write.emit(op, of.result(in), {Source::of(first), of.source(in, 2)}, form);
      return;
    }
    write.emit(op, of.result(in), {a, b}, form);
    return;
  }
  if (is_wide(in.type)) {
    const Register p = write.predicate();
    write.wide(Isetp, p, {a, b}, form);
    if (of.fits_word(in, 0) && of.fits_word(in, 1) && of.result_fits_word(in))
      select_words(write, of, in, a, b, Source::of(p));
    else
      write.wide(Sel, of.result(in), {a, b, Source::of(p)});
    return;
  }
  write.emit(Imnmx, of.result(in), {a, b}, form);
}

void negate(Writer& write, Operands& of, const ir::Instruction& in) {
  const Source a = of.source(in, 0);
  const bool is_abs = in.op == Opcode::Abs;
  if (ir::is_float(in.type)) {
    Source s = a;
    if (s.is_register()) s.modifiers = is_abs ? kAbsolute : s.modifiers ^ kNegated;
    // Of a double, a LOP3 of the high word.
    write.emit(in.type == Type::F64   ? Lop3
               : in.type == Type::F32 ? Fadd
                                      : Hadd2,
               of.result(in), {s}, {.changes_sign = true});
    return;
  }
  if (!is_abs) {
    Instruction& code = write.emit(Iadd3, of.result(in), {negated(a)});
    code.wide = is_wide(in.type);
    return;
  }
  if (!is_wide(in.type)) {
    write.emit(Iabs, of.result(in), {a}, {.type = in.type});
    return;
  }
  const Register p = write.predicate(), minus = write.temporary(2);
  write.wide(Iadd3, minus, {negated(a)});
  write.emit(Isetp, p, {a, Source::immediate(0)}, {.type = Type::S32, .compare = ir::Compare::Lt, .word = 1});
  write.wide(Sel, of.result(in), {Source::of(minus), a, Source::of(p)});
}

void sad(Writer& write, Operands& of, const ir::Instruction& in) {
  const Register difference = write.value(Vabsdiff, {of.source(in, 0), of.source(in, 1)}, {.type = in.type});
  write.emit(Iadd3, of.result(in), {Source::of(difference), of.source(in, 2)});
}

void dot(Writer& write, Operands& of, const ir::Instruction& in) {
  write.emit(Idp, of.result(in),
             {of.source(in, 0, Type::U32), of.source(in, 1, Type::U32), of.source(in, 2, Type::U32)},
             {.type = in.type, .from = in.op == Opcode::Dp4a ? Type::B8 : Type::B16});
}

void copysign(Writer& write, Operands& of, const ir::Instruction& in) {
  write.emit(Lop3, of.result(in), {of.source(in, 0), of.source(in, 1), Source::immediate(0x80000000u)},
             {.table = kChosen});
}

void logic(Writer& write, Operands& of, const ir::Instruction& in) {
  const Source a = of.source(in, 0), b = of.source(in, 1);
  if (in.type == Type::Pred) {
    if (in.op == Opcode::Not) {
      Source s = a;
      s.modifiers ^= kInverted;
      write.copy(of.result(in), s);
      return;
    }
    const uint8_t table = in.op == Opcode::And ? kAnd : in.op == Opcode::Or ? kOr : kXor;
    write.emit(Plop3, of.result(in), {a, b}, {.table = table});
    return;
  }
  if (in.op == Opcode::Lop3) {
    const auto table = static_cast<uint8_t>(in.src.size() > 3 ? in.src[3].bits : 0);
    Instruction& code = write.emit(Lop3, of.result(in), {a, b, of.source(in, 2)}, {.table = table});
    if (in.dst.size() > 1) code.destination.set(1, of.result(in, 1));
    return;
  }
  if (in.op == Opcode::Cnot) {
    const Register p = write.predicate();
    write.emit(Isetp, p, {a, Source::immediate(0)}, {.type = in.type, .compare = ir::Compare::Eq}).wide =
        is_wide(in.type);
    write.emit(Sel, of.result(in), {Source::immediate(1), Source::immediate(0), Source::of(p)});
    return;
  }
  if (in.op == Opcode::And && is_wide(in.type) && b.is_immediate() && b.value == 0xffffffff) {
    const Register low = write.temporary();
    write.copy(low, a);
    write.copy(of.result(in), Source::of(low));  // the high word is known to be zero
    return;
  }
  const uint8_t table = in.op == Opcode::And ? kAnd : in.op == Opcode::Or ? kOr : in.op == Opcode::Xor ? kXor : kNot;
  if (is_wide(in.type) && of.result_fits_word(in)) {
    const Source low_a = low_word(write, a), low_b = low_word(write, b);
    write.copy(of.result(in), Source::of(write.value(Lop3, {low_a, low_b}, {.table = table})));
    return;
  }
  Instruction& code = write.emit(Lop3, of.result(in), {a, b}, {.table = table});
  code.wide = is_wide(in.type);
}

void shift(Writer& write, Operands& of, const ir::Instruction& in) {
  const Shift direction = in.op == Opcode::Shl ? Shift::Left : right_shift(in.type);
  const Source amount = of.source(in, 1, Type::U32);
  constexpr uint64_t kWord = 32;
  if (is_wide(in.type) && direction != Shift::Left && of.fits_word(in, 0) && of.result_fits_word(in) &&
      !(amount.is_immediate() && amount.value >= kWord)) {
    const Source low = low_word(write, of.source(in, 0));
    write.copy(of.result(in), Source::of(write.value(Shf, {low, amount}, {.shift = Shift::Right})));
    return;
  }
  Instruction& code = write.emit(Shf, of.result(in), {of.source(in, 0), amount}, {.shift = direction});
  // A shift by a word or more moves one word; the other becomes zero or the sign.
  if (is_wide(in.type) && amount.is_immediate() && amount.value == kWord && direction != Shift::RightArithmetic &&
      code.source[0].is_register()) {
    code.op = Mov, code.role = Role::Tuple;
    code.source.set(1, {});
    return;
  }
  code.wide = is_wide(in.type) && !(amount.is_immediate() && amount.value >= kWord);
}

void funnel(Writer& write, Operands& of, const ir::Instruction& in) {
  write.emit(Shf, of.result(in), {of.source(in, 0), of.source(in, 1), of.source(in, 2)},
             {.shift = in.mods.left ? Shift::FunnelLeft : Shift::FunnelRight});
}

void bits(Writer& write, Operands& of, const ir::Instruction& in) {
  const Source a = of.source(in, 0);
  const bool two_words = is_wide(in.type);
  const Operation op = in.op == Opcode::Popc ? Popc : in.op == Opcode::Brev ? Brev : Flo;
  const Form low_word{.type = in.type}, high_word{.type = in.type, .word = 1};
  if (!two_words) {
    if (in.op == Opcode::Clz) {
      const Register place = write.value(Flo, {a}, low_word);
      write.emit(Iadd3, of.result(in), {Source::immediate(31), negated(Source::of(place))});
      return;
    }
    write.emit(op, of.result(in), {a}, low_word);
    return;
  }
  if (in.op == Opcode::Brev) {
    const Register low = write.value(Brev, {a}, low_word), high = write.value(Brev, {a}, high_word);
    write.emit(Mov, of.result(in), {Source::of(low), Source::of(high)}).role = Role::Tuple;
    return;
  }
  if (in.op == Opcode::Popc) {
    const Register low = write.value(Popc, {a}, low_word), high = write.value(Popc, {a}, high_word);
    write.emit(Iadd3, of.result(in), {Source::of(low), Source::of(high)});
    return;
  }
  // The first word with a set bit.
  const Register p = write.predicate();
  write.emit(Isetp, p, {a, Source::immediate(0)}, {.type = Type::U32, .compare = ir::Compare::Ne, .word = 1});
  const Register word = write.value(Sel, {a, a, Source::of(p)}, kInSequence);
  const Register place = write.value(Flo, {Source::of(word)}, low_word);
  const bool zeros = in.op == Opcode::Clz;
  const auto counted = [&](uint64_t from) {
    return Source::of(zeros ? write.value(Iadd3, {Source::immediate(from), negated(Source::of(place))})
                            : write.value(Iadd3, {Source::of(place), Source::immediate(from)}));
  };
  const Source below = zeros ? counted(31) : Source::of(place), above = counted(zeros ? 63 : 32);
  write.emit(Sel, of.result(in), {below, above, Source::of(p)}, kInSequence);
}

void bitfield(Writer& write, Operands& of, const ir::Instruction& in) {
  const Source a = of.source(in, 0), b = of.source(in, 1);
  if (in.op == Opcode::Bmsk) {
    write.emit(Bmsk, of.result(in), {a, b});
    return;
  }
  if (in.op == Opcode::Szext) {
    write.emit(Sgxt, of.result(in), {a, b}, {.type = in.type});
    return;
  }
  if (in.op == Opcode::Bfe) {
    const Source length = of.source(in, 2, Type::U32);
    const bool known = b.is_immediate() && length.is_immediate();
    const bool part = known && (length.value == 8 || length.value == 16) && b.value % length.value == 0;
    if (part && in.type == Type::S32 && b.value + length.value <= 32) {  // PRMT extends the sign of a part
      write.emit(Prmt, of.result(in), {a},
                 {.type = in.type,
                  .from = length.value == 8 ? Type::S8 : Type::S16,
                  .word = static_cast<uint8_t>(b.value / length.value)});
      return;
    }
    if (known) {
      const Register moved = write.temporary(words(in.type));
      write.emit(Shf, moved, {a, b}, {.shift = right_shift(in.type)}).wide = is_wide(in.type);
      write
          .emit(ir::is_signed(in.type) ? Sgxt : Lop3, of.result(in), {Source::of(moved), length},
                ir::is_signed(in.type) ? Form{.type = in.type} : Form{.table = kAnd})
          .wide = is_wide(in.type);
      return;
    }
    const Register start = write.value(Lop3, {b, Source::immediate(255)}, {.table = kAnd});
    const Register count = write.value(Lop3, {length, Source::immediate(255)}, {.table = kAnd});
    const Register moved = write.temporary(words(in.type));
    write.emit(Shf, moved, {a, Source::of(start)}, {.shift = Shift::Right}).wide = is_wide(in.type);
    write.emit(Sgxt, of.result(in), {Source::of(moved), Source::of(count)}, {.type = in.type}).wide = is_wide(in.type);
    return;
  }
  const Source position = of.source(in, 2, Type::U32), length = of.source(in, 3, Type::U32);
  const bool upper_word = is_wide(in.type) && position.is_immediate() && length.is_immediate() &&
                          position.value == 32 && length.value == 32;
  if (upper_word) {  // both low words side by side
    const Register low = write.temporary(), high = write.temporary();
    write.copy(low, b), write.copy(high, a);
    write.emit(Mov, of.result(in), {Source::of(low), Source::of(high)}).role = Role::Tuple;
    return;
  }
  const Register moved = write.temporary(words(in.type));
  if (position.is_immediate() && length.is_immediate()) {
    write.emit(Shf, moved, {a, position}, {.shift = Shift::Left}).wide = is_wide(in.type);
    write
        .emit(Lop3, of.result(in), {Source::of(moved), b, Source::immediate(length.value << 8 | position.value)},
              {.table = kInserted})
        .wide = is_wide(in.type);
    return;
  }
  const Register mask = write.value(Bmsk, {position, length});
  write.emit(Shf, moved, {a, position}, {.shift = Shift::Left}).wide = is_wide(in.type);
  write.emit(Lop3, of.result(in), {Source::of(moved), b, Source::of(mask)}, {.table = kInserted}).wide =
      is_wide(in.type);
}

void permute(Writer& write, Operands& of, const ir::Instruction& in) {
  write.emit(Prmt, of.result(in), {of.source(in, 0), of.source(in, 1), of.source(in, 2)}, {.mode = in.mods.mode});
}

namespace {

// A value of 16 bits is compared as one of 32: extended, unless it is known to be (Values).
Source extended(Writer& write, const Source& s, Type type) {
  if (!s.is_register() || (type != Type::S16 && type != Type::U16)) return s;
  if (type == Type::S16) return Source::of(write.value(Prmt, {s}, {.type = Type::S32, .from = Type::S16}));
  constexpr uint64_t kHalfWord = 0xffff;
  return Source::of(write.value(Lop3, {s, Source::immediate(kHalfWord)}, {.table = kAnd}));
}

}  // namespace

void compare(Writer& write, Operands& of, const ir::Instruction& in) {
  if (in.op == Opcode::Isspacep || in.op == Opcode::Istypep) {
    write.emit(Isetp, of.result(in), {of.source(in, 0)}, {.window = in.mods.space}).wide = true;
    return;
  }
  if (in.op == Opcode::Testp) {
    write.emit(in.type == Type::F64 ? Dsetp : Fsetp, of.result(in), {of.source(in, 0)},
               {.type = in.type, .mode = in.mods.mode});
    return;
  }
  const Type type = in.op == Opcode::Set ? in.type2 : in.type;
  const Source a = extended(write, of.source(in, 0, type), type), b = extended(write, of.source(in, 1, type), type);
  const Source c = in.mods.combine != ir::BoolOp::None ? of.source(in, 2, Type::Pred) : Source{};
  const Form form{.type = type, .compare = in.mods.compare, .table = table_of(in.mods.combine)};
  Operation op = ir::is_float(type) ? float_form(type).compare : Isetp;
  if (in.op == Opcode::Setp) {
    Instruction& code = write.emit(op, of.result(in), {a, b, c}, form);
    if (in.dst.size() > 1) code.destination.set(1, of.result(in, 1));
    code.wide = op == Isetp && is_wide(type);
    return;
  }
  const Register p = write.predicate();
  write.emit(op, p, {a, b, c}, form).wide = op == Isetp && is_wide(type);
  write.emit(Sel, of.result(in),
             {Source::immediate(ir::is_float(in.type) ? 0x3f800000u : ~0u), Source::immediate(0), Source::of(p)});
}

void choose(Writer& write, Operands& of, const ir::Instruction& in) {
  const bool two_words = is_wide(in.type);
  if (in.op == Opcode::Selp) {
    if (two_words && in.type != Type::F64 && of.fits_word(in, 0) && of.fits_word(in, 1) && of.result_fits_word(in))
      return select_words(write, of, in, of.source(in, 0), of.source(in, 1), of.source(in, 2, Type::Pred));
    Instruction& code = write.emit(in.type == Type::F32 ? Fsel : Sel, of.result(in),
                                   {of.source(in, 0), of.source(in, 1), of.source(in, 2, Type::Pred)});
    code.wide = two_words;
    return;
  }
  const Register p = write.predicate();
  write.emit(in.type2 == Type::F32 ? Fsetp : Isetp, p, {of.source(in, 2, in.type2), Source::immediate(0)},
             {.type = in.type2, .compare = ir::Compare::Ge});
  Instruction& code = write.emit(Sel, of.result(in), {of.source(in, 0), of.source(in, 1), Source::of(p)});
  code.wide = two_words;
}

void video(Writer& write, Operands& of, const ir::Instruction& in) {
  const Source a = of.source(in, 0, Type::B32), b = of.source(in, 1, Type::B32);
  const Register first = write.value(Prmt, {a}, kInSequence), second = write.value(Prmt, {b}, kInSequence);
  const bool selects = in.op == Opcode::Vmin || in.op == Opcode::Vmax;
  write.emit(selects                 ? Imnmx
             : in.op == Opcode::Vmad ? Imad
                                     : Iadd3,
             of.result(in), {Source::of(first), Source::of(second), of.source(in, 2, Type::B32)}, kInSequence);
}

}  // namespace drywarp::sass::handlers
