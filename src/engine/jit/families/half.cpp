// f16, bf16 and their pairs. Every operation is computed in f32, to odd where it would otherwise round twice, and then
// rounded. f32 has 24 >= 2 * 11 + 2 bits, so its own rounding of a sum or product never changes an f16 or bf16 result.
#include "engine/jit/families/shared.h"

namespace drywarp::jit {
namespace {

// The operand as 16-bit elements, one or two for each lane.
Value* elements(Emitter& e, const Instruction& in, unsigned index) {
  Value* v = e.operand(in, index, in.type);
  return ir::bits(in.type) == 32 ? unpack_elements(e, v, e.b.getInt16Ty()) : v;
}

void set_elements(Emitter& e, const Instruction& in, Value* bits16) {
  e.set(in, 0, ir::bits(in.type) == 32 ? pack_elements(e, bits16, 32) : bits16, in.type);
}

Value* flush_bits(Emitter& e, Value* bits16) {
  Value* exponent = e.b.CreateAnd(bits16, e.constant(bits16->getType(), 0x7c00));
  Value* tiny = e.b.CreateICmpEQ(exponent, e.constant(bits16->getType(), 0));
  return e.b.CreateSelect(tiny, e.b.CreateAnd(bits16, e.constant(bits16->getType(), 0x8000)), bits16);
}

bool flushes(const Instruction& in) { return in.mods.ftz && !is_bf16(in.type); }

void half_min_max(Emitter& e, const Instruction& in, bool is_max) {
  Value* result = nullptr;
  Value* sign = nullptr;
  for (unsigned i = 0; i < in.src.size(); ++i) {
    Value* v = half_operand(e, in, i);
    if (in.mods.xorsign_abs) sign = sign ? e.b.CreateXor(sign, as_ints(e, v)) : as_ints(e, v);
    if (in.mods.xorsign_abs || in.mods.abs) v = fabs_of(e, v);
    result = result ? ordered_min_max(e, result, v, is_max, in.mods.nan) : v;
  }
  if (sign) {
    Value* top = e.b.CreateAnd(sign, e.constant(sign->getType(), 0x80000000u));
    result = e.b.CreateBitCast(e.b.CreateXor(as_ints(e, result), top), result->getType());
  }
  set_half(e, in, result);
}

}  // namespace

Value* half_operand(Emitter& e, const Instruction& in, unsigned index) {
  Value* bits = elements(e, in, index);
  return half_to_float(e, flushes(in) ? flush_bits(e, bits) : bits, is_bf16(in.type));
}

namespace {

// .sat and .relu are monotonic, so they can precede the rounding.
Value* rounded_half(Emitter& e, const Instruction& in, Value* f32) {
  if (in.mods.sat) f32 = e.saturate(f32);
  if (in.mods.relu) {
    Value* zero = e.real(f32->getType(), 0.0);
    f32 = e.b.CreateSelect(e.b.CreateFCmpULE(f32, zero), e.b.CreateSelect(e.b.CreateFCmpUNO(f32, f32), f32, zero), f32);
  }
  Value* bits = float_to_half(e, f32, is_bf16(in.type));
  return flushes(in) ? flush_bits(e, bits) : bits;
}

// fma.oob: a bulk copy fills elements outside a tensor with a special NaN. If a or b is that NaN, of either sign, the
// result is zero (recorded on an H200: no other pattern does this, and c does not matter).
Value* zero_outside(Emitter& e, const Instruction& in, Value* bits) {
  for (unsigned i = 0; i < 2; ++i) {
    Value* source = elements(e, in, i);
    Value* magnitude = e.b.CreateAnd(source, e.constant(source->getType(), 0x7fff));
    Value* outside = e.b.CreateICmpEQ(magnitude, e.constant(source->getType(), 0x7ff7));
    bits = e.b.CreateSelect(outside, e.constant(bits->getType(), 0), bits);
  }
  return bits;
}

}  // namespace

void set_half(Emitter& e, const Instruction& in, Value* f32) { set_elements(e, in, rounded_half(e, in, f32)); }

void half_add(Emitter& e, const Instruction& in) {
  set_half(e, in, e.b.CreateFAdd(half_operand(e, in, 0), half_operand(e, in, 1)));
}
void half_sub(Emitter& e, const Instruction& in) {
  set_half(e, in, e.b.CreateFSub(half_operand(e, in, 0), half_operand(e, in, 1)));
}
void half_mul(Emitter& e, const Instruction& in) {
  set_half(e, in, e.b.CreateFMul(half_operand(e, in, 0), half_operand(e, in, 1)));
}

// The product of two f16 is exact in f32. The product of two bf16 may exceed f32's range; it is exact in f64.
void half_fma(Emitter& e, const Instruction& in) {
  Value *a = half_operand(e, in, 0), *b = half_operand(e, in, 1), *c = half_operand(e, in, 2);
  Value* sum = is_bf16(in.type)
                   ? narrow_to_odd(e, add_to_odd(e, e.b.CreateFMul(to_f64(e, a), to_f64(e, b)), to_f64(e, c)))
                   : add_to_odd(e, e.b.CreateFMul(a, b), c);
  Value* bits = rounded_half(e, in, sum);
  set_elements(e, in, in.mods.outside_is_zero ? zero_outside(e, in, bits) : bits);
}

namespace {
// abs and neg are arithmetic: any NaN becomes the canonical NaN.
void set_sign_changed(Emitter& e, const Instruction& in, Value* bits) {
  Value* magnitude = e.b.CreateAnd(bits, e.constant(bits->getType(), 0x7fff));
  Value* nan = e.b.CreateICmpUGT(magnitude, e.constant(bits->getType(), is_bf16(in.type) ? 0x7f80 : 0x7c00));
  bits = e.b.CreateSelect(nan, e.constant(bits->getType(), 0x7fff), bits);
  set_elements(e, in, flushes(in) ? flush_bits(e, bits) : bits);
}
}  // namespace

void half_abs(Emitter& e, const Instruction& in) {
  Value* bits = elements(e, in, 0);
  bits = e.b.CreateAnd(bits, e.constant(bits->getType(), 0x7fff));
  set_sign_changed(e, in, bits);
}

void half_neg(Emitter& e, const Instruction& in) {
  Value* bits = elements(e, in, 0);
  bits = e.b.CreateXor(bits, e.constant(bits->getType(), 0x8000));
  set_sign_changed(e, in, bits);
}

void half_min(Emitter& e, const Instruction& in) { half_min_max(e, in, false); }
void half_max(Emitter& e, const Instruction& in) { half_min_max(e, in, true); }

}  // namespace drywarp::jit
