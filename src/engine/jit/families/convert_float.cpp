// cvt between floating formats: f64, f32, f16, bf16, tf32 and the formats of at most 8 bits, single and packed.
// cvt.pack.
#include <cmath>

#include "engine/jit/families/shared.h"

namespace drywarp::jit {
namespace {

// A format of at most 8 bits: sign, exponent, mantissa. Only 8-bit formats have a NaN; in the others a NaN becomes the
// largest number.
struct SmallFormat {
  unsigned bits = 0;  // 0: no such format
  unsigned mantissa = 0, bias = 0;
  double largest = 0;
  uint32_t nan = 0;
};
SmallFormat small_format(Type t) {
  switch (t) {
    case Type::E4M3:
    case Type::E4M3x2:
      return {8, 3, 7, 448.0, 0x7f};
    case Type::E5M2:
    case Type::E5M2x2:
      return {8, 2, 15, 57344.0, 0x7f};
    case Type::E2M3x2:
      return {6, 3, 1, 7.5, 0x1f};
    case Type::E3M2x2:
      return {6, 2, 3, 28.0, 0x1f};
    case Type::E2M1x2:
      return {4, 1, 1, 6.0, 0x7};
    default:
      return {};
  }
}
bool is_small(Type t) { return small_format(t).bits != 0; }

double largest(Type t) {
  switch (t) {
    case Type::F16:
    case Type::F16x2:
      return 65504.0;
    case Type::BF16:
    case Type::BF16x2:
      return 0x1.fep127;
    case Type::TF32:
      return 0x1.ffcp127;
    default:
      return small_format(t).largest;
  }
}

Value* relu(Emitter& e, Value* x) {
  Value* zero = e.real(x->getType(), 0.0);
  Value* positive = e.b.CreateSelect(e.b.CreateFCmpOGT(x, zero), x, zero);
  return e.b.CreateSelect(e.b.CreateFCmpUNO(x, x), x, positive);
}

// .satfinite: clamps to the largest number. A NaN stays.
Value* clamp_finite(Emitter& e, Value* x, Type to) {
  Value* limit = e.real(x->getType(), largest(to));
  Value* high = e.b.CreateSelect(e.b.CreateFCmpOGT(x, limit), limit, x);
  Value* low = e.b.CreateFNeg(limit);
  return e.b.CreateSelect(e.b.CreateFCmpOLT(high, low), low, high);
}

Value* to_tf32(Emitter& e, Value* f32, ir::Rounding rounding) {
  auto& ir = e.b;
  Value* bits = as_ints(e, f32);
  auto c = [&](uint64_t v) { return e.constant(bits->getType(), v); };
  Value* up = rounding == ir::Rounding::Rna ? c(0x1000) : c(0);
  if (rounding == ir::Rounding::Rn) up = ir.CreateAdd(c(0xfff), ir.CreateAnd(ir.CreateLShr(bits, c(13)), c(1)));
  Value* rounded = ir.CreateAnd(ir.CreateAdd(bits, up), c(0xffffe000u));
  // Only rna keeps a NaN's bits.
  if (rounding != ir::Rounding::Rna) return ir.CreateSelect(ir.CreateFCmpUNO(f32, f32), c(0x7fffe000), rounded);
  Value* special = ir.CreateICmpUGE(ir.CreateAnd(bits, c(0x7fffffff)), c(0x7f800000));
  return ir.CreateSelect(special, ir.CreateAnd(bits, c(0xffffe000u)), rounded);
}

// Converts to a small format, to nearest even, clamped to finite values. Normal results are rounded in f32's bits.
// Subnormal results are rounded by adding a number whose unit is the format's smallest subnormal.
Value* to_small(Emitter& e, Value* f32, Type type) {
  auto& ir = e.b;
  const SmallFormat f = small_format(type);
  const unsigned drop = 23 - f.mantissa;
  Value* clamped = clamp_finite(e, f32, type);
  Value* bits = as_ints(e, clamped);
  auto c = [&](uint64_t v) { return e.constant(bits->getType(), v); };
  Value* magnitude = ir.CreateAnd(bits, c(0x7fffffff));
  Value* odd = ir.CreateAnd(ir.CreateLShr(magnitude, c(drop)), c(1));
  Value* biased = ir.CreateSub(magnitude, c(uint64_t{127 - f.bias} << 23));
  Value* normal = ir.CreateLShr(ir.CreateAdd(ir.CreateAdd(biased, c((1u << (drop - 1)) - 1)), odd), c(drop));
  double unit = std::ldexp(1.0, 1 - static_cast<int>(f.bias) - static_cast<int>(f.mantissa));
  Value* magic = e.real(f32->getType(), unit * 0x1p23);
  Value* shifted = ir.CreateFAdd(ir.CreateBitCast(magnitude, f32->getType()), magic);
  Value* subnormal = ir.CreateSub(as_ints(e, shifted), as_ints(e, magic));
  Value* tiny = ir.CreateICmpULT(magnitude, c(uint64_t{128 - f.bias} << 23));
  Value* sign = ir.CreateAnd(ir.CreateLShr(bits, c(32 - f.bits)), c(1u << (f.bits - 1)));
  Value* result = ir.CreateOr(ir.CreateSelect(tiny, subnormal, normal), sign);
  result = ir.CreateSelect(ir.CreateFCmpUNO(f32, f32), c(f.nan), result);
  return e.resize(result, 8, false);
}

Value* from_small(Emitter& e, Value* element, Type type) {
  // e5m2 is the upper half of an f16.
  const SmallFormat f = small_format(type);
  if (f.bias == 15) {
    Value* bits = e.b.CreateShl(e.resize(element, 16, false), e.constant(e.int_type(16), 8));
    return half_to_float(e, bits, false);
  }
  auto& ir = e.b;
  Value* bits = e.resize(element, 32, false);
  auto c = [&](uint64_t v) { return e.constant(bits->getType(), v); };
  Value* magnitude = ir.CreateAnd(bits, c((1u << (f.bits - 1)) - 1));
  Value* scaled = ir.CreateFMul(ir.CreateBitCast(ir.CreateShl(magnitude, c(23 - f.mantissa)), e.float_type()),
                                e.real(e.float_type(), std::ldexp(1.0, 127 - static_cast<int>(f.bias))));
  Value* sign = ir.CreateShl(ir.CreateAnd(bits, c(1u << (f.bits - 1))), c(32 - f.bits));
  Value* number = ir.CreateOr(as_ints(e, scaled), sign);
  if (f.bits == 8) number = ir.CreateSelect(ir.CreateICmpEQ(magnitude, c(f.nan)), c(0x7fffffff), number);
  return ir.CreateBitCast(number, e.float_type());
}

// ue8m0 is an exponent without sign; 0xff is NaN. Rounds towards zero or up. .satfinite clamps overflow.
Value* to_exponent(Emitter& e, const Instruction& in, Value* f32) {
  auto& ir = e.b;
  Value* bits = as_ints(e, f32);
  auto c = [&](uint64_t v) { return e.constant(bits->getType(), v); };
  Value* magnitude = ir.CreateAnd(bits, c(0x7fffffff));
  Value* exponent = ir.CreateLShr(magnitude, c(23));
  if (in.mods.rounding == ir::Rounding::Rp) {
    // Values below 2^-127, the smallest, and infinities do not round up.
    Value* more = ir.CreateAnd(
        ir.CreateICmpNE(ir.CreateAnd(magnitude, c(0x7fffff)), c(0)),
        ir.CreateAnd(ir.CreateICmpUGT(magnitude, c(0x400000)), ir.CreateICmpULT(magnitude, c(0x7f800000))));
    exponent = ir.CreateAdd(exponent, ir.CreateZExt(more, bits->getType()));
  }
  if (in.mods.satfinite) exponent = e.intrinsic(llvm::Intrinsic::umin, {exponent, c(0xfe)});
  exponent = ir.CreateSelect(ir.CreateICmpUGT(magnitude, c(0x7f800000)), c(0xff), exponent);
  return e.resize(exponent, 8, false);
}

Value* from_exponent(Emitter& e, Value* element) {
  auto& ir = e.b;
  Value* bits = e.resize(element, 32, false);
  auto c = [&](uint64_t v) { return e.constant(bits->getType(), v); };
  Value* number = ir.CreateSelect(ir.CreateICmpEQ(bits, c(0)), c(0x400000), ir.CreateShl(bits, c(23)));
  number = ir.CreateSelect(ir.CreateICmpEQ(bits, c(0xff)), c(0x7fffffff), number);
  return ir.CreateBitCast(number, e.float_type());
}

// One element of the destination from an f32, as bits.
Value* element_from_float(Emitter& e, const Instruction& in, Value* f32) {
  if (in.mods.relu) f32 = relu(e, f32);
  if (in.type == Type::UE8M0x2) return to_exponent(e, in, f32);
  if (is_small(in.type)) return to_small(e, f32, in.type);
  bool bf16 = is_bf16(in.type);
  if (in.mods.satfinite) f32 = clamp_finite(e, f32, in.type);
  ir::Rounding rounding = is_directed(in.mods.rounding) ? in.mods.rounding : ir::Rounding::Rn;
  return float_to_half(e, f32, bf16, rounding);
}

// Two elements as one value of `bits` bits.
Value* joined(Emitter& e, Value* high, Value* low, unsigned bits) {
  Value* up = e.resize(high, bits, false);
  return e.b.CreateOr(e.b.CreateShl(up, e.constant(up->getType(), bits / 2)), e.resize(low, bits, false));
}

// cvt.rn.f16x2.f32 d, a, b: d = {a, b}, with a in the upper half. With one packed source, converts each element.
void to_pair(Emitter& e, const Instruction& in) {
  auto source = [&](unsigned part) {
    if (in.src.size() >= 2) return float_source(e, in, 1 - part);
    unsigned bits = ir::bits(in.type2) / 2;
    Value* v = e.operand(in, 0, in.type2);
    Value* element = e.resize(part_of(e, v, part, bits), bits, false);
    if (in.type2 == Type::UE8M0x2) return from_exponent(e, element);
    return is_small(in.type2) ? from_small(e, element, in.type2) : half_to_float(e, element, is_bf16(in.type2));
  };
  Value* high = element_from_float(e, in, source(1));
  e.set(in, 0, joined(e, high, element_from_float(e, in, source(0)), ir::bits(in.type)), in.type);
}

bool is_packed_pair(Type t) {
  return t == Type::F16x2 || t == Type::BF16x2 || t == Type::UE8M0x2 ||
         (is_small(t) && t != Type::E4M3 && t != Type::E5M2);
}

}  // namespace

Value* float_source(Emitter& e, const Instruction& in, unsigned index) {
  Value* v = e.operand(in, index, in.type2);
  switch (in.type2) {
    case Type::F16:
    case Type::BF16:
      return half_to_float(e, v, is_bf16(in.type2));
    case Type::TF32:
      return e.b.CreateBitCast(v, e.float_type());
    case Type::F32:
      // .ftz has no effect on conversions to a half (recorded on hardware).
      return in.mods.ftz && !is_half(in.type) ? e.flush_denormal(v) : v;
    default:
      return v;
  }
}

void set_converted(Emitter& e, const Instruction& in, Value* value) {
  if (is_half(in.type)) {
    if (in.mods.sat && !in.mods.satfinite) value = e.saturate(value);
    return e.set(in, 0, element_from_float(e, in, value), in.type);
  }
  if (in.type == Type::TF32) {
    if (in.mods.relu) value = relu(e, value);
    Value* bits = to_tf32(e, value, in.mods.rounding);
    if (in.mods.satfinite && in.mods.rounding == ir::Rounding::Rna) {
      // The largest finite number is one unit below infinity. The hardware subtracts that unit from a NaN too.
      auto c = [&](uint64_t v) { return e.constant(bits->getType(), v); };
      Value* special = e.b.CreateICmpUGE(e.b.CreateAnd(bits, c(0x7fffffff)), c(0x7f800000));
      bits = e.b.CreateSelect(special, e.b.CreateSub(bits, c(0x2000)), bits);
    } else if (in.mods.satfinite) {
      bits = as_ints(e, clamp_finite(e, e.b.CreateBitCast(bits, value->getType()), Type::TF32));
    }
    return e.set(in, 0, bits, in.type);
  }
  if (in.mods.ftz && in.type == Type::F32) value = e.flush_denormal(value);
  if (in.mods.sat) value = e.saturate(value);
  e.set(in, 0, value, in.type);
}

void float_to_float(Emitter& e, const Instruction& in) {
  if (is_packed_pair(in.type)) return to_pair(e, in);
  Value* x = float_source(e, in);
  bool integral = in.mods.rounding == ir::Rounding::Rni || in.mods.rounding == ir::Rounding::Rzi ||
                  in.mods.rounding == ir::Rounding::Rmi || in.mods.rounding == ir::Rounding::Rpi;
  if (integral) x = round_integral(e, x, in.mods.rounding);
  if (in.type == Type::F64) return set_converted(e, in, is_f64(x) ? x : to_f64(e, x));
  if (!is_f64(x)) return set_converted(e, in, x);
  if (in.type == Type::F32) {
    // .ftz tests the exact value, before rounding.
    Value* tiny = e.b.CreateFCmpOLT(fabs_of(e, x), e.real(x->getType(), 0x1p-126));
    Value* zero = e.intrinsic(llvm::Intrinsic::copysign, {e.real(x->getType(), 0.0), x});
    return set_converted(e, in, narrow(e, in.mods.ftz ? e.b.CreateSelect(tiny, zero, x) : x, in.mods.rounding));
  }
  // From f64 to a half, a NaN keeps its sign and its quiet bit only.
  Value* sign = e.resize(e.b.CreateLShr(as_ints(e, x), e.constant(ints_like(x->getType()), 48)), 16, false);
  sign = e.b.CreateAnd(sign, e.constant(sign->getType(), 0x8000));
  Value* nan = e.b.CreateOr(sign, e.constant(sign->getType(), is_bf16(in.type) ? 0x7fc0 : 0x7e00));
  Value* f32 = narrow_to_odd(e, x);
  if (in.mods.sat && !in.mods.satfinite) return set_converted(e, in, f32);
  e.set(in, 0, e.b.CreateSelect(e.b.CreateFCmpUNO(x, x), nan, element_from_float(e, in, f32)), in.type);
}

// The elements of cvt.pack. Those below 8 bits have no ir::Type.
struct PackedElement {
  unsigned bits;
  bool is_signed;
};
static PackedElement packed_element(const Instruction& in) {
  if (in.mods.packed_bits != 0) return {in.mods.packed_bits, in.mods.packed_signed};
  return {ir::bits(in.type), ir::is_signed(in.type)};
}

// cvt.pack.sat.<to>.s32 d, a, b{, c}: from the lowest bits up, d holds b, a and the low bits of c.
void emit_CvtPack(Emitter& e, const Instruction& in) {
  const PackedElement to = packed_element(in);
  const uint64_t mask = (uint64_t{1} << to.bits) - 1, most = to.is_signed ? mask >> 1 : mask,
                 least = to.is_signed ? ~most : 0;
  auto element = [&](unsigned index) {
    Value* v = e.operand(in, index, Type::S32);
    v = e.intrinsic(llvm::Intrinsic::smin, {v, e.constant(v->getType(), most)});
    v = e.intrinsic(llvm::Intrinsic::smax, {v, e.constant(v->getType(), least)});
    return e.b.CreateAnd(v, e.constant(v->getType(), mask));
  };
  Value* high = element(0);
  Value* pair = e.b.CreateOr(e.b.CreateShl(high, e.constant(high->getType(), to.bits)), element(1));
  if (in.src.size() > 2) {
    Value* c = e.operand(in, 2, Type::B32);
    pair = e.b.CreateOr(pair, e.b.CreateShl(c, e.constant(c->getType(), 2 * to.bits)));
  }
  e.set(in, 0, pair, Type::B32);
}

}  // namespace drywarp::jit
