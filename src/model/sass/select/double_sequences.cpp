// Divisions and roots of doubles, as ptxas 13 writes them: the guess of a MUFU, refined; a subroutine does rare cases.
#include "model/sass/select/sequences.h"

namespace drywarp::sass::handlers {

using ir::Type;
using enum machine::Operation;

namespace {

struct Doubles {
  Writer& write;

  Source emit(Operation op, std::initializer_list<Source> sources, Register to = kNone) const {
    if (to == kNone) to = write.temporary(2);
    write.emit(op, to, sources, kBesideSlowPath);
    return Source::of(to);
  }
  Source fma(Source a, Source b, Source c, Register to = kNone) const { return emit(Dfma, {a, b, c}, to); }
  Source product(Source a, Source b) const { return emit(Dmul, {a, b}); }
  // MUFU writes the upper word of the pair.
  Source guess(Function function, Source a, Source lower) const {
    const Register to = write.temporary(2);
    write.emit(Mufu, to, {a, lower}, rounded_mufu(function));
    return Source::of(to);
  }
  Source literal(uint32_t value) const {
    return Source::of(write.value(Mov, {Source::immediate(value)}, kBesideSlowPath));
  }
};
constexpr uint64_t kOne = 0x3ff00000ull << 32, kHalf64 = 0x3fe00000ull << 32;

// The guess of a reciprocal, refined twice.
Source refined_reciprocal(const Doubles& doubles, Source guess, Source b, Register to = kNone) {
  const Source e = doubles.fma(b, guess, Source::immediate(kOne));
  const Source once = doubles.fma(guess, doubles.fma(e, e, e), guess);
  return doubles.fma(once, doubles.fma(b, once, Source::immediate(kOne)), once, to);
}

}  // namespace

void double_divide(Writer& write, Operands& of, const ir::Instruction& in) {
  const Source a = of.source(in, 0), b = of.source(in, 1);
  const Doubles doubles{write};
  write.effect(Bssy, {});
  const Source r = refined_reciprocal(doubles, doubles.guess(Function::Rcp64, b, doubles.literal(1)), b);
  const Source q = doubles.product(a, r);
  doubles.fma(r, doubles.fma(b, q, a), q, of.result(in));
  const Register check = write.value(Ffma, {a, b}, kBesideSlowPath), p = write.predicate();
  const Source smallest = Source::immediate(kSmallest);
  if (a.is_immediate()) {
    write.emit(Fsetp, p, {Source::of(check), smallest}, step(Type::F32, ir::Compare::Gt));
  } else {
    const Register large = write.predicate();
    write.emit(Fsetp, large, {a, smallest}, step(Type::F32, ir::Compare::Ge));
    write.emit(Fsetp, p, {Source::of(check), smallest, Source::of(large)}, step(Type::F32, ir::Compare::Gt));
  }
  write.slow_path(Source::of(p), kSlowPath.divide_double);
  write.effect(Bsync, {});
}

void double_reciprocal(Writer& write, Source a, Register d) {
  const Doubles doubles{write};
  write.effect(Bssy, {});
  const Register exponent = write.value(Iadd3, {a, Source::immediate(0x300402)}, kBesideSlowPath),
                 p = write.predicate();
  const Source guess = doubles.guess(Function::Rcp64, a, Source::of(exponent));
  write.emit(Fsetp, p, {Source::of(exponent), Source::immediate(kSmallest)}, step(Type::F32, ir::Compare::Ge));
  refined_reciprocal(doubles, guess, a, d);
  write.slow_path(Source::of(p), kSlowPath.reciprocal_double);
  write.effect(Bsync, {});
}

// sqrt.rn, and rsqrt.approx, which ptxas refines as well.
void double_root(Writer& write, Source a, Register d, bool reciprocal) {
  const Doubles doubles{write};
  write.effect(Bssy, {});
  const Register exponent =
                     write.value(Iadd3, {a, Source::immediate(reciprocal ? 0xfff00000 : 0xfcb00000)}, kBesideSlowPath),
                 p = write.predicate();
  const Source guess = doubles.guess(Function::Rsq64, a, reciprocal ? doubles.literal(0) : Source::of(exponent));
  write.emit(Isetp, p, {Source::of(exponent), Source::immediate(reciprocal ? 0x7fe00000 : 0x7ca00000)},
             step(Type::U32, ir::Compare::Ge));
  const Source e = doubles.fma(a, doubles.product(guess, guess), Source::immediate(kOne));
  // Three eighths: a pair of registers.
  const Register factor = write.temporary(2);
  write.wide(Mov, factor, {Source::immediate(0x3fd80000ull << 32)}, kBesideSlowPath);
  const Source slope = doubles.fma(e, Source::of(factor), Source::immediate(kHalf64));
  const Source refined = doubles.fma(slope, doubles.product(guess, e), guess, reciprocal ? d : kNone);
  if (!reciprocal) {
    const Source root = doubles.product(a, refined);
    const Source rest = doubles.fma(root, root, a);
    // Half of the reciprocal root: another exponent, beside a copy of the lower word.
    const Register half = write.temporary(2), lower = write.value(Mov, {refined}, kBesideSlowPath);
    write.emit(Iadd3, half, {refined, Source::immediate(0xfff00000), Source::of(lower)}, kBesideSlowPath);
    doubles.fma(rest, Source::of(half), root, d);
  }
  write.slow_path(Source::of(p), kSlowPath.square_root_double);
  write.effect(Bsync, {});
}

}  // namespace drywarp::sass::handlers
