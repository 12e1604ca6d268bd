// Converts f16 and bf16 bits to f32 and back. Hosts with AVX2 have instructions for f16; others use integers.
#include <cmath>

#include "engine/jit/families/shared.h"

namespace drywarp::jit {
namespace {

constexpr uint64_t kHalfNan = 0x7fff;

llvm::Type* with_element(Value* v, llvm::Type* element) { return v->getType()->getWithNewType(element); }

Value* half_bits_to_float(Emitter& e, Value* bits16) {
  auto& ir = e.b;
  if (e.vector_bits() >= 256)
    return ir.CreateFPExt(ir.CreateBitCast(bits16, with_element(bits16, ir.getHalfTy())),
                          with_element(bits16, ir.getFloatTy()));
  // A multiplication rebiases the exponent, for subnormals too. Infinities and NaN get theirs from the `or`.
  Value* bits = ir.CreateZExt(bits16, with_element(bits16, ir.getInt32Ty()));
  llvm::Type* type = bits->getType();
  Value* magnitude = ir.CreateAnd(bits, e.constant(type, 0x7fff));
  llvm::Type* real = with_element(bits, ir.getFloatTy());
  Value* scaled =
      ir.CreateFMul(ir.CreateBitCast(ir.CreateShl(magnitude, e.constant(type, 13)), real), e.real(real, 0x1p112));
  Value* special = ir.CreateICmpUGE(magnitude, e.constant(type, 0x7c00));
  Value* result = as_ints(e, scaled);
  result = ir.CreateSelect(special, ir.CreateOr(result, e.constant(type, 0x7f800000)), result);
  Value* sign = ir.CreateShl(ir.CreateAnd(bits, e.constant(type, 0x8000)), e.constant(type, 16));
  return ir.CreateBitCast(ir.CreateOr(result, sign), real);
}

// Rounds to nearest even. A NaN may become any NaN.
Value* float_to_half_bits(Emitter& e, Value* f32) {
  auto& ir = e.b;
  llvm::Type* i16 = with_element(f32, ir.getInt16Ty());
  if (e.vector_bits() >= 256) return ir.CreateBitCast(ir.CreateFPTrunc(f32, with_element(f32, ir.getHalfTy())), i16);
  Value* bits = as_ints(e, f32);
  llvm::Type* type = bits->getType();
  auto c = [&](uint64_t v) { return e.constant(type, v); };
  Value* magnitude = ir.CreateAnd(bits, c(0x7fffffff));
  // Normal results: rebias, and add just under half a unit, or half a unit if the kept bits are odd.
  Value* odd = ir.CreateAnd(ir.CreateLShr(magnitude, c(13)), c(1));
  Value* normal = ir.CreateLShr(ir.CreateAdd(ir.CreateSub(magnitude, c(0x38000000 - 0xfff)), odd), c(13));
  // Subnormal results: adding 0.5 makes the host round at the right bit.
  Value* half = e.real(f32->getType(), 0.5);
  Value* shifted = ir.CreateFAdd(ir.CreateBitCast(magnitude, f32->getType()), half);
  Value* subnormal = ir.CreateSub(as_ints(e, shifted), c(0x3f000000));
  Value* result = ir.CreateSelect(ir.CreateICmpULT(magnitude, c(0x38800000)), subnormal, normal);
  result = ir.CreateSelect(ir.CreateICmpUGE(magnitude, c(0x477ff000)), c(0x7c00), result);
  Value* sign = ir.CreateAnd(ir.CreateLShr(bits, c(16)), c(0x8000));
  return ir.CreateTrunc(ir.CreateOr(result, sign), i16);
}

Value* float_to_bf16_bits(Emitter& e, Value* f32) {
  auto& ir = e.b;
  Value* bits = as_ints(e, f32);
  llvm::Type* type = bits->getType();
  Value* odd = ir.CreateAnd(ir.CreateLShr(bits, e.constant(type, 16)), e.constant(type, 1));
  Value* rounded = ir.CreateAdd(ir.CreateAdd(bits, e.constant(type, 0x7fff)), odd);
  return ir.CreateTrunc(ir.CreateLShr(rounded, e.constant(type, 16)), with_element(f32, ir.getInt16Ty()));
}

}  // namespace

Value* half_to_float(Emitter& e, Value* bits16, bool bf16) {
  if (!bf16) return half_bits_to_float(e, bits16);
  Value* bits = e.b.CreateZExt(bits16, with_element(bits16, e.b.getInt32Ty()));
  return e.b.CreateBitCast(e.b.CreateShl(bits, e.constant(bits->getType(), 16)),
                           with_element(bits16, e.b.getFloatTy()));
}

Value* float_to_half(Emitter& e, Value* f32, bool bf16, ir::Rounding rounding) {
  auto& ir = e.b;
  Value* nearest = bf16 ? float_to_bf16_bits(e, f32) : float_to_half_bits(e, f32);
  if (is_directed(rounding)) {
    Value *got = fabs_of(e, half_to_float(e, nearest, bf16)), *exact = fabs_of(e, f32);
    nearest = round_directed(e, nearest, ir.CreateFCmpOGT(got, exact), ir.CreateFCmpOLT(got, exact), rounding);
  }
  Value* nan = e.constant(nearest->getType(), kHalfNan);
  return ir.CreateSelect(ir.CreateFCmpUNO(f32, f32), nan, nearest);
}

}  // namespace drywarp::jit
