// Rounds in the three directed modes with operations that round to nearest: their result is at most one unit off, and
// the sign of the exact error gives the direction.
#include <cmath>

#include "engine/jit/families/shared.h"

namespace drywarp::jit {

Value* round_directed(Emitter& e, Value* nearest, Value* too_big, Value* too_small, ir::Rounding rounding) {
  auto& ir = e.b;
  Value* bits = as_ints(e, nearest);
  llvm::Type* type = bits->getType();
  Value *zero = e.constant(type, 0), *one = e.constant(type, 1), *minus = e.constant(type, ~uint64_t{0});
  Value* negative = ir.CreateICmpSLT(bits, zero);
  // Magnitudes are ordered like integers: subtracting one moves towards zero, adding one away from it.
  Value* shrink = too_big;
  Value* grow = nullptr;
  if (rounding == ir::Rounding::Rm) {
    shrink = ir.CreateAnd(too_big, ir.CreateNot(negative));
    grow = ir.CreateAnd(too_small, negative);
  } else if (rounding == ir::Rounding::Rp) {
    shrink = ir.CreateAnd(too_big, negative);
    grow = ir.CreateAnd(too_small, ir.CreateNot(negative));
  }
  Value* step = ir.CreateSelect(shrink, minus, zero);
  if (grow) step = ir.CreateSelect(grow, one, step);
  return ir.CreateBitCast(ir.CreateAdd(bits, step), nearest->getType());
}

Value* narrow(Emitter& e, Value* f64, ir::Rounding rounding) {
  Value* f = to_f32(e, f64);
  if (!is_directed(rounding)) return f;
  Value *exact = fabs_of(e, f64), *got = fabs_of(e, to_f64(e, f));
  return round_directed(e, f, e.b.CreateFCmpOGT(got, exact), e.b.CreateFCmpOLT(got, exact), rounding);
}

// Knuth's two-sum gives the exact error of the sum; an inexact sum with an even significand moves to the odd neighbour
// on the side of the exact value.
Value* add_to_odd(Emitter& e, Value* a, Value* b) {
  auto& ir = e.b;
  Value* sum = ir.CreateFAdd(a, b);
  Value* b_seen = ir.CreateFSub(sum, a);
  Value* a_seen = ir.CreateFSub(sum, b_seen);
  Value* error = ir.CreateFAdd(ir.CreateFSub(a, a_seen), ir.CreateFSub(b, b_seen));
  Value *zero = e.real(sum->getType(), 0.0), *infinite = e.real(sum->getType(), HUGE_VAL);
  Value* inexact = ir.CreateAnd(ir.CreateFCmpONE(error, zero), ir.CreateFCmpOLT(fabs_of(e, sum), infinite));
  Value *bits = as_ints(e, sum), *error_bits = as_ints(e, error);
  llvm::Type* type = bits->getType();
  Value* one = e.constant(type, 1);
  Value* even = ir.CreateICmpEQ(ir.CreateAnd(bits, one), e.constant(type, 0));
  Value* same_sign = ir.CreateICmpSGE(ir.CreateXor(bits, error_bits), e.constant(type, 0));
  Value* moved = ir.CreateAdd(bits, ir.CreateSelect(same_sign, one, e.constant(type, ~uint64_t{0})));
  return ir.CreateBitCast(ir.CreateSelect(ir.CreateAnd(inexact, even), moved, bits), sum->getType());
}

Value* narrow_to_odd(Emitter& e, Value* f64) {
  auto& ir = e.b;
  Value* f = to_f32(e, f64);
  Value *got = fabs_of(e, to_f64(e, f)), *exact = fabs_of(e, f64);
  Value* toward_zero = round_directed(e, f, ir.CreateFCmpOGT(got, exact), nullptr, ir::Rounding::Rz);
  Value* sticky = ir.CreateZExt(ir.CreateFCmpONE(got, exact), ints_like(f->getType()));
  return ir.CreateBitCast(ir.CreateOr(as_ints(e, toward_zero), sticky), f->getType());
}

Value* fused(Emitter& e, Value* a, Value* b, Value* c) {
  if (e.vector_bits() >= 256) return e.intrinsic(llvm::Intrinsic::fma, {a, b, c});
  if (is_f64(a)) return e.map_lanes(lane::fma_rn_f64, a, b, c);
  // The product of two f32 is exact in f64.
  return to_f32(e, add_to_odd(e, e.b.CreateFMul(to_f64(e, a), to_f64(e, b)), to_f64(e, c)));
}

}  // namespace drywarp::jit
