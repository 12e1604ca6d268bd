// cvt between floating formats: f64, f32, f16, bf16, tf32 and the 8-bit formats, single and packed; and cvt.pack.
#include <cmath>

#include "jit/lower_convert.h"

namespace drywarp::jit {
namespace {

bool is_fp8(Type t) { return t == Type::E4M3x2 || t == Type::E5M2x2 || t == Type::E4M3 || t == Type::E5M2; }
bool is_e5m2(Type t) { return t == Type::E5M2x2 || t == Type::E5M2; }

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
    case Type::E4M3:
    case Type::E4M3x2:
      return 448.0;
    default:
      return 57344.0;
  }
}

Value* relu(Emitter& e, Value* x) {
  Value* zero = e.real(x->getType(), 0.0);
  Value* positive = e.b.CreateSelect(e.b.CreateFCmpOGT(x, zero), x, zero);
  return e.b.CreateSelect(e.b.CreateFCmpUNO(x, x), x, positive);
}

// .satfinite: what would round beyond the largest number becomes it; a NaN stays.
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
  // A NaN is cut like any other value; only rna keeps its bits.
  if (rounding != ir::Rounding::Rna) return ir.CreateSelect(ir.CreateFCmpUNO(f32, f32), c(0x7fffe000), rounded);
  Value* special = ir.CreateICmpUGE(ir.CreateAnd(bits, c(0x7fffffff)), c(0x7f800000));
  return ir.CreateSelect(special, ir.CreateAnd(bits, c(0xffffe000u)), rounded);
}

// To an 8-bit format, to nearest even, finite: in f32's own bits for normal results, and by adding a number whose unit
// is the format's smallest for subnormal ones.
Value* to_fp8(Emitter& e, Value* f32, bool e5m2) {
  auto& ir = e.b;
  unsigned mantissa = e5m2 ? 2 : 3, bias = e5m2 ? 15 : 7, drop = 23 - mantissa;
  Value* clamped = clamp_finite(e, f32, e5m2 ? Type::E5M2 : Type::E4M3);
  Value* bits = as_ints(e, clamped);
  auto c = [&](uint64_t v) { return e.constant(bits->getType(), v); };
  Value* magnitude = ir.CreateAnd(bits, c(0x7fffffff));
  Value* odd = ir.CreateAnd(ir.CreateLShr(magnitude, c(drop)), c(1));
  Value* biased = ir.CreateSub(magnitude, c(uint64_t{127 - bias} << 23));
  Value* normal = ir.CreateLShr(ir.CreateAdd(ir.CreateAdd(biased, c((1u << (drop - 1)) - 1)), odd), c(drop));
  double unit = std::ldexp(1.0, 1 - static_cast<int>(bias) - static_cast<int>(mantissa));
  Value* magic = e.real(f32->getType(), unit * 0x1p23);
  Value* shifted = ir.CreateFAdd(ir.CreateBitCast(magnitude, f32->getType()), magic);
  Value* subnormal = ir.CreateSub(as_ints(e, shifted), as_ints(e, magic));
  Value* small = ir.CreateICmpULT(magnitude, c(uint64_t{128 - bias} << 23));
  Value* sign = ir.CreateAnd(ir.CreateLShr(bits, c(24)), c(0x80));
  Value* result = ir.CreateOr(ir.CreateSelect(small, subnormal, normal), sign);
  result = ir.CreateSelect(ir.CreateFCmpUNO(f32, f32), c(0x7f), result);
  return e.resize(result, 8, false);
}

Value* from_fp8(Emitter& e, Value* bits8, bool e5m2) {
  // e5m2 is the upper half of an f16.
  if (e5m2) {
    Value* bits = e.b.CreateShl(e.resize(bits8, 16, false), e.constant(e.int_type(16), 8));
    return half_to_float(e, bits, false);
  }
  auto& ir = e.b;
  Value* bits = e.resize(bits8, 32, false);
  auto c = [&](uint64_t v) { return e.constant(bits->getType(), v); };
  Value* magnitude = ir.CreateAnd(bits, c(0x7f));
  Value* scaled =
      ir.CreateFMul(ir.CreateBitCast(ir.CreateShl(magnitude, c(20)), e.float_type()), e.real(e.float_type(), 0x1p120));
  Value* number = ir.CreateOr(as_ints(e, scaled), ir.CreateShl(ir.CreateAnd(bits, c(0x80)), c(24)));
  Value* nan = ir.CreateICmpEQ(magnitude, c(0x7f));
  return ir.CreateBitCast(ir.CreateSelect(nan, c(0x7fffffff), number), e.float_type());
}

// One element of the destination from an f32, as bits.
Value* element_from_float(Emitter& e, const Instruction& in, Value* f32) {
  if (in.mods.relu) f32 = relu(e, f32);
  if (is_fp8(in.type)) return to_fp8(e, f32, is_e5m2(in.type));
  bool bf16 = is_bf16(in.type);
  if (in.mods.satfinite) f32 = clamp_finite(e, f32, in.type);
  ir::Rounding rounding = is_directed(in.mods.rounding) ? in.mods.rounding : ir::Rounding::Rn;
  return float_to_half(e, f32, bf16, rounding);
}

Value* joined(Emitter& e, Value* high, Value* low) {
  unsigned bits = low->getType()->getScalarSizeInBits();
  Value* up = e.resize(high, 2 * bits, false);
  return e.b.CreateOr(e.b.CreateShl(up, e.constant(up->getType(), bits)), e.resize(low, 2 * bits, false));
}

// d = {a, b}, a above: cvt.rn.f16x2.f32 d, a, b. With one packed source each element is converted in its place.
void to_pair(Emitter& e, const Instruction& in) {
  auto source = [&](unsigned part) {
    if (in.src.size() >= 2) return float_source(e, in, 1 - part);
    unsigned bits = ir::bits(in.type2) / 2;
    Value* v = e.operand(in, 0, in.type2);
    Value* element = e.resize(part_of(e, v, part, bits), bits, false);
    return is_fp8(in.type2) ? from_fp8(e, element, is_e5m2(in.type2)) : half_to_float(e, element, is_bf16(in.type2));
  };
  Value* high = element_from_float(e, in, source(1));
  e.set(in, 0, joined(e, high, element_from_float(e, in, source(0))), in.type);
}

bool is_pair(Type t) { return t == Type::F16x2 || t == Type::BF16x2 || t == Type::E4M3x2 || t == Type::E5M2x2; }

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
      // .ftz does nothing on the way to a half (recorded on hardware).
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
      // The largest finite number is one unit below infinity; the hardware takes that unit from a NaN too.
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
  if (is_pair(in.type)) return to_pair(e, in);
  Value* x = float_source(e, in);
  bool integral = in.mods.rounding == ir::Rounding::Rni || in.mods.rounding == ir::Rounding::Rzi ||
                  in.mods.rounding == ir::Rounding::Rmi || in.mods.rounding == ir::Rounding::Rpi;
  if (integral) x = round_integral(e, x, in.mods.rounding);
  if (in.type == Type::F64) return set_converted(e, in, is_f64(x) ? x : to_f64(e, x));
  if (!is_f64(x)) return set_converted(e, in, x);
  if (in.type == Type::F32) {
    // .ftz looks at the exact value here, before it is rounded.
    Value* tiny = e.b.CreateFCmpOLT(fabs_of(e, x), e.real(x->getType(), 0x1p-126));
    Value* zero = e.intrinsic(llvm::Intrinsic::copysign, {e.real(x->getType(), 0.0), x});
    return set_converted(e, in, narrow(e, in.mods.ftz ? e.b.CreateSelect(tiny, zero, x) : x, in.mods.rounding));
  }
  // A NaN keeps its sign from f64 to a half, and from there on only its quiet bit.
  Value* sign = e.resize(e.b.CreateLShr(as_ints(e, x), e.constant(ints_like(x->getType()), 48)), 16, false);
  sign = e.b.CreateAnd(sign, e.constant(sign->getType(), 0x8000));
  Value* nan = e.b.CreateOr(sign, e.constant(sign->getType(), is_bf16(in.type) ? 0x7fc0 : 0x7e00));
  Value* f32 = narrow_to_odd(e, x);
  if (in.mods.sat && !in.mods.satfinite) return set_converted(e, in, f32);
  e.set(in, 0, e.b.CreateSelect(e.b.CreateFCmpUNO(x, x), nan, element_from_float(e, in, f32)), in.type);
}

// Width of cvt.pack's elements; those below 8 bits have no type of their own.
struct PackedElement {
  unsigned bits;
  bool is_signed;
};
static PackedElement packed_element(const Instruction& in) {
  for (const char* small : {".u2", ".s2", ".u4", ".s4"})
    if (in.mods.extra.find(small) != std::string::npos) return {static_cast<unsigned>(small[2] - '0'), small[1] == 's'};
  return {ir::bits(in.type), ir::is_signed(in.type)};
}

// cvt.pack.sat.<to>.s32 d, a, b{, c}: a above b at the bottom of d, what was at the bottom of c above them.
void lower_CvtPack(Emitter& e, const Instruction& in) {
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
