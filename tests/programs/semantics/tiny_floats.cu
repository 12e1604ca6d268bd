// Floating point of 4 and 6 bits, and scales: every code converted there and back, and every rounding to them, on the
// device and on the host, against a search through the values of the formats.
#include <cuda_fp4.h>
#include <cuda_fp6.h>

#include <cmath>

#include "check.h"

struct Format {
  int exponent_bits, mantissa_bits;
  unsigned sign() const { return 1u << (exponent_bits + mantissa_bits); }
  double value(unsigned code) const {
    const int field = int(code & (sign() - 1)) >> mantissa_bits, mantissa = int(code & ((1u << mantissa_bits) - 1));
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const double size = field ? std::ldexp(1 + std::ldexp(mantissa, -mantissa_bits), field - bias)
                              : std::ldexp(mantissa, 1 - bias - mantissa_bits);
    return code & sign() ? -size : size;
  }
  unsigned nearest(double v) const {
    const unsigned last = sign() - 1;
    if (std::isnan(v)) return last;
    unsigned best = 0;
    for (unsigned code = 1; code <= last; ++code) {
      const double off = std::fabs(value(code) - std::fabs(v)), before = std::fabs(value(best) - std::fabs(v));
      if (off < before || (off == before && code % 2 == 0)) best = code;
    }
    if (std::fabs(v) >= value(last)) best = last;  // too far away for the difference to tell
    return best | (std::signbit(v) ? sign() : 0);
  }
};
const Format e2m1{2, 1}, e2m3{2, 3}, e3m2{3, 2};

constexpr int kWays = 7;
__host__ __device__ void all_ways(float f, unsigned* out) {
  out[0] = __nv_cvt_float_to_fp4(f, __NV_E2M1, cudaRoundNearest);
  out[1] = __nv_cvt_float_to_fp6(f, __NV_E2M3, cudaRoundNearest);
  out[2] = __nv_cvt_float_to_fp6(f, __NV_E3M2, cudaRoundNearest);
  out[3] = __nv_cvt_float_to_e8m0(f, __NV_SATFINITE, cudaRoundPosInf);
  out[4] = __nv_cvt_float_to_e8m0(f, __NV_NOSAT, cudaRoundZero);
  out[5] = __nv_fp4x4_e2m1(make_float4(f, -f, 2 * f, 1.0f)).__x;
  out[6] = __nv_fp6x4_e3m2(make_float4(f, -f, 2 * f, 1.0f)).__x;
}
__global__ void on_device(const float* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) all_ways(in[i], out + i * kWays);
}

unsigned scale(double v, bool up, bool saturate) {
  if (std::isnan(v)) return 0xff;
  unsigned code = 0;  // the largest not above, or the smallest not below
  const double size = std::fabs(v);
  while (code < 0xff && std::ldexp(1, int(code) - 127) < size) ++code;
  if (!up && code > 0 && (code == 0xff || std::ldexp(1, int(code) - 127) > size)) --code;
  if (code == 0xfe && size >= std::ldexp(1, 128)) code = 0xff;
  return code == 0xff && saturate ? 0xfe : code;
}

template <class Type>
void there_and_back(const char* name, const Format& format) {
  for (unsigned code = 0; code < 2 * format.sign(); ++code) {
    Type x;
    x.__x = static_cast<decltype(x.__x)>(code);
    const float f = float(x);
    if (f != format.value(code) || std::signbit(f) != bool(code & format.sign()))
      expect_same(name, std::vector<float>{f}, std::vector<float>{float(format.value(code))});
    expect_same(name, std::vector<unsigned>{Type(f).__x}, std::vector<unsigned>{code});
    expect_same(name, std::vector<int>{int(x)}, std::vector<int>{int(format.value(code))});
  }
}

int main() {
  std::vector<float> in;
  for (const Format& format : {e2m1, e2m3, e3m2})
    for (unsigned code = 0; code < 2 * format.sign(); ++code) {
      const float v = float(format.value(code)), next = float(format.value((code + 1) % (2 * format.sign())));
      for (float f :
           {v, (v + next) / 2, std::nextafter((v + next) / 2, 100.0f), std::nextafter((v + next) / 2, -100.0f)})
        in.push_back(f);
    }
  for (int e = -149; e < 128; ++e)
    for (float m : {1.0f, 1.5f, 1.9999999f}) in.push_back(std::ldexp(m, e));
  for (float f : {INFINITY, -INFINITY, NAN, 0.0f, -0.0f, 3.4e38f, -7.4f, 6.9f, 29.9f, 30.1f, 1e-40f}) in.push_back(f);

  const int n = int(in.size());
  std::vector<unsigned> host(in.size() * kWays), expected(host.size());
  for (int i = 0; i < n; ++i) {
    const double f = in[i];
    all_ways(in[i], &host[i * kWays]);
    unsigned* want = &expected[i * kWays];
    want[0] = e2m1.nearest(f);
    want[1] = e2m3.nearest(f);
    want[2] = e3m2.nearest(f);
    want[3] = scale(f, true, true);
    want[4] = scale(f, false, false);
    want[5] = e2m1.nearest(f) | e2m1.nearest(-f) << 4 | e2m1.nearest(2 * in[i]) << 8 | 2u << 12;
    want[6] = e3m2.nearest(f) | e3m2.nearest(-f) << 8 | e3m2.nearest(2 * in[i]) << 16 | 12u << 24;
  }
  expect_same("on the host", host, expected);
  Buffer<float> values(in);
  Buffer<unsigned> out(host.size());
  on_device<<<(n + 63) / 64, 64>>>(values, out, n);
  CK(cudaDeviceSynchronize());
  expect_same("on the device", out.get(), expected);

  there_and_back<__nv_fp4_e2m1>("e2m1", e2m1);
  there_and_back<__nv_fp6_e2m3>("e2m3", e2m3);
  there_and_back<__nv_fp6_e3m2>("e3m2", e3m2);
  for (unsigned code = 0; code < 255; ++code) {
    __nv_fp8_e8m0 x;
    x.__x = static_cast<unsigned char>(code);
    expect_same("e8m0", std::vector<double>{double(x)}, std::vector<double>{std::ldexp(1, int(code) - 127)});
    expect_same("e8m0", std::vector<unsigned>{__nv_fp8_e8m0(float(x)).__x}, std::vector<unsigned>{code});
  }
  const float4 four = float4(__nv_fp4x4_e2m1(make_float4(0.5f, -6.0f, 3.0f, 100.0f)));
  expect_same("four", std::vector<float>{four.x, four.y, four.z, four.w}, std::vector<float>{0.5f, -6.0f, 3.0f, 6.0f});
  return finish();
}
