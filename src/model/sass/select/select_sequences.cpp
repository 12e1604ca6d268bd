// Division, square roots, transcendental functions and conversions: PTX instructions that expand to sequences.
#include <bit>

#include "language/ir/rare_cases.h"
#include "model/sass/select/handlers.h"
#include "model/sass/select/sequences.h"

namespace drywarp::sass::handlers {

using ir::Opcode;
using ir::Type;
using enum machine::Operation;

namespace {
// A subroutine: a 64-bit reciprocal, two refinement steps, a 128-bit product, two corrections. (Compilers may first
// compare the high words and branch to a 32-bit division.)
void long_divide(Writer& write, Operands& of, const ir::Instruction& in) {
  const bool is_signed = ir::is_signed(in.type), remainder = in.op == Opcode::Rem;
  const Source a = of.source(in, 0), b = of.source(in, 1);
  // Lengths of the parts: assumed.
  constexpr unsigned kArguments = 3, kRefined = 14, kBeside = 14, kCarries = 11, kCorrected = 6, kSigns = 20;
  for (unsigned i = 0; i < kArguments; ++i) write.effect(Mov, {i == 0 ? a : b});
  write.effect(Call, {}).clobbers = remainder ? kSlowPath.remainder_long : kSlowPath.divide_long;
  const Register as_float = write.temporary(2), guess = write.temporary(2), start = write.temporary(2);
  write.emit(I2f, as_float, {b}, kInSequence);
  write.emit(Mufu, guess, {Source::of(as_float)}, mufu(Function::Rcp64));
  const Register scaled = write.value(Iadd3, {Source::of(guess), Source::immediate(0x1ffffffe)}, kInSequence);
  write.emit(F2i, start, {Source::of(scaled)}, kInSequence);
  const auto run = [&](Operation op, unsigned count, Source from) {
    for (unsigned i = 0; i < count; ++i) {
      Instruction& code = write.effect(op, {from, b});
      code.destination.set(0, write.temporary());
      from = Source::of(code.destination[0]);
    }
    return from;
  };
  const Source refined = run(ImadHi, kRefined, Source::of(start));
  const Source beside = run(Imad, kBeside, Source::of(start));
  const Source carried = run(Iadd3, kCarries + (remainder ? 0 : 4), refined);
  if (is_signed) run(Sel, kSigns, a);
  const Register p = write.predicate();
  for (unsigned i = 0; i < kCorrected; ++i) {
    write.effect(Isetp, {carried, beside}).destination.set(0, p);
    write.effect(Sel, {carried, Source::of(p)}).destination.set(0, write.temporary());
  }
  write.effect(Ret, {});
  write.wide(Sel, of.result(in), {carried, beside, Source::of(p)}, kInSequence);
}

}  // namespace

// I2F, MUFU.RCP, a fixed-point refinement and two corrections, as ptxas writes it.
void integer_divide(Writer& write, Operands& of, const ir::Instruction& in) {
  const bool is_signed = ir::is_signed(in.type), remainder = in.op == Opcode::Rem;
  Source a = of.source(in, 0), b = of.source(in, 1);
  if (b.is_immediate() && std::has_single_bit(b.value)) {
    const auto bits = static_cast<uint64_t>(std::countr_zero(b.value));
    const bool two = ir::bits(in.type) == 64;
    if (!is_signed) {
      Instruction& code = remainder
                              ? write.emit(Lop3, of.result(in), {a, Source::immediate(b.value - 1)}, {.table = kAnd})
                              : write.emit(Shf, of.result(in), {a, Source::immediate(bits)}, {.shift = Shift::Right});
      code.wide = two;
      return;
    }
    const Register sign = write.value(Shf, {a, Source::immediate(31)}, {.shift = Shift::RightArithmetic});
    const Register biased = write.temporary(words(in.type));
    const auto right = static_cast<uint8_t>(ir::bits(in.type) - bits);
    write.emit(Lea, biased, {Source::of(sign), a}, {.shift = Shift::Right, .distance = right}).wide = two;
    if (!remainder) {
      write.emit(Shf, of.result(in), {Source::of(biased), Source::immediate(bits)}, {.shift = Shift::RightArithmetic})
          .wide = two;
      return;
    }
    const Register whole = write.temporary(words(in.type));
    write.emit(Lop3, whole, {Source::of(biased), Source::immediate(~(b.value - 1))}, {.table = kAnd}).wide = two;
    Source taken = Source::of(whole);
    taken.modifiers = kNegated;
    write.emit(Iadd3, of.result(in), {a, taken}).wide = two;
    return;
  }
  if (b.is_immediate()) {  // multiply by the reciprocal
    const bool two = ir::bits(in.type) == 64;
    const Register high = write.temporary(words(in.type));
    write.chain(ImadHi, two ? 5 : 1, a, b, high);
    const Register quotient = remainder ? write.temporary(words(in.type)) : of.result(in);
    write.emit(Shf, quotient, {Source::of(high), Source::immediate(3)}, {.shift = Shift::Right}).wide = two;
    if (remainder) write.emit(Imad, of.result(in), {Source::of(quotient), b, a}).wide = two;
    return;
  }
  if (ir::bits(in.type) == 64) return long_divide(write, of, in);
  // ptxas keeps the divisor and its absolute value, and negates that, which does not depend on the quotient; but of a
  // constant divisor it negates the quotient, as in an unsigned division.
  const bool negates_divisor = is_signed && !of.is_constant_word(in.src[1]);
  Source kept = b;
  if (is_signed) {
    a = Source::of(write.value(Iabs, {a}));
    kept = b = Source::of(write.value(Iabs, {b}));
    if (negates_divisor) kept = Source::of(write.value(Iabs, {of.source(in, 1)}, kInSequence));
  }
  Source minus_b = b;
  minus_b.modifiers ^= kNegated;
  const Register as_float = write.value(I2f, {kept}, kInSequence);
  const Register reciprocal = write.value(Mufu, {Source::of(as_float)}, mufu(Function::Rcp));
  const Register scaled = write.value(Iadd3, {Source::of(reciprocal), Source::immediate(0x0ffffffe)});
  const Register guess = write.value(F2i, {Source::of(scaled)}, kInSequence);
  const Register negative = write.value(ImadMov, {Source::of(guess)}, kInSequence);
  const Register error = write.value(Imad, {Source::of(negative), b});
  const Register zero = write.value(ImadMov, {Source::of(scaled)}, kInSequence);  // in the register beside the guess
  const Register exact = write.value(ImadHi, {Source::of(guess), Source::of(error), Source::of(zero)}, kInSequence);
  const Register quotient = write.value(ImadHi, {Source::of(exact), a}, kInSequence);
  const Register negated = negates_divisor ? write.value(Iadd3, {minus_b}, kInSequence)
                                           : write.value(ImadMov, {Source::of(quotient)}, kInSequence);
  const Source other = negates_divisor ? Source::of(quotient) : b;
  if (negates_divisor) a = Source::of(write.value(ImadMov, {a}, kInSequence));
  const Register rest = write.value(Imad, {Source::of(negated), other, a}, kInSequence);
  // Corrections are predicated and in place.
  const Register last = remainder ? rest : quotient;
  const auto correct = [&](Register when, Operation op, Register changed, std::initializer_list<Source> from,
                           const Form& form = kInSequence) {
    Instruction& c = write.emit(op, changed, from, form);
    if (!c.guard) c.guard = Source::of(when);
  };
  const Register p = write.predicate(), q = write.predicate(), r = write.predicate();
  write.emit(Isetp, p, {Source::of(rest), b}, step(in.type, ir::Compare::Ge));
  correct(p, Iadd3, rest, {Source::of(rest), minus_b});
  if (!remainder) correct(p, Iadd3, quotient, {Source::of(quotient), Source::immediate(1)});
  write.emit(Isetp, q, {Source::of(rest), b}, step(in.type, ir::Compare::Ge));
  correct(q, Iadd3, last, {Source::of(last), remainder ? minus_b : Source::immediate(1)});
  write.emit(Isetp, r, {b, Source::immediate(0)}, step(in.type, ir::Compare::Eq));
  if (is_signed) {
    const Register sign = remainder ? kNone : write.value(Lop3, {of.source(in, 0), of.source(in, 1)}, {.table = kXor});
    const Register s = write.predicate();
    write.emit(Isetp, s, {remainder ? of.source(in, 0) : Source::of(sign), Source::immediate(0)},
               step(in.type, ir::Compare::Lt));
    correct(s, Iadd3, last, {Source::of(last)});
  }
  if (!is_signed || !of.divides_several(in.src[1])) {
    correct(r, Lop3, last, {b}, {.table = kNot});
    write.copy(of.result(in), Source::of(last));
    return;
  }
  const Register of_zero = write.value(Lop3, {of.source(in, 1)}, {.table = kNot});
  write.emit(Sel, of.result(in), {Source::of(of_zero), Source::of(last), Source::of(r)}, kInSequence);
}

// Bits of floats: 2^126, and the factors of operands below kSmallest and above that.
constexpr uint32_t kLarge = 0x7e800000, kUpward = 0x4b800000, kQuarter = 0x3e800000;
constexpr Form product(bool flushes) { return {.type = Type::F32, .flushes = flushes}; }

// Where p, `from` times `factor` or plus it; else `from`. ptxas computes it under p, in the register of `from`, if that
// value ends here (passes/predicate_selects); else it selects. A literal is selected.
Source scaled(Writer& write, Source from, Operation op, Source factor, Register p, Register to = kNone) {
  if (to == kNone) to = write.temporary();
  const Register changed =
      from.is_immediate() ? write.value(Mov, {factor}, kInSequence) : write.value(op, {from, factor}, product(false));
  write.emit(Fsel, to, {Source::of(changed), from, Source::of(p)});
  return Source::of(to);
}

// div.approx, div.full: the product with a reciprocal. Both operands are scaled where the divisor is very large (full)
// or subnormal (unless it is flushed). The product is fused with a sum as others are. By a literal: its reciprocal.
void approximate_divide(Writer& write, Operands& of, const ir::Instruction& in) {
  Source a = of.source(in, 0), b = of.source(in, 1);
  if (b.is_immediate()) {
    const float reciprocal = 1 / std::bit_cast<float>(static_cast<uint32_t>(b.value));
    write.emit(Fmul, of.result(in), {a, Source::immediate(std::bit_cast<uint32_t>(reciprocal))}, product(in.mods.ftz));
    return;
  }
  const Register large = write.predicate(), subnormal = write.predicate();
  if (in.mods.full) write.emit(Fsetp, large, {b, Source::immediate(kLarge)}, step(Type::F32, ir::Compare::Gt));
  if (!in.mods.ftz) write.emit(Fsetp, subnormal, {b, Source::immediate(kSmallest)}, step(Type::F32, ir::Compare::Lt));
  const auto scale = [&](Register where, uint32_t factor) {
    b = scaled(write, b, Fmul, Source::immediate(factor), where);
    a = scaled(write, a, Fmul, Source::immediate(factor), where);
  };
  if (in.mods.full) scale(large, kQuarter);
  if (!in.mods.ftz) scale(subnormal, kUpward);
  const Register reciprocal = write.value(Mufu, {b}, mufu(Function::Rcp));
  write.emit(Fmul, of.result(in), {Source::of(reciprocal), a}, product(in.mods.ftz));
}

void float_divide(Writer& write, Operands& of, const ir::Instruction& in) {
  if (in.mods.approx || in.mods.full) return approximate_divide(write, of, in);
  const Source a = of.source(in, 0), b = of.source(in, 1);
  const Register reciprocal = b.is_immediate()
                                  ? write.value(Mov, {Source::immediate(b.value ^ 0x80000000u)}, kInSequence)
                                  : write.value(Mufu, {b}, rounded_mufu(Function::Rcp));
  // div.rn: one Newton step each for the reciprocal and the quotient; FCHK sends other cases to a subroutine. The
  // reciprocal of a constant is a constant.
  const Source r = Source::of(reciprocal);
  const Register p = write.predicate();
  write.effect(Bssy, {});
  write.emit(Fchk, p, {a, b});
  const Register e = write.value(Ffma, {b, r, Source::immediate(0x3f800000)}, kBesideSlowPath);
  const Register r1 = write.value(Ffma, {r, Source::of(e), r}, kBesideSlowPath);
  const Register q = write.value(Ffma, {a, Source::of(r1)}, kBesideSlowPath);
  const Register e1 = write.value(Ffma, {b, Source::of(q), a}, kBesideSlowPath);
  write.emit(Ffma, of.result(in), {Source::of(r1), Source::of(e1), Source::of(q)}, kBesideSlowPath);
  write.slow_path(Source::of(p), kSlowPath.divide);
  write.effect(Bsync, {});
}

// Subnormal arguments are scaled up, results scaled back.
void of_subnormals(Writer& write, Function function, Source a, Register d) {
  const Source upward = Source::immediate(kUpward);
  const Register p = write.predicate();
  if (function == Function::Rcp) {  // by one factor, which may as well make very large arguments smaller
    const Register q = write.predicate();
    write.emit(Fsetp, q, {a, Source::immediate(kLarge)}, step(Type::F32, ir::Compare::Gt));
    write.emit(Fsetp, p, {a, Source::immediate(kSmallest)}, step(Type::F32, ir::Compare::Lt));
    const Register literal = write.value(Mov, {upward}, kInSequence);
    const Register first =
        write.value(Fsel, {Source::of(literal), Source::immediate(0x3f800000), Source::of(p)}, kInSequence);
    const Register factor =
        write.value(Fsel, {Source::of(first), Source::immediate(kQuarter), Source::of(q)}, kInSequence);
    const Register argument = write.value(Fmul, {a, Source::of(factor)}, kInSequence);
    const Register raw = write.value(Mufu, {Source::of(argument)}, mufu(function));
    write.emit(Fmul, d, {Source::of(factor), Source::of(raw)}, product(false));
    return;
  }
  write.emit(Fsetp, p, {a, Source::immediate(kSmallest)}, step(Type::F32, ir::Compare::Lt));
  const Source argument = scaled(write, a, Fmul, upward, p);
  const Source raw = Source::of(write.value(Mufu, {argument}, mufu(function)));
  scaled(write, raw, function == Function::Lg2 ? Fadd : Fmul, function == Function::Ex2 ? raw : upward, p, d);
}

void special_function(Writer& write, Operands& of, const ir::Instruction& in) {
  const Source a = of.source(in, 0);
  const Register d = of.result(in);
  if (in.type == Type::F64) {
    const bool root = in.op == Opcode::Sqrt || in.op == Opcode::Rsqrt;
    if (in.mods.approx && in.mods.ftz) {
      write.emit(Mufu, d, {a}, mufu(root ? Function::Rsq64 : Function::Rcp64));
      return;
    }
    if (root) return double_root(write, a, d, in.op == Opcode::Rsqrt);
    return double_reciprocal(write, a, d);
  }
  static constexpr struct {
    Opcode op;
    Function function;
  } kFunctions[] = {{Opcode::Rcp, Function::Rcp}, {Opcode::Sqrt, Function::Sqrt}, {Opcode::Rsqrt, Function::Rsq},
                    {Opcode::Sin, Function::Sin}, {Opcode::Cos, Function::Cos},   {Opcode::Lg2, Function::Lg2},
                    {Opcode::Ex2, Function::Ex2}, {Opcode::Tanh, Function::Tanh}};
  Function function = Function::Rcp;
  for (const auto& f : kFunctions)
    if (f.op == in.op) function = f.function;
  if (in.type != Type::F32) {  // half precision
    if (in.op == Opcode::Tanh || in.op == Opcode::Ex2) {
      write.emit(Mufu, d, {a}, {.type = in.type, .function = function});
      return;
    }
  }
  if (in.op == Opcode::Sin || in.op == Opcode::Cos) {  // the argument in revolutions
    const Register turns = write.value(Fmul, {a, Source::immediate(0x3e22f983)}, kInSequence);
    write.emit(Mufu, d, {Source::of(turns)}, mufu(function));
    return;
  }
  if (in.mods.approx && (in.mods.ftz || in.op == Opcode::Tanh)) {
    if (function == Function::Sqrt && !write.at_least(75)) {
      const Register root = write.value(Mufu, {a}, mufu(Function::Rsq));
      write.emit(Fmul, d, {a, Source::of(root)});
      return;
    }
    write.emit(Mufu, d, {a}, mufu(function));
    return;
  }
  if (in.mods.approx) return of_subnormals(write, function, a, d);
  // rcp.rn, sqrt.rn: refined; a check of the exponent sends other cases to a subroutine.
  write.effect(Bssy, {});
  const Register exponent = write.value(Iadd3, {a, Source::immediate(0x1800000)}, kBesideSlowPath),
                 p = write.predicate();
  if (in.op == Opcode::Rcp) {
    const Register masked = write.value(Lop3, {Source::of(exponent), Source::immediate(0x7f800000)}, {.table = kAnd});
    write.emit(Isetp, p, {Source::of(masked), Source::immediate(0x1ffffff)}, step(Type::U32, ir::Compare::Gt));
    write.slow_path(Source::of(p), kSlowPath.reciprocal);
    const Register guess = write.value(Mufu, {a}, rounded_mufu(Function::Rcp));
    const Register e = write.value(Ffma, {Source::of(guess), a, Source::immediate(0xbf800000)}, kBesideSlowPath);
    const Register minus = write.value(Fadd, {Source::of(e)}, kBesideSlowPath);
    write.emit(Ffma, d, {Source::of(guess), Source::of(minus), Source::of(guess)}, kBesideSlowPath);
    write.effect(Bsync, {});
    return;
  }
  const Register guess = write.value(Mufu, {a}, rounded_mufu(Function::Rsq));
  write.emit(Isetp, p, {Source::of(exponent), Source::immediate(0x727fffff)}, step(Type::U32, ir::Compare::Gt));
  write.slow_path(Source::of(p), kSlowPath.square_root);
  const Register root = write.value(Fmul, {a, Source::of(guess)}, kBesideSlowPath);
  const Register half = write.value(Fmul, {Source::of(guess), Source::immediate(0x3f000000)}, kBesideSlowPath);
  const Register rest = write.value(Ffma, {Source::of(root), Source::of(root), a}, kBesideSlowPath);
  write.emit(Ffma, d, {Source::of(rest), Source::of(half), Source::of(root)}, kBesideSlowPath);
  write.effect(Bsync, {});
}

void convert(Writer& write, Operands& of, const ir::Instruction& in) {
  const Type to = in.type, from = in.type2 == Type::None ? in.type : in.type2;
  const Register d = of.result(in);
  const Source a = of.source(in, 0, from);
  const Form form{.type = to, .from = from, .rounding = in.mods.rounding, .saturates = in.mods.sat};
  if (d == kNone) return;
  const unsigned to_bits = ir::bits(to), from_bits = ir::bits(from);
  const bool to_float = ir::is_float(to), from_float = ir::is_float(from);
  if (in.op == Opcode::CvtPack) {
    write.emit(I2i, d, {a, of.source(in, 1, from)}, form);
    return;
  }
  if (!to_float && !from_float) {
    const unsigned register_bits = in.dst.empty() ? 32 : ir::bits(of.function().registers[d].type);
    if (in.mods.sat) {
      Form clamp = form;
      clamp.compare = ir::Compare::Gt;
      const Register low = write.value(Imnmx, {a, Source::immediate(0)}, clamp);
      clamp.compare = ir::Compare::Lt;
      write.emit(Imnmx, d, {Source::of(low), Source::immediate(255)}, clamp);
      return;
    }
    if (to_bits == 64 || (register_bits == 64 && to_bits < 64)) {
      if (from_bits == 64 && to_bits == 64) return write.copy(d, a);
      if (!ir::is_signed(from) || !ir::is_signed(to) || from_bits > 32) {
        if (from_bits == 32 || from_bits == 64) return write.copy(d, a);  // the high word is known to be zero
        write.emit(Lop3, d, {a, Source::immediate((1u << from_bits) - 1)}, {.table = kAnd});
        return;
      }
      Source low = a;
      if (from_bits < 32) low = Source::of(write.value(Prmt, {a}, form));
      // The sign word.
      write.emit(Shf, d, {low, Source::immediate(31)}, {.shift = Shift::RightArithmetic, .in_sequence = true});
      return;
    }
    if (to_bits == 32 && from_bits >= 32) return write.copy(d, a);
    const unsigned narrow = std::min(to_bits, from_bits);
    if (narrow >= 32 || (register_bits == 16 && to_bits == 16 && from_bits >= 16)) return write.copy(d, a);
    if (from_bits < to_bits && !ir::is_signed(from) && a.is_register() && a.reg < of.function().registers.size() &&
        ir::bits(of.function().registers[a.reg].type) <= from_bits)
      return write.copy(d, a);  // values in narrow registers are already extended
    if (ir::is_signed(narrow == from_bits ? from : to))
      write.emit(Prmt, d, {a}, form);
    else
      write.emit(Lop3, d, {a, Source::immediate((uint64_t{1} << narrow) - 1)}, {.table = kAnd});
    return;
  }
  if (to_float && from_float) {
    if (to == from) {
      if (in.mods.rounding >= ir::Rounding::Rni && in.mods.rounding <= ir::Rounding::Rpi)
        write.emit(Frnd, d, {a}, form);
      else if (in.mods.sat || in.mods.ftz || in.mods.relu)
        write.emit(to == Type::F64 ? Dadd : Fadd, d, {a}, form);
      else
        write.copy(d, a);
      return;
    }
    if (to == Type::F64 || from == Type::F64) {
      write.emit(F2f, d, {a}, form);
      return;
    }
    if (to_bits <= 16 || in.src.size() > 1) {
      write.emit(write.at_least(80) ? F2fp : F2f, d, {a, of.source(in, 1, from)}, form);
      return;
    }
    if (from == Type::BF16)
      write.emit(Shf, d, {a, Source::immediate(16)}, {.shift = Shift::Left});
    else
      write.emit(Hadd2, d, {a}, form);
    return;
  }
  if (from_float) {
    Source v = a;
    if (from == Type::BF16) v = Source::of(write.value(Hadd2, {a}, form));
    write.emit(F2i, d, {v}, form);
    return;
  }
  if (to == Type::F32 && from_bits == 32 && write.at_least(86)) {
    write.emit(I2fp, d, {a}, form);
    return;
  }
  if (to == Type::F32 && from_bits <= 16 && write.at_least(86)) {
    write.emit(I2f, d, {a}, form);
    return;
  }
  if (to_bits == 16) {
    const Register single = write.value(write.at_least(86) ? I2fp : I2f, {a}, form);
    write.emit(F2fp, d, {Source::of(single)}, form);
    return;
  }
  write.emit(I2f, d, {a}, form);
}

}  // namespace drywarp::sass::handlers
