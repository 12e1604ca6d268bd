// The special-function unit: rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh. Inner loops use them, so they are emitted as
// polynomials. tests/engine/jit/special_test.cpp holds their errors to PTX's bounds: sin, cos 2^-20.5 absolute in
// [-2 pi, 2 pi]; lg2 2^-22; ex2 2^-22 relative; tanh 2^-11 relative; rsqrt 2^-22.9; rcp, sqrt one unit.
#include <cmath>

#include "engine/jit/families/shared.h"

namespace drywarp::jit {

void real_rcp(Emitter&, const Instruction&);
void real_sqrt(Emitter&, const Instruction&);

namespace {

// One step of a polynomial: fused if the host has FMA, else with two roundings, which stay within the bounds.
Value* mul_add(Emitter& e, Value* a, Value* b, Value* c) {
  if (e.vector_bits() >= 256) return e.intrinsic(llvm::Intrinsic::fma, {a, b, c});
  return e.b.CreateFAdd(e.b.CreateFMul(a, b), c);
}

// c[0] + x (c[1] + x (...))
Value* polynomial(Emitter& e, Value* x, std::initializer_list<float> coefficients) {
  Value* sum = nullptr;
  for (auto c = std::rbegin(coefficients); c != std::rend(coefficients); ++c) {
    Value* k = e.real(x->getType(), *c);
    sum = sum ? mul_add(e, sum, x, k) : k;
  }
  return sum;
}

// Adding 1.5 * 2^23 rounds to an integer, which is in the low bits of the sum.
constexpr double kRounder = 0x1.8p23;

// x / 2 pi, rounded towards zero like the hardware's multiplication before its sine unit.
Value* turns_of(Emitter& e, Value* x) {
  Value* factor = e.real(x->getType(), 0x1.45f306p-3);
  if (e.vector_bits() < 256) return narrow(e, e.b.CreateFMul(to_f64(e, x), to_f64(e, factor)), ir::Rounding::Rz);
  Value* turns = e.b.CreateFMul(x, factor);
  Value* size = fabs_of(e, turns);
  Value* lost = e.intrinsic(llvm::Intrinsic::fma, {fabs_of(e, x), factor, e.b.CreateFNeg(size)});
  Value* too_big = e.b.CreateFCmpOLT(lost, e.real(x->getType(), 0));
  return round_directed(e, turns, too_big, nullptr, ir::Rounding::Rz);
}

// The hardware's unit takes the angle in turns, truncated to 25 fraction bits: two for the quadrant, 23 for the
// position in it. In the second and fourth quadrant it inverts the 23 bits, so cos is exactly 0 one position before a
// quarter turn. A polynomial replaces its table. Angles too large to have a fraction are whole turns; an infinity gives
// a NaN.
Value* sine(Emitter& e, Value* x, bool cosine) {
  auto& ir = e.b;
  llvm::Type* type = x->getType();
  llvm::Type* ints = ints_like(type);
  auto c = [&](double v) { return e.real(type, v); };
  auto i = [&](uint64_t v) { return e.constant(ints, v); };
  Value* turns = fabs_of(e, turns_of(e, x));
  Value* fraction = ir.CreateFSub(turns, e.intrinsic(llvm::Intrinsic::floor, {turns}));
  Value* places = ir.CreateFPToSI(ir.CreateFMul(fraction, c(0x1p25)), ints);
  if (cosine) places = ir.CreateAdd(places, i(1u << 23));
  Value* backwards = ir.CreateAShr(ir.CreateShl(places, i(8)), i(31));
  Value* place = ir.CreateAnd(ir.CreateXor(places, backwards), i((1u << 23) - 1));
  Value* r = ir.CreateFMul(ir.CreateSIToFP(place, type), c(2 * M_PI * 0x1p-25));
  // Fitted to [0, pi/2], and 1 at its end.
  Value* square = ir.CreateFMul(r, r);
  Value* p = polynomial(e, square, {-0x1.555548p-3f, 0x1.110e74p-7f, -0x1.9f6180p-13f, 0x1.5d0c72p-19f});
  Value* s = mul_add(e, ir.CreateFMul(r, square), p, r);
  // Rounding must not carry the result past one.
  s = ir.CreateSelect(ir.CreateFCmpOGT(s, c(1)), c(1), s);
  Value* sign = ir.CreateShl(places, i(7));
  if (!cosine) sign = ir.CreateXor(sign, as_ints(e, x));
  s = ir.CreateBitCast(ir.CreateXor(as_ints(e, s), ir.CreateAnd(sign, i(0x80000000u))), type);
  return ir.CreateSelect(ir.CreateFCmpOLT(fabs_of(e, x), c(HUGE_VAL)), s, e.constant(type, 0x7fffffff));
}

// The exponent plus a polynomial in the significand. The significand is in [sqrt(1/2), sqrt(2)), so log 1 is exactly 0.
Value* log2_of(Emitter& e, Value* x) {
  auto& ir = e.b;
  llvm::Type* type = x->getType();
  llvm::Type* ints = ints_like(type);
  auto c = [&](double v) { return e.real(type, v); };
  Value* tiny = ir.CreateFCmpOLT(x, c(0x1p-126));
  Value* normal = ir.CreateSelect(tiny, ir.CreateFMul(x, c(0x1p23)), x);
  Value* bits = as_ints(e, normal);
  Value* offset = ir.CreateSub(bits, e.constant(ints, 0x3f3504f3));
  Value* exponent = ir.CreateAShr(offset, e.constant(ints, 23));
  Value* significand = ir.CreateSub(bits, ir.CreateShl(exponent, e.constant(ints, 23)));
  Value* f = ir.CreateFSub(ir.CreateBitCast(significand, type), c(1));
  Value* p = polynomial(e, f,
                        {0x1.715476p+0f, -0x1.715474p-1f, 0x1.ec73dep-2f, -0x1.715994p-2f, 0x1.26d01cp-2f,
                         -0x1.e9d1e2p-3f, 0x1.ba8740p-3f, -0x1.a59b0cp-3f, 0x1.f84206p-4f});
  Value* whole = ir.CreateFSub(ir.CreateSIToFP(exponent, type), ir.CreateSelect(tiny, c(23), c(0)));
  Value* result = mul_add(e, f, p, whole);
  result = ir.CreateSelect(ir.CreateFCmpOEQ(x, c(HUGE_VAL)), x, result);
  result = ir.CreateSelect(ir.CreateFCmpOEQ(x, c(0)), c(-HUGE_VAL), result);
  return ir.CreateSelect(ir.CreateFCmpULT(x, c(0)), e.constant(type, 0x7fffffff), result);
}

// 2^n as the exponent, times a polynomial for 2^f. Two factors 2^(n/2) round a subnormal result once. With .ftz one
// factor is enough.
Value* exp2_of(Emitter& e, Value* x, bool flush) {
  auto& ir = e.b;
  llvm::Type* type = x->getType();
  llvm::Type* ints = ints_like(type);
  auto c = [&](double v) { return e.real(type, v); };
  auto i = [&](uint64_t v) { return e.constant(ints, v); };
  double least = flush ? -126 : -151;
  Value* clamped = ir.CreateSelect(ir.CreateFCmpOGT(x, c(least)), x, c(least));
  clamped = ir.CreateSelect(ir.CreateFCmpOLT(clamped, c(128)), clamped, c(128));
  Value* rounded = ir.CreateFAdd(clamped, c(kRounder));
  Value* n = ir.CreateSub(as_ints(e, rounded), i(0x4b400000));
  Value* f = ir.CreateFSub(clamped, ir.CreateFSub(rounded, c(kRounder)));
  Value* p = polynomial(
      e, f, {1.0f, 0x1.62e430p-1f, 0x1.ebfbe0p-3f, 0x1.c6aeccp-5f, 0x1.3b2a1cp-7f, 0x1.5f48c0p-10f, 0x1.444000p-13f});
  Value* result;
  if (flush) {
    result = ir.CreateBitCast(ir.CreateAdd(as_ints(e, p), ir.CreateShl(n, i(23))), type);
    result = ir.CreateSelect(ir.CreateFCmpOLT(x, c(-126)), c(0), result);
  } else {
    auto power = [&](Value* m) { return ir.CreateBitCast(ir.CreateShl(ir.CreateAdd(m, i(127)), i(23)), type); };
    Value* half = ir.CreateAShr(n, i(1));
    result = ir.CreateFMul(ir.CreateFMul(p, power(half)), power(ir.CreateSub(n, half)));
  }
  result = ir.CreateSelect(ir.CreateFCmpOGE(x, c(128)), c(HUGE_VAL), result);
  return ir.CreateSelect(ir.CreateFCmpUNO(x, x), e.constant(type, 0x7fffffff), result);
}

// A rational approximation of degree 13/6 with an error of a few units. Below 4e-4 tanh x is x.
Value* tanh_of(Emitter& e, Value* x) {
  auto& ir = e.b;
  llvm::Type* type = x->getType();
  auto c = [&](double v) { return e.real(type, v); };
  Value* a = ir.CreateSelect(ir.CreateFCmpOLT(x, c(7.9)), x, c(7.9));
  a = ir.CreateSelect(ir.CreateFCmpOGT(a, c(-7.9)), a, c(-7.9));
  Value* z = ir.CreateFMul(a, a);
  Value* p = polynomial(e, z,
                        {4.89352455891786e-03f, 6.37261928875436e-04f, 1.48572235717979e-05f, 5.12229709037114e-08f,
                         -8.60467152213735e-11f, 2.00018790482477e-13f, -2.76076847742355e-16f});
  Value* q =
      polynomial(e, z, {4.89352518554385e-03f, 2.26843463243900e-03f, 1.18534705686654e-04f, 1.19825839466702e-06f});
  Value* result = ir.CreateFDiv(ir.CreateFMul(a, p), q);
  result = ir.CreateSelect(ir.CreateFCmpOLT(fabs_of(e, x), c(4e-4)), x, result);
  Value* one = e.intrinsic(llvm::Intrinsic::copysign, {c(1), x});
  result = ir.CreateSelect(ir.CreateFCmpOGT(fabs_of(e, x), c(7.9)), one, result);
  return ir.CreateSelect(ir.CreateFCmpUNO(x, x), e.constant(type, 0x7fffffff), result);
}

// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 read and write only the upper 32 bits of a double.
Value* emit_upper_half(Emitter& e, Value* f64) {
  Value* bits = as_ints(e, f64);
  return e.b.CreateBitCast(e.b.CreateAnd(bits, e.constant(bits->getType(), 0xffffffff00000000u)), f64->getType());
}
Value* flush_f64(Emitter& e, Value* f64) {
  Value* bits = as_ints(e, f64);
  Value* tiny = e.b.CreateFCmpOLT(fabs_of(e, f64), e.real(f64->getType(), 0x1p-1022));
  Value* zero = e.b.CreateAnd(bits, e.constant(bits->getType(), 0x8000000000000000u));
  return e.b.CreateBitCast(e.b.CreateSelect(tiny, zero, bits), f64->getType());
}

template <class F>
void coarse_f64(Emitter& e, const Instruction& in, F f) {
  Value* x = flush_f64(e, emit_upper_half(e, e.operand(in, 0, in.type)));
  e.set(in, 0, flush_f64(e, emit_upper_half(e, f(x))), in.type);
}

Value* reciprocal(Emitter& e, Value* x) { return e.b.CreateFDiv(e.real(x->getType(), 1.0), x); }
Value* reciprocal_root(Emitter& e, Value* x) { return reciprocal(e, e.intrinsic(llvm::Intrinsic::sqrt, {x})); }

bool is_coarse(const Instruction& in) { return in.type == Type::F64 && in.mods.approx && in.mods.ftz; }

}  // namespace

void emit_Rcp(Emitter& e, const Instruction& in) {
  if (is_coarse(in)) return coarse_f64(e, in, [&](Value* x) { return reciprocal(e, x); });
  real_rcp(e, in);
}

void emit_Sqrt(Emitter& e, const Instruction& in) { real_sqrt(e, in); }

void emit_Rsqrt(Emitter& e, const Instruction& in) {
  if (is_coarse(in)) return coarse_f64(e, in, [&](Value* x) { return reciprocal_root(e, x); });
  if (in.type == Type::F64) return e.set(in, 0, reciprocal_root(e, e.operand(in, 0, in.type)), in.type);
  set_real(e, in, reciprocal_root(e, real_operand(e, in, 0)));
}

void emit_Sin(Emitter& e, const Instruction& in) { set_real(e, in, sine(e, real_operand(e, in, 0), false)); }
void emit_Cos(Emitter& e, const Instruction& in) { set_real(e, in, sine(e, real_operand(e, in, 0), true)); }
void emit_Lg2(Emitter& e, const Instruction& in) { set_real(e, in, log2_of(e, real_operand(e, in, 0))); }

void emit_Ex2(Emitter& e, const Instruction& in) {
  if (is_half(in.type)) return set_half(e, in, exp2_of(e, half_operand(e, in, 0), false));
  // exp2_of flushes the result. Flushing the argument would change nothing: 2^0 either way.
  Value* x = e.operand(in, 0, in.type);
  e.set(in, 0, exp2_of(e, x, in.mods.ftz), in.type);
}

void emit_Tanh(Emitter& e, const Instruction& in) {
  if (is_half(in.type)) return set_half(e, in, tanh_of(e, half_operand(e, in, 0)));
  e.set(in, 0, tanh_of(e, e.operand(in, 0, in.type)), in.type);
}

}  // namespace drywarp::jit
