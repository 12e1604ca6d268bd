// Floating point where PTX promises exact results: rounding modes, fma, division, roots, conversions, NaNs, denormals.
#include <cfenv>
#include <cfloat>
#include <climits>
#include <cmath>

#include "check.h"

const float kFloats[] = {0.f, -0.f, 1.f, -1.f, 1.5f, 2.5f, -2.5f, 0.1f, 1.f / 3, 16777216.f, 16777217.f * 3, 1e-38f, 1e-45f, -1e-40f,
                         FLT_MAX, -FLT_MAX, INFINITY, -INFINITY, NAN, 2147483647.f, 2147483648.f, -2147483648.f, -2147483904.f,
                         4294967296.f, 9.2233720e18f, 1.8446744e19f, 0.49999997f, 255.5f, -128.5f, 65504.f, 65520.f, 6e-8f};
constexpr int kN = sizeof kFloats / sizeof kFloats[0];

__global__ void arithmetic(float* out, const float* in, int n) {
  int i = threadIdx.x, j = blockIdx.x;
  float a = in[i], b = in[j];
  float* o = out + (j * n + i) * 12;
  o[0] = __fadd_rn(a, b), o[1] = __fadd_rz(a, b), o[2] = __fadd_ru(a, b), o[3] = __fadd_rd(a, b);
  o[4] = __fmul_rn(a, b), o[5] = __fmul_rz(a, b), o[6] = __fmul_ru(a, b), o[7] = __fmul_rd(a, b);
  o[8] = __fdiv_rn(a, b);
  o[9] = __fmaf_rn(a, b, a);
  o[10] = fminf(a, b);
  o[11] = fmaxf(a, b);
}
__global__ void arithmetic_double(double* out, const float* in, int n) {
  int i = threadIdx.x, j = blockIdx.x;
  double a = in[i] * 1.1, b = in[j] * 0.7;
  double* o = out + (j * n + i) * 6;
  o[0] = __dadd_rn(a, b), o[1] = __dadd_ru(a, b), o[2] = __dmul_rd(a, b), o[3] = __ddiv_rn(a, b);
  o[4] = __fma_rn(a, b, b), o[5] = fmin(a, b);
}

// NaNs have many encodings, which all count as equal.
template <typename T>
std::vector<T> canonical(std::vector<T> v) {
  for (T& x : v)
    if (x != x) x = static_cast<T>(NAN);
  return v;
}
template <typename F>
auto rounded(int mode, F f) {
  std::fesetround(mode);
  auto r = f();
  std::fesetround(FE_TONEAREST);
  return r;
}

__global__ void unary(float* out, const float* in) {
  int i = threadIdx.x;
  float a = in[i];
  float* o = out + i * 14;
  o[0] = sqrtf(a), o[1] = __fsqrt_rn(a), o[2] = floorf(a), o[3] = ceilf(a), o[4] = truncf(a), o[5] = rintf(a), o[6] = fabsf(a);
  o[7] = -a, o[8] = __saturatef(a), o[9] = copysignf(2.f, a), o[10] = __frcp_rn(a), o[11] = roundf(a);
  o[12] = static_cast<float>(static_cast<double>(a) * 1.0000001);
  o[13] = isnan(a) * 1.f + isinf(a) * 2.f + signbit(a) * 0.f + isfinite(a) * 4.f;
}

constexpr int kConversions = 18;
__global__ void convert(long long* out, const float* in) {
  int i = threadIdx.x;
  float a = in[i];
  double d = a;
  long long* o = out + i * kConversions;
  o[0] = __float2int_rn(a), o[1] = __float2int_rz(a), o[2] = __float2int_ru(a), o[3] = __float2int_rd(a);
  o[4] = __float2uint_rz(a), o[5] = __float2uint_rn(a);
  o[6] = __float2ll_rz(a), o[7] = __float2ull_rz(a);
  o[8] = __double2int_rz(d), o[9] = __double2uint_rz(d), o[10] = __double2ll_rz(d), o[11] = __double2ull_rz(d);
  short s;
  unsigned short us;
  asm("cvt.rzi.s16.f32 %0, %1;" : "=h"(s) : "f"(a));
  asm("cvt.rzi.u16.f32 %0, %1;" : "=h"(us) : "f"(a));
  o[12] = s, o[13] = us;
  int s8;
  asm("cvt.rzi.s8.f32 %0, %1;" : "=r"(s8) : "f"(a));
  o[14] = static_cast<signed char>(s8);
  o[15] = __float_as_int(__int2float_rz(0x7fffffff - i)) * 1ll;
  o[16] = __float_as_int(__uint2float_ru(0xffffff00u + i)) * 1ll;
  o[17] = __float_as_int(__ll2float_rn((1ll << 62) + (1ll << 37) + i)) * 1ll;
}

// Saturating conversion as PTX defines it. NaN: 0, except from f64 or to 64 bits: the highest bit alone.
template <typename To>
long long saturate(double v, bool from_double) {
  if (v != v) return sizeof(To) == 8 || from_double ? static_cast<long long>(static_cast<To>(1ull << (sizeof(To) * 8 - 1))) : 0;
  const double lowest = std::is_signed<To>::value ? -std::ldexp(1.0, sizeof(To) * 8 - 1) : 0;
  const double beyond = std::ldexp(1.0, std::is_signed<To>::value ? sizeof(To) * 8 - 1 : sizeof(To) * 8);
  if (v <= lowest) return static_cast<long long>(std::is_signed<To>::value ? static_cast<To>(1ull << (sizeof(To) * 8 - 1)) : To(0));
  if (v >= beyond) return static_cast<long long>(std::is_signed<To>::value ? static_cast<To>((1ull << (sizeof(To) * 8 - 1)) - 1) : static_cast<To>(~0ull));
  return static_cast<long long>(static_cast<To>(v));
}

__global__ void flush(float* out, const float* in) {
  int i = threadIdx.x;
  float r;
  asm("add.ftz.f32 %0, %1, 0f00000000;" : "=f"(r) : "f"(in[i]));
  out[2 * i] = r;
  asm("mul.ftz.f32 %0, %1, 0f3F000000;" : "=f"(r) : "f"(in[i]));
  out[2 * i + 1] = r;
}

int main() {
  const std::vector<float> in(kFloats, kFloats + kN);
  Buffer<float> device_in(in);
  {
    Buffer<float> out(kN * kN * 12);
    arithmetic<<<kN, kN>>>(out, device_in, kN);
    CK_LAUNCH();
    std::vector<float> want;
    for (volatile float b : in)
      for (volatile float a : in) {
        for (int mode : {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD})
          want.push_back(rounded(mode, [&] { volatile float r = a + b; return float(r); }));
        for (int mode : {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD})
          want.push_back(rounded(mode, [&] { volatile float r = a * b; return float(r); }));
        want.push_back(a / b);
        want.push_back(std::fma(float(a), float(b), float(a)));
        // min and max: the number wins over a NaN; -0 is less than +0.
        const float x = a, y = b;
        const bool x_less = x < y || (x == y && std::signbit(x));
        want.push_back(x != x ? y : y != y ? x : x_less ? x : y);
        want.push_back(x != x ? y : y != y ? x : x_less ? y : x);
      }
    expect_same("arithmetic", canonical(out.get()), canonical(want));
  }
  {
    Buffer<double> out(kN * kN * 6);
    arithmetic_double<<<kN, kN>>>(out, device_in, kN);
    CK_LAUNCH();
    std::vector<double> want;
    for (float fb : in)
      for (float fa : in) {
        volatile double a = fa * 1.1, b = fb * 0.7;
        want.push_back(a + b);
        want.push_back(rounded(FE_UPWARD, [&] { volatile double r = a + b; return double(r); }));
        want.push_back(rounded(FE_DOWNWARD, [&] { volatile double r = a * b; return double(r); }));
        want.push_back(a / b);
        want.push_back(std::fma(double(a), double(b), double(b)));
        const double x = a, y = b;
        want.push_back(x != x ? y : y != y ? x : (x < y || (x == y && std::signbit(x))) ? x : y);
      }
    expect_same("arithmetic_double", canonical(out.get()), canonical(want));
  }
  {
    Buffer<float> out(kN * 14);
    unary<<<1, kN>>>(out, device_in);
    CK_LAUNCH();
    std::vector<float> want;
    for (float a : in) {
      const float r[] = {std::sqrt(a), std::sqrt(a), std::floor(a), std::ceil(a), std::trunc(a), std::rint(a), std::fabs(a), -a,
                         a != a ? 0.f : a > 1 ? 1.f : a > 0 ? a : 0.f, std::copysign(2.f, a), 1 / a, std::round(a),
                         static_cast<float>(static_cast<double>(a) * 1.0000001),
                         (a != a) * 1.f + (std::isinf(a) ? 2.f : 0.f) + (std::isfinite(a) ? 4.f : 0.f)};
      want.insert(want.end(), r, r + 14);
    }
    expect_same("unary", canonical(out.get()), canonical(want));
  }
  {
    Buffer<long long> out(kN * kConversions);
    convert<<<1, kN>>>(out, device_in);
    CK_LAUNCH();
    std::vector<long long> want;
    for (int i = 0; i < kN; ++i) {
      const double a = in[i];
      want.push_back(saturate<int>(std::rint(a), false));
      want.push_back(saturate<int>(std::trunc(a), false));
      want.push_back(saturate<int>(std::ceil(a), false));
      want.push_back(saturate<int>(std::floor(a), false));
      want.push_back(saturate<unsigned>(std::trunc(a), false));
      want.push_back(saturate<unsigned>(std::rint(a), false));
      want.push_back(saturate<long long>(std::trunc(a), false));
      want.push_back(saturate<unsigned long long>(std::trunc(a), false));
      want.push_back(saturate<int>(std::trunc(a), true));
      want.push_back(saturate<unsigned>(std::trunc(a), true));
      want.push_back(saturate<long long>(std::trunc(a), true));
      want.push_back(saturate<unsigned long long>(std::trunc(a), true));
      want.push_back(saturate<short>(std::trunc(a), false));
      want.push_back(saturate<unsigned short>(std::trunc(a), false));
      want.push_back(saturate<signed char>(std::trunc(a), false));
      const auto bits = [](float f) {
        int b;
        std::memcpy(&b, &f, 4);
        return static_cast<long long>(b);
      };
      volatile int v0 = 0x7fffffff - i;
      volatile unsigned v1 = 0xffffff00u + i;
      volatile long long v2 = (1ll << 62) + (1ll << 37) + i;
      want.push_back(bits(rounded(FE_TOWARDZERO, [&] { volatile float r = v0; return float(r); })));
      want.push_back(bits(rounded(FE_UPWARD, [&] { volatile float r = v1; return float(r); })));
      want.push_back(bits(static_cast<float>(v2)));
    }
    expect_same("convert (18 results a value)", out.get(), want);
  }
  {
    Buffer<float> out(kN * 2);
    flush<<<1, kN>>>(out, device_in);
    CK_LAUNCH();
    const auto ftz = [](float v) { return std::fabs(v) < FLT_MIN ? std::copysign(0.f, v) : v; };
    std::vector<float> want;
    for (float a : in) want.push_back(ftz(ftz(a) + 0.f)), want.push_back(ftz(ftz(a) * 0.5f));
    expect_same("flush", canonical(out.get()), canonical(want));
  }
  return finish();
}
