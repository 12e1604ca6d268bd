// Conversion between double and the small binary formats (half, bfloat16, the 8-bit ones) in plain C++, correctly
// rounded, for host code; devices have instructions. Every float is a double, so one pair of functions is enough.
#ifndef DRYWARP_HALF_SMALL_FLOATS_H
#define DRYWARP_HALF_SMALL_FLOATS_H
#pragma GCC system_header

#include <stdint.h>
#include <string.h>

#include "crt/host_defines.h"

enum __drywarp_rounding { __drywarp_nearest, __drywarp_to_zero, __drywarp_down, __drywarp_up };

// The bits of `value` in a format of `exponent_bits` and `mantissa_bits` (without the leading one) with IEEE's
// infinities and NaNs. The sign is the next higher bit.
static __host__ __device__ inline unsigned __drywarp_encode(double value, int exponent_bits, int mantissa_bits,
                                                            enum __drywarp_rounding mode) {
  unsigned long long bits;
  memcpy(&bits, &value, sizeof bits);
  const unsigned sign = (unsigned)(bits >> 63) << (exponent_bits + mantissa_bits);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const unsigned infinity = ((1u << exponent_bits) - 1u) << mantissa_bits;
  const int exponent = (int)((bits >> 52) & 0x7ff) - 1023;
  unsigned long long mantissa = bits & 0xfffffffffffffull;
  if (exponent == 1024)  // CUDA's NaN has all bits but the sign set
    return mantissa ? (infinity | ((1u << mantissa_bits) - 1u)) : (sign | infinity);
  if (exponent > -1023) mantissa |= 1ull << 52;

  // Subnormals all have the same unit in the last place.
  const int smallest = 1 - bias;
  int drop = 52 - mantissa_bits + (exponent < smallest ? smallest - exponent : 0);
  if (drop > 63) drop = 63;
  unsigned long long kept = mantissa >> drop;
  const unsigned long long rest = mantissa & ((1ull << drop) - 1);
  const unsigned long long half = 1ull << (drop - 1);
  int away = 0;
  if (mode == __drywarp_nearest) away = rest > half || (rest == half && (kept & 1));
  if (mode == __drywarp_up) away = rest != 0 && !sign;
  if (mode == __drywarp_down) away = rest != 0 && sign;
  kept += (unsigned long long)away;

  // A leading one adds to the exponent field, and so does a carry out of the mantissa.
  const unsigned long long field = exponent < smallest ? 0 : (unsigned long long)(exponent + bias - 1);
  const unsigned long long result = (field << mantissa_bits) + kept;
  if (result >= infinity) {
    const int clamps = mode == __drywarp_to_zero || (mode == __drywarp_up && sign) || (mode == __drywarp_down && !sign);
    return sign | (clamps ? infinity - 1u : infinity);
  }
  return sign | (unsigned)result;
}

static __host__ __device__ inline double __drywarp_decode(unsigned bits, int exponent_bits, int mantissa_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const unsigned field = (bits >> mantissa_bits) & ((1u << exponent_bits) - 1u);
  unsigned long long mantissa = bits & ((1u << mantissa_bits) - 1u);
  const unsigned long long sign = (unsigned long long)((bits >> (exponent_bits + mantissa_bits)) & 1u) << 63;
  int exponent = (int)field - bias;
  unsigned long long wide;
  if (field == (1u << exponent_bits) - 1u) {
    wide = sign | 0x7ff0000000000000ull | (mantissa << (52 - mantissa_bits));
  } else if (field == 0 && mantissa == 0) {
    wide = sign;
  } else {
    if (field == 0) {  // a subnormal is normal in double
      exponent = 1 - bias;
      while (!(mantissa >> mantissa_bits)) {
        mantissa <<= 1;
        --exponent;
      }
    }
    mantissa &= (1ull << mantissa_bits) - 1;
    wide = sign | ((unsigned long long)(exponent + 1023) << 52) | (mantissa << (52 - mantissa_bits));
  }
  double value;
  memcpy(&value, &wide, sizeof value);
  return value;
}

// a * b + c with the sum rounded to odd, so that a second rounding to a small format gives the correctly rounded
// result.
static __host__ __device__ inline double __drywarp_fma_to_odd(double a, double b, double c) {
  const double product = a * b;  // exact: small formats have at most 11 bits
  const double sum = product + c;
  const double back = sum - product;
  const double error = (product - (sum - back)) + (c - back);
  unsigned long long bits;
  memcpy(&bits, &sum, sizeof bits);
  if (error == 0.0 || error != error || (bits & 1)) return sum;
  bits += ((error > 0.0) == (sum > 0.0)) ? 1 : (unsigned long long)-1;
  double odd;
  memcpy(&odd, &bits, sizeof odd);
  return odd;
}

// The integers that these formats convert to: X(type, its name in functions, least, first double that saturates,
// greatest, result for NaN). Out of range values saturate, as on the GPU.
#define DRYWARP_INTEGERS(X)                                                                \
  X(int, int, -2147483648.0f, 2147483648.0f, 2147483647, 0)                                \
  X(unsigned int, uint, 0.0f, 4294967296.0f, 4294967295u, 0)                               \
  X(short, short, -32768.0f, 32767.0f, 32767, 0)                                           \
  X(unsigned short, ushort, 0.0f, 65535.0f, 65535, 0)                                      \
  X(long long, ll, -9223372036854775808.0f, 9223372036854775808.0f, 9223372036854775807ll, \
    (-9223372036854775807ll - 1))                                                          \
  X(unsigned long long, ull, 0.0f, 18446744073709551616.0f, 18446744073709551615ull, 0x8000000000000000ull)
#define DRYWARP_BYTES(X)                        \
  X(signed char, char, -128.0f, 127.0f, 127, 0) \
  X(unsigned char, uchar, 0.0f, 255.0f, 255, 0)

#endif
