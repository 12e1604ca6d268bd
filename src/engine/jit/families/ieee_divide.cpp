// div, rcp and sqrt with IEEE rounding. Rounding to nearest is the host's. The directed modes correct it by the sign of
// the remainder, which for f32 is exact in f64.
#include "engine/jit/families/shared.h"

namespace drywarp::jit {
namespace {

Value* divide(Emitter& e, Value* a, Value* b, ir::Rounding rounding) {
  if (!is_directed(rounding)) return e.b.CreateFDiv(a, b);
  if (is_f64(a)) return e.map_lanes(lane::div_f64.towards(rounding), a, b);
  Value* q = e.b.CreateFDiv(a, b);
  // Compares |q| * |b| with |a|. The product of two 24-bit significands is exact in f64.
  Value* back = e.b.CreateFMul(fabs_of(e, to_f64(e, q)), fabs_of(e, to_f64(e, b)));
  Value* exact = fabs_of(e, to_f64(e, a));
  return round_directed(e, q, e.b.CreateFCmpOGT(back, exact), e.b.CreateFCmpOLT(back, exact), rounding);
}

}  // namespace

// div.approx multiplies by a flushed reciprocal: a divisor beyond 2^126 gives zero, or a NaN if the dividend is
// infinite.
void real_div(Emitter& e, const Instruction& in) {
  Value *a = real_operand(e, in, 0), *b = real_operand(e, in, 1);
  Value* q = divide(e, a, b, in.mods.rounding);
  if (in.mods.approx && in.type == Type::F32) {
    Value* zero = e.intrinsic(llvm::Intrinsic::copysign, {e.real(b->getType(), 0.0), b});
    Value* huge = e.b.CreateFCmpOGT(fabs_of(e, b), e.real(b->getType(), 0x1p126));
    q = e.b.CreateSelect(huge, e.b.CreateFMul(a, zero), q);
  }
  set_real(e, in, q);
}

void real_rcp(Emitter& e, const Instruction& in) {
  Value* x = real_operand(e, in, 0);
  set_real(e, in, divide(e, e.real(x->getType(), 1.0), x, in.mods.rounding));
}

void real_sqrt(Emitter& e, const Instruction& in) {
  Value* x = real_operand(e, in, 0);
  ir::Rounding rounding = in.mods.rounding;
  if (is_directed(rounding) && is_f64(x)) return set_real(e, in, e.map_lanes(lane::sqrt_f64.towards(rounding), x));
  Value* root = e.intrinsic(llvm::Intrinsic::sqrt, {x});
  if (is_directed(rounding)) {
    Value *wide = to_f64(e, root), *exact = to_f64(e, x);
    Value* back = e.b.CreateFMul(wide, wide);
    root = round_directed(e, root, e.b.CreateFCmpOGT(back, exact), e.b.CreateFCmpOLT(back, exact), rounding);
  }
  set_real(e, in, root);
}

}  // namespace drywarp::jit
