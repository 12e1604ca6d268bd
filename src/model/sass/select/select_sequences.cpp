// Division, square roots, transcendental functions and conversions: PTX instructions that expand to sequences.
#include <bit>

#include "model/sass/select/selector.h"

namespace drywarp::sass {

using ir::Opcode;
using ir::Type;
using enum machine::Operation;

namespace {
enum MufuFunction : uint32_t { Rcp, Rsq, Sqrt, SinF, CosF, Lg2, Ex2, TanhF, Rcp64, Rsq64 };
uint32_t both_types(Type to, Type from) { return static_cast<uint32_t>(to) << 8 | static_cast<uint32_t>(from) << 16; }
}  // namespace

// Registers that slow-path subroutines take beside their results, seen in kernels with nothing else.
struct SlowPath {
  uint8_t divide = 12, square_root = 6, reciprocal = 8;
  uint8_t divide_double = 17, square_root_double = 13, reciprocal_double = 7;
  uint8_t divide_long = 13, remainder_long = 15;
};
constexpr SlowPath kSlowPath;

void Selector::slow_path(Source taken_if, uint32_t variant, uint8_t registers) {
  effect(Bra, {taken_if}, variant).clobbers = registers;
}

// I2F, MUFU.RCP, a fixed-point refinement and two corrections, as ptxas writes it.
void Selector::integer_divide(const ir::Instruction& in) {
  const bool is_signed = ir::is_signed(in.type), remainder = in.op == Opcode::Rem;
  Source a = source(in, 0), b = source(in, 1);
  if (b.is_immediate() && std::has_single_bit(b.value)) {
    const auto bits = static_cast<uint64_t>(std::countr_zero(b.value));
    const bool two = ir::bits(in.type) == 64;
    if (!is_signed) {
      Instruction& code = remainder ? emit(Lop3, result(in), {a, Source::immediate(b.value - 1)}, 0xc0)
                                    : emit(Shf, result(in), {a, Source::immediate(bits)}, 2);
      code.wide = two;
      return;
    }
    const Register sign = value(Shf, {a, Source::immediate(31)}, 3);
    const Register biased = temporary(words(in.type));
    const uint32_t right = ir::bits(in.type) - static_cast<uint32_t>(bits);
    emit(Lea, biased, {Source::of(sign), a}, kLeaHigh + right).wide = two;
    if (!remainder) {
      emit(Shf, result(in), {Source::of(biased), Source::immediate(bits)}, 3).wide = two;
      return;
    }
    const Register whole = temporary(words(in.type));
    emit(Lop3, whole, {Source::of(biased), Source::immediate(~(b.value - 1))}, 0xc0).wide = two;
    Source taken = Source::of(whole);
    taken.modifiers = kNegated;
    emit(Iadd3, result(in), {a, taken}).wide = two;
    return;
  }
  if (b.is_immediate()) {  // multiply by the reciprocal
    const bool two = ir::bits(in.type) == 64;
    const Register high = temporary(words(in.type));
    chain(ImadHi, two ? 5 : 1, a, b, high);
    const Register quotient = remainder ? temporary(words(in.type)) : result(in);
    emit(Shf, quotient, {Source::of(high), Source::immediate(3)}, 2).wide = two;
    if (remainder) emit(Imad, result(in), {Source::of(quotient), b, a}).wide = two;
    return;
  }
  if (ir::bits(in.type) == 64) return long_divide(in);
  Source kept = b;  // ptxas keeps the divisor and its absolute value
  if (is_signed) {
    a = Source::of(value(Iabs, {a}));
    b = Source::of(value(Iabs, {b}));
    kept = Source::of(value(Iabs, {source(in, 1)}, 39));
  }
  Source minus_b = b;
  minus_b.modifiers ^= kNegated;
  const Register as_float = value(I2f, {kept}, 40);
  const Register reciprocal = value(Mufu, {Source::of(as_float)}, Rcp);
  const Register scaled = value(Iadd3, {Source::of(reciprocal), Source::immediate(0x0ffffffe)});
  const Register guess = value(F2i, {Source::of(scaled)}, 41);
  const Register negative = value(ImadMov, {Source::of(guess)}, 42);
  const Register error = value(Imad, {Source::of(negative), b});
  const Register zero = value(ImadMov, {Source::of(scaled)}, 43);  // in the register beside the guess
  const Register exact = value(ImadHi, {Source::of(guess), Source::of(error), Source::of(zero)}, 44);
  const Register quotient = value(ImadHi, {Source::of(exact), a}, 45);
  // Signed division negates the divisor, which does not depend on the quotient.
  const Register negated = is_signed ? value(Iadd3, {minus_b}, 46) : value(ImadMov, {Source::of(quotient)}, 46);
  const Source other = is_signed ? Source::of(quotient) : b;
  if (is_signed) a = Source::of(value(ImadMov, {a}, 45));
  const Register rest = value(Imad, {Source::of(negated), other, a}, 47);
  // Corrections are predicated and in place.
  const Register last = remainder ? rest : quotient;
  const auto correct = [&](Register when, Operation op, Register changed, std::initializer_list<Source> from,
                           uint32_t variant) {
    Instruction& c = emit(op, changed, from, variant);
    if (!c.guard) c.guard = Source::of(when);
  };
  const Register p = predicate(), q = predicate(), r = predicate();
  emit(Isetp, p, {Source::of(rest), b}, 48);
  correct(p, Iadd3, rest, {Source::of(rest), minus_b}, 49);
  if (!remainder) correct(p, Iadd3, quotient, {Source::of(quotient), Source::immediate(1)}, 50);
  emit(Isetp, q, {Source::of(rest), b}, 51);
  correct(q, Iadd3, last, {Source::of(last), remainder ? minus_b : Source::immediate(1)}, 52);
  emit(Isetp, r, {b, Source::immediate(0)}, 54);
  if (is_signed) {
    const Register sign = remainder ? kNone : value(Lop3, {source(in, 0), source(in, 1)}, 0x3c);
    const Register s = predicate();
    emit(Isetp, s, {remainder ? source(in, 0) : Source::of(sign), Source::immediate(0)}, 55);
    correct(s, Iadd3, last, {Source::of(last)}, 56);
  }
  correct(r, Lop3, last, {b}, 0x33);
  copy(result(in), Source::of(last));
}

// A subroutine: a 64-bit reciprocal, two refinement steps, a 128-bit product, two corrections. (Compilers may first
// compare the high words and branch to a 32-bit division.)
void Selector::long_divide(const ir::Instruction& in) {
  const bool is_signed = ir::is_signed(in.type), remainder = in.op == Opcode::Rem;
  const Source a = source(in, 0), b = source(in, 1);
  constexpr unsigned kArguments = 3, kRefined = 14, kBeside = 14, kCarries = 11, kCorrected = 6, kSigns = 20;
  for (unsigned i = 0; i < kArguments; ++i) effect(Mov, {i == 0 ? a : b}, 90);
  effect(Call, {}, 1).clobbers = remainder ? kSlowPath.remainder_long : kSlowPath.divide_long;
  const Register as_float = temporary(2), guess = temporary(2), start = temporary(2);
  emit(I2f, as_float, {b}, 970);
  emit(Mufu, guess, {Source::of(as_float)}, Rcp64);
  const Register scaled = value(Iadd3, {Source::of(guess), Source::immediate(0x1ffffffe)}, 971);
  emit(F2i, start, {Source::of(scaled)}, 972);
  const auto run = [&](Operation op, unsigned count, Source from, uint32_t variant) {
    for (unsigned i = 0; i < count; ++i) {
      Instruction& code = effect(op, {from, b}, variant + i);
      code.destination[0] = temporary();
      from = Source::of(code.destination[0]);
    }
    return from;
  };
  const Source refined = run(ImadHi, kRefined, Source::of(start), 1000);
  const Source beside = run(Imad, kBeside, Source::of(start), 1100);
  const Source carried = run(Iadd3, kCarries + (remainder ? 0 : 4), refined, 1200);
  if (is_signed) run(Sel, kSigns, a, 1300);
  const Register p = predicate();
  for (unsigned i = 0; i < kCorrected; ++i) {
    effect(Isetp, {carried, beside}, 1400 + i).destination[0] = p;
    effect(Sel, {carried, Source::of(p)}, 1400 + i).destination[0] = temporary();
  }
  effect(Ret, {}, 1);
  wide(Sel, result(in), {carried, beside, Source::of(p)}, 1500);
}

void Selector::float_divide(const ir::Instruction& in) {
  const Source a = source(in, 0), b = source(in, 1);
  const bool rounded = !in.mods.approx && !in.mods.full;
  const Register reciprocal =
      rounded && b.is_immediate() ? value(Mov, {Source::immediate(b.value ^ 0x80000000u)}, 927) : value(Mufu, {b}, Rcp);
  if (in.mods.approx && in.mods.ftz) {
    emit(Fmul, result(in), {a, Source::of(reciprocal)});
    return;
  }
  if (in.mods.approx || in.mods.full) {  // both operands are scaled if the divisor is very large or small
    const Register p = predicate();
    emit(Fsetp, p, {b}, 910);
    const Register sb = value(Fmul, {b, Source::of(p)}, 911), sa = value(Fmul, {a, Source::of(p)}, 912);
    block_->code.back().source[2] = Source::of(sb);
    emit(Fmul, result(in), {Source::of(sa), Source::of(reciprocal)}, 913);
    return;
  }
  // div.rn: one Newton step each for the reciprocal and the quotient; FCHK sends other cases to a subroutine. The
  // reciprocal of a constant is a constant.
  const Source r = Source::of(reciprocal);
  const Register p = predicate();
  effect(Bssy, {}, 2);
  emit(Fchk, p, {a, b});
  const Register e = value(Ffma, {b, r, Source::immediate(0x3f800000)}, 920);
  const Register r1 = value(Ffma, {r, Source::of(e), r}, 921);
  const Register q = value(Ffma, {a, Source::of(r1)}, 922);
  const Register e1 = value(Ffma, {b, Source::of(q), a}, 923);
  emit(Ffma, result(in), {Source::of(r1), Source::of(e1), Source::of(q)}, 924);
  slow_path(Source::of(p), 2, kSlowPath.divide);
  effect(Bsync, {}, 2);
}

void Selector::double_divide(const ir::Instruction& in) {
  const Source a = source(in, 0), b = source(in, 1);
  auto two = [&](std::initializer_list<Source> s, uint32_t variant) {
    const Register r = temporary(2);
    emit(Dfma, r, s, variant);
    return Source::of(r);
  };
  const Register guess = temporary(2);
  effect(Bssy, {}, 3);
  emit(Mufu, guess, {b}, Rcp64);
  Source r = Source::of(guess);
  const Source e = two({b, r, Source::immediate(0x3ff00000ull << 32)}, 930), e2 = two({e, e, e}, 931);
  const Source r1 = two({r, e2, r}, 932), e3 = two({b, r1, Source::immediate(0x3ff00000ull << 32)}, 933);
  const Source r2 = two({r1, e3, r1}, 934);
  const Register q = temporary(2);
  emit(Dmul, q, {a, r2}, 935);
  const Source rest = two({b, Source::of(q), a}, 936);
  emit(Dfma, result(in), {r2, rest, Source::of(q)}, 937);
  const Register check = value(Ffma, {a, b}, 938), p = predicate();
  emit(Fsetp, p, {Source::of(check), a}, 939);
  slow_path(Source::of(p), 3, kSlowPath.divide_double);
  effect(Bsync, {}, 3);
}

void Selector::special_function(const ir::Instruction& in) {
  const Source a = source(in, 0);
  const Register d = result(in);
  if (in.type == Type::F64) {
    const bool root = in.op == Opcode::Sqrt || in.op == Opcode::Rsqrt;
    if (in.mods.approx) {
      emit(Mufu, d, {a}, root ? Rsq64 : Rcp64);
      return;
    }
    const Register guess = temporary(2);
    effect(Bssy, {}, 3);
    emit(Mufu, guess, {a}, root ? Rsq64 : Rcp64);
    const Register exponent = value(Iadd3, {a, Source::immediate(0x300402)}, 940), p = predicate();
    emit(Isetp, p, {Source::of(exponent), Source::immediate(0x7ff00000)}, 941);
    const Register last = temporary(2), first = temporary(2);
    emit(root ? Dmul : Dfma, first, {Source::of(guess), a}, 942);
    chain(Dfma, root ? 7 : 4, Source::of(first), a, last);
    emit(Dfma, d, {Source::of(last), Source::of(guess), Source::of(first)}, 943);
    slow_path(Source::of(p), 3, root ? kSlowPath.square_root_double : kSlowPath.reciprocal_double);
    effect(Bsync, {}, 3);
    return;
  }
  static constexpr struct {
    Opcode op;
    MufuFunction function;
  } kFunctions[] = {{Opcode::Rcp, Rcp},  {Opcode::Sqrt, Sqrt}, {Opcode::Rsqrt, Rsq}, {Opcode::Sin, SinF},
                    {Opcode::Cos, CosF}, {Opcode::Lg2, Lg2},   {Opcode::Ex2, Ex2},   {Opcode::Tanh, TanhF}};
  MufuFunction function = Rcp;
  for (const auto& f : kFunctions)
    if (f.op == in.op) function = f.function;
  if (in.type != Type::F32) {  // half precision
    if (in.op == Opcode::Tanh || in.op == Opcode::Ex2) {
      emit(Mufu, d, {a}, function | 1u << 8);
      return;
    }
  }
  if (in.op == Opcode::Sin || in.op == Opcode::Cos) {  // the argument in revolutions
    const Register turns = value(Fmul, {a, Source::immediate(0x3e22f983)}, 950);
    emit(Mufu, d, {Source::of(turns)}, function);
    return;
  }
  if (in.mods.approx && (in.mods.ftz || in.op == Opcode::Tanh)) {
    if (function == Sqrt && !at_least(75)) {
      const Register root = value(Mufu, {a}, Rsq);
      emit(Fmul, d, {a, Source::of(root)});
      return;
    }
    emit(Mufu, d, {a}, function);
    return;
  }
  if (in.mods.approx) {  // subnormal arguments are scaled up, results scaled back
    const Register p = predicate();
    emit(Fsetp, p, {a, Source::immediate(0x00800000)}, 951);
    const Register scaled = value(Fmul, {a, Source::immediate(0x4b800000), Source::of(p)}, 952);
    const Register raw = value(Mufu, {Source::of(scaled)}, function);
    emit(in.op == Opcode::Lg2 ? Fadd : Fmul, d, {Source::of(raw), Source::immediate(0x4b800000), Source::of(p)}, 953);
    return;
  }
  // rcp.rn, sqrt.rn: refined; a check of the exponent sends other cases to a subroutine.
  effect(Bssy, {}, 4);
  const Register exponent = value(Iadd3, {a, Source::immediate(0x1800000)}, 954), p = predicate();
  if (in.op == Opcode::Rcp) {
    const Register masked = value(Lop3, {Source::of(exponent), Source::immediate(0x7f800000)}, 0xc0);
    emit(Isetp, p, {Source::of(masked), Source::immediate(0x1ffffff)}, 955);
    slow_path(Source::of(p), 4, kSlowPath.reciprocal);
    const Register guess = value(Mufu, {a}, Rcp);
    const Register e = value(Ffma, {Source::of(guess), a, Source::immediate(0xbf800000)}, 956);
    const Register minus = value(Fadd, {Source::of(e)}, 957);
    emit(Ffma, d, {Source::of(guess), Source::of(minus), Source::of(guess)}, 958);
    effect(Bsync, {}, 4);
    return;
  }
  const Register guess = value(Mufu, {a}, Rsq);
  emit(Isetp, p, {Source::of(exponent), Source::immediate(0x727fffff)}, 955);
  slow_path(Source::of(p), 4, kSlowPath.square_root);
  const Register root = value(Fmul, {a, Source::of(guess)}, 959);
  const Register half = value(Fmul, {Source::of(guess), Source::immediate(0x3f000000)}, 960);
  const Register rest = value(Ffma, {Source::of(root), Source::of(root), a}, 961);
  emit(Ffma, d, {Source::of(rest), Source::of(half), Source::of(root)}, 962);
  effect(Bsync, {}, 4);
}

void Selector::convert(const ir::Instruction& in) {
  const Type to = in.type, from = in.type2 == Type::None ? in.type : in.type2;
  const Register d = result(in);
  const Source a = source(in, 0, from);
  const uint32_t variant = both_types(to, from) | static_cast<uint32_t>(in.mods.rounding) | uint32_t{in.mods.sat} << 7;
  if (d == kNone) return;
  const unsigned to_bits = ir::bits(to), from_bits = ir::bits(from);
  const bool to_float = ir::is_float(to), from_float = ir::is_float(from);
  if (in.op == Opcode::CvtPack) {
    emit(I2i, d, {a, source(in, 1, from)}, variant);
    return;
  }
  if (!to_float && !from_float) {
    const unsigned register_bits = in.dst.empty() ? 32 : ir::bits(function_.registers[d].type);
    if (in.mods.sat) {
      const Register low = value(Imnmx, {a, Source::immediate(0)}, variant);
      emit(Imnmx, d, {Source::of(low), Source::immediate(255)}, variant | 1u << 6);
      return;
    }
    if (to_bits == 64 || (register_bits == 64 && to_bits < 64)) {
      if (from_bits == 64 && to_bits == 64) return copy(d, a);
      if (!ir::is_signed(from) || !ir::is_signed(to) || from_bits > 32) {
        if (from_bits == 32 || from_bits == 64) return copy(d, a);  // the high word is known to be zero
        emit(Lop3, d, {a, Source::immediate((1u << from_bits) - 1)}, 0xc0);
        return;
      }
      Source low = a;
      if (from_bits < 32) low = Source::of(value(Prmt, {a}, variant));
      emit(Shf, d, {low, Source::immediate(31)}, 5);  // the sign word
      return;
    }
    if (to_bits == 32 && from_bits >= 32) return copy(d, a);
    const unsigned narrow = std::min(to_bits, from_bits);
    if (narrow >= 32 || (register_bits == 16 && to_bits == 16 && from_bits >= 16)) return copy(d, a);
    if (from_bits < to_bits && !ir::is_signed(from) && a.is_register() && a.reg < function_.registers.size() &&
        ir::bits(function_.registers[a.reg].type) <= from_bits)
      return copy(d, a);  // values in narrow registers are already extended
    if (ir::is_signed(narrow == from_bits ? from : to))
      emit(Prmt, d, {a}, variant);
    else
      emit(Lop3, d, {a, Source::immediate((uint64_t{1} << narrow) - 1)}, 0xc0);
    return;
  }
  if (to_float && from_float) {
    if (to == from) {
      if (in.mods.rounding >= ir::Rounding::Rni && in.mods.rounding <= ir::Rounding::Rpi)
        emit(Frnd, d, {a}, variant);
      else if (in.mods.sat || in.mods.ftz || in.mods.relu)
        emit(to == Type::F64 ? Dadd : Fadd, d, {a}, variant | 1u << 30);
      else
        copy(d, a);
      return;
    }
    if (to == Type::F64 || from == Type::F64) {
      emit(F2f, d, {a}, variant);
      return;
    }
    if (to_bits <= 16 || in.src.size() > 1) {
      emit(at_least(80) ? F2fp : F2f, d, {a, source(in, 1, from)}, variant);
      return;
    }
    if (from == Type::BF16)
      emit(Shf, d, {a, Source::immediate(16)}, 1);
    else
      emit(Hadd2, d, {a}, variant);
    return;
  }
  if (from_float) {
    Source v = a;
    if (from_bits == 16) v = Source::of(value(Hadd2, {a}, variant));
    emit(F2i, d, {v}, variant);
    return;
  }
  if (to == Type::F32 && from_bits == 32 && at_least(86)) {
    emit(I2fp, d, {a}, variant);
    return;
  }
  if (to == Type::F32 && from_bits <= 16 && at_least(86)) {
    emit(I2f, d, {a}, variant);
    return;
  }
  if (to_bits == 16) {
    const Register single = value(at_least(86) ? I2fp : I2f, {a}, variant);
    emit(F2fp, d, {Source::of(single)}, variant);
    return;
  }
  emit(I2f, d, {a}, variant);
}

}  // namespace drywarp::sass
