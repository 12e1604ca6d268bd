// Arithmetic and conversions with an explicit rounding mode: one PTX instruction each, never contracted or
// reassociated.
#ifndef DRYWARP_DEVICE_ARITHMETIC_H
#define DRYWARP_DEVICE_ARITHMETIC_H
#pragma GCC system_header

#include "drywarp/device/specifiers.h"

// CUDA's rd and ru are PTX's rm and rp.
#define DRYWARP_FOR_EACH_ROUNDING(macro) macro(rn, rn) macro(rz, rz) macro(rd, rm) macro(ru, rp)

#define DRYWARP_ARITHMETIC(cuda, ptx)                                                                                 \
  DRYWARP_DEVICE float __fadd_##cuda(float a, float b) { return DRYWARP_FLOAT_BUILTIN(add_##ptx)(a, b); }             \
  DRYWARP_DEVICE float __fsub_##cuda(float a, float b) {                                                              \
    float r;                                                                                                          \
    asm("sub." #ptx DRYWARP_FTZ ".f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));                                       \
    return r;                                                                                                         \
  }                                                                                                                   \
  DRYWARP_DEVICE float __fmul_##cuda(float a, float b) { return DRYWARP_FLOAT_BUILTIN(mul_##ptx)(a, b); }             \
  DRYWARP_DEVICE float __fmaf_##cuda(float a, float b, float c) { return DRYWARP_FLOAT_BUILTIN(fma_##ptx)(a, b, c); } \
  DRYWARP_DEVICE float __fmaf_ieee_##cuda(float a, float b, float c) { return __nvvm_fma_##ptx##_f(a, b, c); }        \
  DRYWARP_DEVICE float __fdiv_##cuda(float a, float b) { return DRYWARP_FLOAT_BUILTIN(div_##ptx)(a, b); }             \
  DRYWARP_DEVICE float __frcp_##cuda(float a) { return DRYWARP_FLOAT_BUILTIN(rcp_##ptx)(a); }                         \
  DRYWARP_DEVICE float __fsqrt_##cuda(float a) { return DRYWARP_FLOAT_BUILTIN(sqrt_##ptx)(a); }                       \
  DRYWARP_DEVICE double __dadd_##cuda(double a, double b) { return __nvvm_add_##ptx##_d(a, b); }                      \
  DRYWARP_DEVICE double __dsub_##cuda(double a, double b) {                                                           \
    double r;                                                                                                         \
    asm("sub." #ptx ".f64 %0, %1, %2;" : "=d"(r) : "d"(a), "d"(b));                                                   \
    return r;                                                                                                         \
  }                                                                                                                   \
  DRYWARP_DEVICE double __dmul_##cuda(double a, double b) { return __nvvm_mul_##ptx##_d(a, b); }                      \
  DRYWARP_DEVICE double __fma_##cuda(double a, double b, double c) { return __nvvm_fma_##ptx##_d(a, b, c); }          \
  DRYWARP_DEVICE double __ddiv_##cuda(double a, double b) { return __nvvm_div_##ptx##_d(a, b); }                      \
  DRYWARP_DEVICE double __drcp_##cuda(double a) { return __nvvm_rcp_##ptx##_d(a); }                                   \
  DRYWARP_DEVICE double __dsqrt_##cuda(double a) { return __nvvm_sqrt_##ptx##_d(a); }
DRYWARP_FOR_EACH_ROUNDING(DRYWARP_ARITHMETIC)
#undef DRYWARP_ARITHMETIC

// Conversions use asm. LLVM's builtins from integers always round to nearest, whatever their names say. Its builtins to
// integers become casts that are undefined for NaN and out-of-range values, where the instruction saturates.
#define DRYWARP_CONVERT(name, result, result_constraint, from, from_constraint, instruction) \
  DRYWARP_DEVICE result name(from a) {                                                       \
    result r;                                                                                \
    asm(instruction " %0, %1;" : "=" result_constraint(r) : from_constraint(a));             \
    return r;                                                                                \
  }
#define DRYWARP_CONVERSIONS(cuda, ptx)                                                                             \
  DRYWARP_CONVERT(__float2int_##cuda, int, "r", float, "f", "cvt." #ptx "i" DRYWARP_FTZ ".s32.f32")                \
  DRYWARP_CONVERT(__double2int_##cuda, int, "r", double, "d", "cvt." #ptx "i.s32.f64")                             \
  DRYWARP_CONVERT(__int2float_##cuda, float, "f", int, "r", "cvt." #ptx ".f32.s32")                                \
  DRYWARP_CONVERT(__float2uint_##cuda, unsigned, "r", float, "f", "cvt." #ptx "i" DRYWARP_FTZ ".u32.f32")          \
  DRYWARP_CONVERT(__double2uint_##cuda, unsigned, "r", double, "d", "cvt." #ptx "i.u32.f64")                       \
  DRYWARP_CONVERT(__uint2float_##cuda, float, "f", unsigned, "r", "cvt." #ptx ".f32.u32")                          \
  DRYWARP_CONVERT(__float2ll_##cuda, long long, "l", float, "f", "cvt." #ptx "i" DRYWARP_FTZ ".s64.f32")           \
  DRYWARP_CONVERT(__double2ll_##cuda, long long, "l", double, "d", "cvt." #ptx "i.s64.f64")                        \
  DRYWARP_CONVERT(__ll2float_##cuda, float, "f", long long, "l", "cvt." #ptx ".f32.s64")                           \
  DRYWARP_CONVERT(__ll2double_##cuda, double, "d", long long, "l", "cvt." #ptx ".f64.s64")                         \
  DRYWARP_CONVERT(__float2ull_##cuda, unsigned long long, "l", float, "f", "cvt." #ptx "i" DRYWARP_FTZ ".u64.f32") \
  DRYWARP_CONVERT(__double2ull_##cuda, unsigned long long, "l", double, "d", "cvt." #ptx "i.u64.f64")              \
  DRYWARP_CONVERT(__ull2float_##cuda, float, "f", unsigned long long, "l", "cvt." #ptx ".f32.u64")                 \
  DRYWARP_CONVERT(__ull2double_##cuda, double, "d", unsigned long long, "l", "cvt." #ptx ".f64.u64")               \
  DRYWARP_DEVICE float __double2float_##cuda(double a) { return DRYWARP_FROM_FLOAT_BUILTIN(d2f_##ptx)(a); }
DRYWARP_FOR_EACH_ROUNDING(DRYWARP_CONVERSIONS)
#undef DRYWARP_CONVERSIONS
#undef DRYWARP_CONVERT
#undef DRYWARP_FOR_EACH_ROUNDING

DRYWARP_DEVICE double __int2double_rn(int a) { return a; }
DRYWARP_DEVICE double __uint2double_rn(unsigned a) { return a; }

// The approximation and one step of Householder's third-order iteration. With the residual 1 - x y^2 in twice single
// precision, the result is correctly rounded for any y within one unit. Subnormals are scaled up first.
DRYWARP_DEVICE float __frsqrt_rn(float a) {
  const bool small = a < 1.17549435e-38f;
  const float x = small ? __fmul_rn(a, 16777216.0f) : a;
  const float y = DRYWARP_FLOAT_BUILTIN(rsqrt_approx)(x);
  if (!(x > 0.0f && x < __builtin_inff())) return y;
  const float product = __fmul_rn(x, y), lost = __fmaf_rn(x, y, -product);
  const float e = __fmaf_rn(-lost, y, __fmaf_rn(-product, y, 1.0f));
  const float r = __fmaf_rn(y, __fmaf_rn(__fmul_rn(e, 0.375f), e, __fmul_rn(e, 0.5f)), y);
  return small ? __fmul_rn(r, 4096.0f) : r;
}

// Fast functions: the approximate instructions, with the errors that the PTX manual states.
DRYWARP_DEVICE float __saturatef(float a) { return DRYWARP_FLOAT_BUILTIN(saturate)(a); }
DRYWARP_DEVICE float __fdividef(float a, float b) { return DRYWARP_FLOAT_BUILTIN(div_approx)(a, b); }
DRYWARP_DEVICE double __fdivide(double a, double b) { return a / b; }
DRYWARP_DEVICE float __sinf(float a) { return DRYWARP_FLOAT_BUILTIN(sin_approx)(a); }
DRYWARP_DEVICE float __cosf(float a) { return DRYWARP_FLOAT_BUILTIN(cos_approx)(a); }
DRYWARP_DEVICE float __tanf(float a) { return __fdividef(__sinf(a), __cosf(a)); }
DRYWARP_DEVICE void __sincosf(float a, float* s, float* c) {
  *s = __sinf(a);
  *c = __cosf(a);
}
DRYWARP_DEVICE float __log2f(float a) { return DRYWARP_FLOAT_BUILTIN(lg2_approx)(a); }
DRYWARP_DEVICE float __logf(float a) { return __fmul_rn(__log2f(a), 0.693147182f); }
DRYWARP_DEVICE float __log10f(float a) { return __fmul_rn(__log2f(a), 0.301029999f); }
DRYWARP_DEVICE float __expf(float a) { return DRYWARP_FLOAT_BUILTIN(ex2_approx)(__fmul_rn(a, 1.44269502f)); }
DRYWARP_DEVICE float __exp10f(float a) { return DRYWARP_FLOAT_BUILTIN(ex2_approx)(__fmul_rn(a, 3.32192802f)); }
DRYWARP_DEVICE float __powf(float a, float b) { return DRYWARP_FLOAT_BUILTIN(ex2_approx)(__fmul_rn(b, __log2f(a))); }
// a * b + c clamped to [0, 1].
DRYWARP_DEVICE float __drywarp_fma_saturated(float a, float b, float c) {
  float r;
  asm("fma.rn.sat" DRYWARP_FTZ ".f32 %0, %1, %2, %3;" : "=f"(r) : "f"(a), "f"(b), "f"(c));
  return r;
}
DRYWARP_DEVICE float __tanh_approx(float a) {
  float r;
  asm("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(a));
  return r;
}

#endif
