// Makes the device library's single precision functions ordinary C++: the intrinsics that they are built from, on the
// CPU. The approximate instructions are replaced by correctly rounded results, so what a test measures is the
// algorithm.
#pragma once

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>

#define __device__
#define __host__
#define DRYWARP_CRT_HOST_DEFINES_H
// These headers only wrap instructions.
#define DRYWARP_DEVICE_ARITHMETIC_H
#define DRYWARP_DEVICE_BITS_H
#include "drywarp/device/specifiers.h"

inline float flushed(double value) {
  const float rounded = static_cast<float>(value);
  return std::fabs(rounded) < 1.17549435e-38f ? std::copysign(0.0f, rounded) : rounded;
}
inline float __nvvm_ex2_approx_ftz_f(float x) { return flushed(std::exp2(static_cast<double>(flushed(x)))); }
inline float __nvvm_lg2_approx_ftz_f(float x) { return flushed(std::log2(static_cast<double>(flushed(x)))); }
inline float __nvvm_rcp_approx_ftz_f(float x) { return flushed(1.0 / static_cast<double>(flushed(x))); }
inline float __nvvm_rsqrt_approx_f(float x) { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(x))); }
inline float __drywarp_fma_saturated(float a, float b, float c) {
  const float r = std::fma(a, b, c);
  return r > 0.0f ? (r < 1.0f ? r : 1.0f) : 0.0f;
}
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fmaf_rd(float a, float b, float c) {
  const double exact = static_cast<double>(a) * b + c;
  const float nearest = static_cast<float>(exact);
  return nearest > exact ? std::nextafter(nearest, -INFINITY) : nearest;
}
inline float __fadd_rz(float a, float b) {
  const double exact = static_cast<double>(a) + b;
  const float nearest = static_cast<float>(exact);
  return std::fabs(nearest) > std::fabs(exact) ? std::nextafter(nearest, 0.0f) : nearest;
}
inline int __float_as_int(float a) { return std::bit_cast<int>(a); }
inline unsigned __float_as_uint(float a) { return std::bit_cast<unsigned>(a); }
inline float __int_as_float(int a) { return std::bit_cast<float>(a); }
inline float __uint_as_float(unsigned a) { return std::bit_cast<float>(a); }
inline int __double2hiint(double a) { return static_cast<int>(std::bit_cast<uint64_t>(a) >> 32); }
inline int __double2loint(double a) { return static_cast<int>(std::bit_cast<uint64_t>(a)); }
inline double __hiloint2double(int high, int low) {
  return std::bit_cast<double>((static_cast<uint64_t>(static_cast<uint32_t>(high)) << 32) | static_cast<uint32_t>(low));
}
inline int saturated_int(float a) {
  return a != a ? 0 : a >= 2147483648.0f ? 2147483647 : a < -2147483648.0f ? INT32_MIN : static_cast<int>(a);
}
inline int __float2int_rn(float a) { return saturated_int(std::nearbyint(a)); }
inline int __float2int_rz(float a) { return saturated_int(std::trunc(a)); }
inline double __ll2double_rn(long long a) { return static_cast<double>(a); }

#include "drywarp/device/libdevice_decompose.h"
#include "drywarp/device/libdevice_exponential.h"
#include "drywarp/device/libdevice_trigonometric.h"
