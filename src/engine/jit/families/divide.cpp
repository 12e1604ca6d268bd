// Integer division and remainder. No host has vector integer division. So 8 to 32 bits are divided in floating point,
// which is exact: with n + 2 bits of significand, rounding cannot move the quotient of n-bit integers to the next
// integer. 64 bits are divided by a helper. Constant divisors are left to LLVM, which multiplies. Division by zero
// gives all ones, as on the GPU, for the remainder too.
#include "engine/jit/families/shared.h"

namespace drywarp::jit {
namespace {

bool known_nonzero(Value* divisor) {
  auto* c = llvm::dyn_cast<llvm::Constant>(divisor);
  if (c && c->getType()->isVectorTy()) c = c->getSplatValue();
  auto* number = llvm::dyn_cast_or_null<llvm::ConstantInt>(c);
  return number && !number->isZero() && !number->isMinusOne();
}

struct Quotient {
  Value* quotient;
  Value* remainder;
};

// Unsigned, at most 32 bits, divisor nonzero.
Value* divide_small(Emitter& e, Value* a, Value* b) {
  unsigned bits = a->getType()->getScalarSizeInBits();
  if (e.width() == 1) return e.b.CreateUDiv(a, b);
  llvm::Type* real = e.int_type(32)->getWithNewType(bits <= 16 ? e.b.getFloatTy() : e.b.getDoubleTy());
  Value* q = e.b.CreateFDiv(e.b.CreateUIToFP(a, real), e.b.CreateUIToFP(b, real));
  return e.b.CreateFPToUI(q, a->getType());
}

Quotient divide(Emitter& e, Value* a, Value* b, bool is_signed) {
  auto& ir = e.b;
  unsigned bits = a->getType()->getScalarSizeInBits();
  if (known_nonzero(b)) {
    Value* q = is_signed ? ir.CreateSDiv(a, b) : ir.CreateUDiv(a, b);
    return {q, ir.CreateSub(a, ir.CreateMul(q, b))};
  }
  Value* zero = e.constant(a->getType(), 0);
  Value* ones = e.constant(a->getType(), ~uint64_t{0});
  Value* by_zero = ir.CreateICmpEQ(b, zero);
  Value* divisor = ir.CreateSelect(by_zero, e.constant(a->getType(), 1), b);
  Value* q;
  if (bits == 64) {
    if (e.width() > 1) {
      q = is_signed ? e.map_lanes(lane::div_s64, a, divisor) : e.map_lanes(lane::div_u64, a, divisor);
    } else {
      // INT64_MIN / -1 traps on the host; its quotient is -a, wrapped.
      Value* minus = ir.CreateICmpEQ(divisor, ones);
      Value* safe = is_signed ? ir.CreateSelect(minus, e.constant(a->getType(), 1), divisor) : divisor;
      q = is_signed ? ir.CreateSelect(minus, ir.CreateNeg(a), ir.CreateSDiv(a, safe)) : ir.CreateUDiv(a, safe);
    }
  } else if (is_signed) {
    auto magnitude = [&](Value* v) {
      return ir.CreateIntrinsic(llvm::Intrinsic::abs, {v->getType()}, {v, ir.getFalse()});
    };
    Value* u = divide_small(e, magnitude(a), magnitude(divisor));
    q = ir.CreateSelect(ir.CreateICmpSLT(ir.CreateXor(a, divisor), zero), ir.CreateNeg(u), u);
  } else {
    q = divide_small(e, a, divisor);
  }
  Value* r = ir.CreateSub(a, ir.CreateMul(q, divisor));
  return {ir.CreateSelect(by_zero, ones, q), ir.CreateSelect(by_zero, ones, r)};
}

Quotient divide(Emitter& e, const Instruction& in) {
  return divide(e, e.operand(in, 0, in.type), e.operand(in, 1, in.type), ir::is_signed(in.type));
}

}  // namespace

void integer_div(Emitter& e, const Instruction& in) { e.set(in, 0, divide(e, in).quotient, in.type); }
void emit_Rem(Emitter& e, const Instruction& in) { e.set(in, 0, divide(e, in).remainder, in.type); }

}  // namespace drywarp::jit
