// 8-bit floating point: every number of both formats converted there and back, and every rounding to them, on the device
// and on the host, against a search through the values of the formats.
#include <cuda_fp8.h>

#include <cmath>

#include "check.h"

// The values by their definition: sign, exponent and mantissa.
double value(unsigned code, bool e5m2) {
  const int mantissa_bits = e5m2 ? 2 : 3, bias = e5m2 ? 15 : 7;
  const int field = int(code & 0x7f) >> mantissa_bits, mantissa = int(code) & ((1 << mantissa_bits) - 1);
  if (e5m2 && field == 31) return mantissa ? NAN : code & 0x80 ? -INFINITY : INFINITY;
  if (!e5m2 && (code & 0x7f) == 0x7f) return NAN;
  const double size = field ? std::ldexp(1 + std::ldexp(mantissa, -mantissa_bits), field - bias)
                            : std::ldexp(mantissa, 1 - bias - mantissa_bits);
  return code & 0x80 ? -size : size;
}

// The nearest value, the even one on a tie; a number half a step or more past the last value is too large.
unsigned nearest(double v, bool e5m2, bool saturate, unsigned nan) {
  if (std::isnan(v)) return nan;
  const unsigned sign = std::signbit(v) ? 0x80 : 0, last = e5m2 ? 0x7b : 0x7e;
  const double size = std::fabs(v), top = value(last, e5m2), step = top - value(last - 1, e5m2);
  if (size > top + step / 2 || (size == top + step / 2 && last % 2 == 1)) return sign | (saturate ? last : last + 1);
  unsigned best = last;
  for (unsigned code = 0; code < last; ++code) {
    const double below = value(code, e5m2), above = value(code + 1, e5m2);
    if (size > above) continue;
    best = size - below < above - size || (size - below == above - size && code % 2 == 0) ? code : code + 1;
    break;
  }
  return sign | best;
}

constexpr int kWays = 6;
template <class Out>
__host__ __device__ void all_ways(float f, Out* out) {
  out[0] = __nv_cvt_float_to_fp8(f, __NV_SATFINITE, __NV_E4M3);
  out[1] = __nv_cvt_float_to_fp8(f, __NV_SATFINITE, __NV_E5M2);
  out[2] = __nv_cvt_float_to_fp8(f, __NV_NOSAT, __NV_E4M3);
  out[3] = __nv_cvt_float_to_fp8(f, __NV_NOSAT, __NV_E5M2);
  out[4] = __nv_cvt_double_to_fp8(f, __NV_SATFINITE, __NV_E4M3);
  out[5] = __nv_cvt_double_to_fp8(f, __NV_NOSAT, __NV_E5M2);
}
__global__ void on_device(const float* in, unsigned char* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) all_ways(in[i], out + i * kWays);
}

__global__ void back(unsigned short* halves, float* floats) {
  const int i = threadIdx.x;
  halves[i] = __nv_cvt_fp8_to_halfraw(i, __NV_E4M3).x;
  halves[256 + i] = __nv_cvt_fp8_to_halfraw(i, __NV_E5M2).x;
  const __half2_raw two = __nv_cvt_fp8x2_to_halfraw2(i | (255 - i) << 8, __NV_E4M3);
  halves[512 + i] = two.x;
  halves[768 + i] = two.y;
  __nv_fp8x4_e5m2 four;
  four.__x = i | (255 - i) << 8 | i << 16 | (i ^ 1) << 24;
  const float4 f = float4(four);
  floats[i * 4] = f.x;
  floats[i * 4 + 1] = f.y;
  floats[i * 4 + 2] = f.z;
  floats[i * 4 + 3] = f.w;
}

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}
double of_half(unsigned short bits) {
  __half_raw raw;
  raw.x = bits;
  return __half2float(__half(raw));
}

int main() {
  std::vector<float> in = {0.0f,    -0.0f,   NAN,      INFINITY, -INFINITY, 464.0f,
                           464.01f, -465.0f, 61440.0f, 61439.0f, 1e30f,     1e-30f};
  for (unsigned e5m2 = 0; e5m2 < 2; ++e5m2)
    for (unsigned code = 0; code < 256; ++code) {
      const float a = float(value(code, e5m2)), b = float(value((code + 1) & 0xff, e5m2));
      const float half = (a + b) / 2;
      for (const float f : {a, half, std::nextafter(half, INFINITY), std::nextafter(half, -INFINITY)}) in.push_back(f);
    }
  for (unsigned k = 0; k < 4096; ++k) {
    const unsigned bits = k * 0x100193u * 1009u;
    float f;
    std::memcpy(&f, &bits, 4);
    in.push_back(f);
  }
  const int n = int(in.size());
  std::vector<unsigned char> expected(n * kWays), host(n * kWays);
  for (int i = 0; i < n; ++i) {
    unsigned char* e = &expected[i * kWays];
    const unsigned sign = std::signbit(in[i]) ? 0x80 : 0;
    for (int way = 0; way < 4; ++way) e[way] = nearest(in[i], way & 1, way < 2, 0x7f);
    e[4] = nearest(in[i], false, true, sign | 0x7f);
    e[5] = nearest(in[i], true, false, sign | 0x7e);
    all_ways(in[i], &host[i * kWays]);
    // A NaN's sign is not the same on every machine.
    if (std::isnan(in[i])) host[i * kWays + 4] = e[4], host[i * kWays + 5] = e[5];
  }
  expect_same("host", host, expected);
  Buffer<float> floats(in);
  Buffer<unsigned char> codes(expected.size());
  on_device<<<(n + 127) / 128, 128>>>(floats, codes, n);
  CK_LAUNCH();
  std::vector<unsigned char> device = codes.get();
  for (int i = 0; i < n; ++i)
    if (std::isnan(in[i]))
      device[i * kWays + 4] = expected[i * kWays + 4], device[i * kWays + 5] = expected[i * kWays + 5];
  expect_same("device", device, expected);

  Buffer<unsigned short> halves(1024);
  Buffer<float> fours(1024);
  back<<<1, 256>>>(halves, fours);
  CK_LAUNCH();
  const std::vector<unsigned short> h = halves.get();
  const std::vector<float> f = fours.get();
  int wrong = 0;
  for (int i = 0; i < 256; ++i) {
    wrong += !same(of_half(h[i]), value(i, false)) && !std::isnan(value(i, false));
    wrong += !same(of_half(h[256 + i]), value(i, true)) && !std::isnan(value(i, true));
    wrong += h[512 + i] != h[i] || h[768 + i] != h[255 - i];
    for (int part = 0; part < 4; ++part) {
      const int code = part == 1 ? 255 - i : part == 3 ? i ^ 1 : i;
      wrong += !same(f[i * 4 + part], value(code, true)) && !std::isnan(value(code, true));
    }
    wrong += std::isnan(value(i, true)) && h[256 + i] != 0x7fff;
    wrong += __nv_cvt_fp8_to_halfraw(i, __NV_E4M3).x != h[i] || __nv_cvt_fp8_to_halfraw(i, __NV_E5M2).x != h[256 + i];
  }
  EXPECT(wrong == 0);

  // The types: conversions saturate; conversions to integers round towards zero.
  const __nv_fp8_e4m3 low(-300.0f), not_a_number(NAN), large(1000);
  EXPECT(int(low) == -288 && int(static_cast<signed char>(low)) == -128 && static_cast<unsigned>(low) == 0);
  EXPECT(int(not_a_number) == 0 && bool(not_a_number) && !bool(__nv_fp8_e4m3(-0.0f)));
  EXPECT(large.__x == 0x7e && __nv_fp8_e5m2(1ull << 60).__x == 0x7b && __nv_fp8_e4m3(17u).__x == 0x58);
  EXPECT(float(__nv_fp8_e5m2(__half(3.3f))) == 3.5f && float(__nv_fp8_e4m3(__nv_bfloat16(3.3f))) == 3.25f);
  const __nv_fp8x2_e4m3 two(make_float2(1, -2));
  EXPECT(two.__x == 0xc038 && float2(two).x == 1 && float2(two).y == -2);
  EXPECT(__nv_fp8x4_e4m3(make_float4(1, -2, 0, 448)).__x == 0x7e00c038);
  static_assert(sizeof(__nv_fp8_e4m3) == 1 && sizeof(__nv_fp8x2_e5m2) == 2 && alignof(__nv_fp8x4_e4m3) == 4, "layout");
  return finish();
}
