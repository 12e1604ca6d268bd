// Half and bfloat16: conversions, arithmetic, packed pairs, atomics.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "check.h"

// Round to nearest even to a format with `mantissa` bits and the least normal exponent `min_exponent`.
float round_to(float v, int mantissa, int min_exponent, float largest) {
  if (v != v || std::isinf(v) || v == 0) return v;
  int exponent;
  std::frexp(v, &exponent);
  const int last = std::max(exponent - 1, min_exponent) - mantissa;
  const double scaled = std::nearbyint(std::ldexp(static_cast<double>(v), -last));
  const double r = std::ldexp(scaled, last);
  if (std::fabs(r) > largest) return std::copysign(INFINITY, v);
  return static_cast<float>(r);
}
float to_half(float v) { return round_to(v, 10, -14, 65504.f); }
float to_bf16(float v) { return round_to(v, 7, -126, 3.3895314e38f); }

// x + y as a float rounded to odd: a last bit of 1 stands for every lost digit, so a second rounding is correct.
double odd(double v, double lost) {
  unsigned long long bits;
  std::memcpy(&bits, &v, 8);
  return lost == 0 || v == 0 || bits & 1 ? v : std::nextafter(v, lost > 0 ? INFINITY : -INFINITY);
}
float add_to_odd(double x, double y) {
  const double sum = x + y, part = sum - x;
  const double exact = odd(sum, (x - (sum - part)) + (y - part));
  float f = static_cast<float>(exact);
  if (std::isinf(f) || static_cast<double>(f) == exact) return f;
  if (std::fabs(static_cast<double>(f)) > std::fabs(exact)) f = std::nextafter(f, 0.f);
  unsigned bits;
  std::memcpy(&bits, &f, 4);
  bits |= 1;
  std::memcpy(&f, &bits, 4);
  return f;
}

constexpr int kN = 512;
std::vector<float> inputs() {
  std::vector<float> in(kN);
  for (int i = 0; i < kN; ++i) in[i] = std::ldexp(1.f + i * 0.0137f, i % 48 - 28) * (i % 3 ? 1 : -1);
  in[0] = 0.f, in[1] = 65504.f, in[2] = 65519.f, in[3] = 65520.f, in[4] = 2049.f, in[5] = 2051.f, in[6] = 5.9e-8f, in[7] = 2.9e-8f;
  return in;
}

template <typename H>
__global__ void round_trip(float* out, const float* in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = static_cast<float>(static_cast<H>(in[i]));
}

__global__ void half_math(float* out, const float* in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __half a = __float2half(in[i]), b = __float2half(in[(i * 7 + 3) % kN]);
  float* o = out + i * 8;
  o[0] = __half2float(__hadd(a, b));
  o[1] = __half2float(a - b);
  o[2] = __half2float(__hmul(a, b));
  o[3] = __half2float(__hfma(a, b, a));
  o[4] = __hlt(a, b) ? 1.f : 0.f;
  o[5] = __half2float(__hneg(a));
  o[6] = __half2float(__hmax(a, b));
  o[7] = __half2float(hsqrt(__habs(a)));
}
__global__ void half2_math(float* out, const float* in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __half2 a = __floats2half2_rn(in[i], in[(i + 1) % kN]), b = __float2half2_rn(0.75f);
  float2 r = __half22float2(__hfma2(a, b, __hadd2(a, a)));
  out[2 * i] = r.x, out[2 * i + 1] = r.y;
}
__global__ void bf16_math(float* out, const float* in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __nv_bfloat16 a = __float2bfloat16(in[i]), b = __float2bfloat16(in[(i * 7 + 3) % kN]);
  float* o = out + i * 3;
  o[0] = __bfloat162float(__hadd(a, b));
  o[1] = __bfloat162float(__hmul(a, b));
  o[2] = __bfloat162float(__hfma(a, b, b));
}
__global__ void half_atomics(__half* sum, __half2* pair) {
  atomicAdd(sum, __float2half(0.5f));
  atomicAdd(pair, __floats2half2_rn(1.f, -0.25f));
}
__global__ void half_integers(int* out) {
  int i = threadIdx.x;
  __half h = __int2half_rn(i * 37 - 900);
  out[2 * i] = __half2int_rz(__hmul(h, __float2half(0.5f)));
  out[2 * i + 1] = __half_as_ushort(h);
}

// Casts and conversions to integers: out of range saturates, NaN is 0 or, in 64 bits, the sign bit.
constexpr int kIntegers = 8;
template <typename T>
__host__ __device__ void to_integers(T v, long long* out) {
  out[0] = static_cast<signed char>(v), out[1] = static_cast<unsigned char>(v);
  out[2] = static_cast<short>(v), out[3] = static_cast<unsigned short>(v);
  out[4] = static_cast<int>(v), out[5] = static_cast<unsigned>(v);
  out[6] = static_cast<long long>(v), out[7] = static_cast<long long>(static_cast<unsigned long long>(v));
}
template <typename T>
__global__ void casts(const float* in, long long* out) {
  to_integers(T(in[threadIdx.x]), out + threadIdx.x * kIntegers);
}
template <typename T>
void test_casts() {
  const std::vector<float> in = {NAN,  INFINITY, -INFINITY, 0.f,    -0.75f, 1.5f,
                                 -3.f, 127.f,    200.f,     -200.f, 4096.f, -60000.f};
  const double low[] = {-128, 0, -32768, 0, -2147483648., 0, -9223372036854775808., 0},
               high[] = {127, 255, 32767, 65535, 2147483647., 4294967295., 9223372036854775808., 18446744073709551616.};
  Buffer<float> values(in);
  Buffer<long long> out(in.size() * kIntegers);
  casts<T><<<1, static_cast<unsigned>(in.size())>>>(values, out);
  CK_LAUNCH();
  const std::vector<long long> got = out.get();
  for (size_t i = 0; i < in.size(); ++i) {
    long long host[kIntegers];
    to_integers(T(in[i]), host);
    for (int k = 0; k < kIntegers; ++k) {
      const double v = std::trunc(static_cast<double>(static_cast<float>(T(in[i]))));
      long long want = std::isnan(v)  ? (k < 6 ? 0 : INT64_MIN)
                       : v >= high[k] ? (k == 7   ? -1
                                         : k == 6 ? INT64_MAX
                                                  : static_cast<long long>(high[k]))
                       : v <= low[k]  ? static_cast<long long>(low[k])
                                      : static_cast<long long>(v);
      EXPECT(got[i * kIntegers + k] == want);
      EXPECT(host[k] == want);
    }
  }
}

void expect_near_same(const char* what, const std::vector<float>& got, const std::vector<float>& want) {
  std::vector<float> a = got, b = want;
  for (float& v : a) v = v != v ? NAN : v;
  for (float& v : b) v = v != v ? NAN : v;
  expect_same(what, a, b);
}

int main() {
  const std::vector<float> in = inputs();
  Buffer<float> device_in(in);
  {
    Buffer<float> out(kN);
    std::vector<float> want(kN);
    round_trip<__half><<<4, 128>>>(out.data(), device_in.data());
    CK_LAUNCH();
    for (int i = 0; i < kN; ++i) want[i] = to_half(in[i]);
    expect_same("half round trip", out.get(), want);
    round_trip<__nv_bfloat16><<<4, 128>>>(out.data(), device_in.data());
    CK_LAUNCH();
    for (int i = 0; i < kN; ++i) want[i] = to_bf16(in[i]);
    expect_same("bfloat16 round trip", out.get(), want);
  }
  {
    Buffer<float> out(kN * 8);
    half_math<<<4, 128>>>(out, device_in);
    CK_LAUNCH();
    std::vector<float> want;
    for (int i = 0; i < kN; ++i) {
      const float a = to_half(in[i]), b = to_half(in[(i * 7 + 3) % kN]);
      const float r[] = {to_half(a + b), to_half(a - b), to_half(a * b), to_half(add_to_odd(static_cast<double>(a) * b, a)), a < b ? 1.f : 0.f, -a,
                         a > b ? a : b, to_half(std::sqrt(std::fabs(a)))};
      want.insert(want.end(), r, r + 8);
    }
    expect_near_same("half", out.get(), want);
  }
  {
    Buffer<float> out(kN * 2);
    half2_math<<<4, 128>>>(out, device_in);
    CK_LAUNCH();
    std::vector<float> want;
    for (int i = 0; i < kN; ++i)
      for (int k : {i, (i + 1) % kN}) {
        const float a = to_half(in[k]);
        want.push_back(to_half(add_to_odd(static_cast<double>(a) * 0.75, to_half(a + a))));
      }
    expect_near_same("half2", out.get(), want);
  }
  {
    Buffer<float> out(kN * 3);
    bf16_math<<<4, 128>>>(out, device_in);
    CK_LAUNCH();
    std::vector<float> want;
    for (int i = 0; i < kN; ++i) {
      const float a = to_bf16(in[i]), b = to_bf16(in[(i * 7 + 3) % kN]);
      want.push_back(to_bf16(add_to_odd(a, b)));
      want.push_back(to_bf16(a * b));
      want.push_back(to_bf16(add_to_odd(static_cast<double>(a) * b, b)));
    }
    expect_near_same("bfloat16", out.get(), want);
  }
  {
    Buffer<__half> sum(1);
    Buffer<__half2> pair(1);
    half_atomics<<<2, 64>>>(sum, pair);
    CK_LAUNCH();
    EXPECT(__half2float(sum.get()[0]) == 64.f);
    EXPECT(__low2float(pair.get()[0]) == 128.f && __high2float(pair.get()[0]) == -32.f);
  }
  {
    Buffer<int> out(100);
    half_integers<<<1, 50>>>(out);
    CK_LAUNCH();
    const std::vector<int> got = out.get();
    for (int i = 0; i < 50; ++i) {
      const int v = i * 37 - 900;
      EXPECT(got[2 * i] == static_cast<int>(v * 0.5));
      EXPECT(got[2 * i + 1] == __half_as_ushort(__float2half(static_cast<float>(v))));
    }
  }
  test_casts<__half>();
  test_casts<__nv_bfloat16>();
  return finish();
}
