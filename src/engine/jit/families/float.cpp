// f32 and f64 arithmetic (f32x2 as twice as many f32): all rounding modes, .ftz, .sat, NaN and signed-zero rules.
// ieee_divide.cpp has div, rcp and sqrt.
#include <cmath>

#include "engine/jit/families/shared.h"

namespace drywarp::jit {
namespace {

// The constant, if `v` is the same in all lanes and not a NaN; else null.
const llvm::ConstantFP* constant_of(Value* v) {
  auto* c = llvm::dyn_cast<llvm::Constant>(v);
  if (c && c->getType()->isVectorTy()) c = c->getSplatValue();
  auto* number = llvm::dyn_cast_or_null<llvm::ConstantFP>(c);
  return number && !number->isNaN() ? number : nullptr;
}

// The sign of an exact zero: x + (-x) is -0 when rounding down.
Value* zero_sign(Emitter& e, Value* result, Value* a, Value* b, ir::Rounding rounding) {
  if (rounding != ir::Rounding::Rm) return result;
  Value* minus = e.b.CreateFNeg(e.real(result->getType(), 0.0));
  Value* is_zero = e.b.CreateFCmpOEQ(result, e.real(result->getType(), 0.0));
  Value* signs = e.b.CreateOr(as_ints(e, a), as_ints(e, b));
  Value* any_negative = e.b.CreateICmpSLT(signs, e.constant(signs->getType(), 0));
  return e.b.CreateSelect(e.b.CreateAnd(is_zero, any_negative), minus, result);
}

Value* add_in(Emitter& e, Value* a, Value* b, ir::Rounding rounding) {
  if (!is_directed(rounding)) return e.b.CreateFAdd(a, b);
  if (is_f64(a)) return e.map_lanes(lane::add_f64.towards(rounding), a, b);
  Value *wide_a = to_f64(e, a), *wide_b = to_f64(e, b);
  Value* sum = zero_sign(e, add_to_odd(e, wide_a, wide_b), wide_a, wide_b, rounding);
  return narrow(e, sum, rounding);
}

Value* mul_in(Emitter& e, Value* a, Value* b, ir::Rounding rounding) {
  if (!is_directed(rounding)) return e.b.CreateFMul(a, b);
  if (is_f64(a)) return e.map_lanes(lane::mul_f64.towards(rounding), a, b);
  return narrow(e, e.b.CreateFMul(to_f64(e, a), to_f64(e, b)), rounding);
}

Value* fma_in(Emitter& e, Value* a, Value* b, Value* c, ir::Rounding rounding) {
  if (!is_directed(rounding)) return fused(e, a, b, c);
  if (is_f64(a)) return e.map_lanes(lane::fma_f64.towards(rounding), a, b, c);
  Value *product = e.b.CreateFMul(to_f64(e, a), to_f64(e, b)), *addend = to_f64(e, c);
  return narrow(e, zero_sign(e, add_to_odd(e, product, addend), product, addend, rounding), rounding);
}

void real_min_max(Emitter& e, const Instruction& in, bool is_max) {
  Value* result = nullptr;
  Value* sign = nullptr;
  for (unsigned i = 0; i < in.src.size(); ++i) {
    Value* v = real_operand(e, in, i);
    if (in.mods.xorsign_abs) sign = sign ? e.b.CreateXor(sign, as_ints(e, v)) : as_ints(e, v);
    if (in.mods.xorsign_abs || in.mods.abs) v = fabs_of(e, v);
    result = result ? ordered_min_max(e, result, v, is_max, in.mods.nan) : v;
  }
  if (sign) {
    Value* bits = as_ints(e, result);
    uint64_t top = uint64_t{1} << (bits->getType()->getScalarSizeInBits() - 1);
    Value* with_sign = e.b.CreateXor(bits, e.b.CreateAnd(sign, e.constant(bits->getType(), top)));
    Value* is_nan = e.b.CreateFCmpUNO(result, result);
    result = e.b.CreateSelect(is_nan, result, e.b.CreateBitCast(with_sign, result->getType()));
  }
  set_real(e, in, result);
}

}  // namespace

Value* real_operand(Emitter& e, const Instruction& in, unsigned index) {
  // add.f32.f16 and the like: every operand but the addend is a half.
  if (in.type == Type::F32 && is_half(in.type2) && index + 1 < in.src.size())
    return half_to_float(e, e.operand(in, index, in.type2), is_bf16(in.type2));
  Value* v = e.operand(in, index, in.type);
  if (in.type == Type::F32x2) v = unpack_elements(e, v, e.b.getFloatTy());
  return in.mods.ftz ? e.flush_denormal(v) : v;
}

void set_real(Emitter& e, const Instruction& in, Value* result) {
  if (in.mods.ftz) result = e.flush_denormal(result);
  if (in.mods.sat) result = e.saturate(result);
  if (in.type == Type::F32x2) result = pack_elements(e, result, 64);
  e.set(in, 0, result, in.type);
}

// select(a < b, a, b) is one host instruction, which returns b for a NaN and for equal zeros. If b is a constant, as in
// max(x, 0), that is what PTX requires. Otherwise a NaN in b and zeros of different signs need a correction.
Value* ordered_min_max(Emitter& e, Value* a, Value* b, bool is_max, bool nan) {
  auto& ir = e.b;
  if (constant_of(a) && !constant_of(b)) std::swap(a, b);
  auto pick = [&](Value* x, Value* y) {
    return ir.CreateSelect(is_max ? ir.CreateFCmpOGT(x, y) : ir.CreateFCmpOLT(x, y), x, y);
  };
  Value* result = pick(a, b);
  const llvm::ConstantFP* known = constant_of(b);
  bool wrong_zero = known && known->isZero() && known->isNegative() == is_max;
  if (!known) result = ir.CreateSelect(ir.CreateFCmpUNO(b, b), a, result);
  if (!known || wrong_zero) {
    Value *bits_a = as_ints(e, a), *bits_b = as_ints(e, b);
    Value* merged = is_max ? ir.CreateAnd(bits_a, bits_b) : ir.CreateOr(bits_a, bits_b);
    result = ir.CreateSelect(ir.CreateFCmpOEQ(a, b), ir.CreateBitCast(merged, a->getType()), result);
  }
  if (nan) {
    uint64_t canonical = is_f64(a) ? 0xfff8000000000000u : 0x7fffffffu;
    result = ir.CreateSelect(ir.CreateFCmpUNO(a, b), e.constant(a->getType(), canonical), result);
  }
  return result;
}

void real_add(Emitter& e, const Instruction& in) {
  set_real(e, in, add_in(e, real_operand(e, in, 0), real_operand(e, in, 1), in.mods.rounding));
}

void real_sub(Emitter& e, const Instruction& in) {
  Value *a = real_operand(e, in, 0), *b = real_operand(e, in, 1);
  set_real(e, in,
           is_directed(in.mods.rounding) ? add_in(e, a, e.b.CreateFNeg(b), in.mods.rounding) : e.b.CreateFSub(a, b));
}

void real_mul(Emitter& e, const Instruction& in) {
  set_real(e, in, mul_in(e, real_operand(e, in, 0), real_operand(e, in, 1), in.mods.rounding));
}

void real_fma(Emitter& e, const Instruction& in) {
  set_real(e, in, fma_in(e, real_operand(e, in, 0), real_operand(e, in, 1), real_operand(e, in, 2), in.mods.rounding));
}

void real_abs(Emitter& e, const Instruction& in) { set_real(e, in, fabs_of(e, real_operand(e, in, 0))); }
void real_neg(Emitter& e, const Instruction& in) { set_real(e, in, e.b.CreateFNeg(real_operand(e, in, 0))); }
void real_min(Emitter& e, const Instruction& in) { real_min_max(e, in, false); }
void real_max(Emitter& e, const Instruction& in) { real_min_max(e, in, true); }

// The sign of the first operand with the magnitude of the second.
void emit_Copysign(Emitter& e, const Instruction& in) {
  e.set(in, 0, e.intrinsic(llvm::Intrinsic::copysign, {e.operand(in, 1, in.type), e.operand(in, 0, in.type)}), in.type);
}

}  // namespace drywarp::jit
