// Halves and floating-point numbers of 8 bits, and the f32 of the same value. NaNs are the one that a GPU makes.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "language/ir/kernel.h"

namespace drywarp::exec {

inline float single(uint64_t half) {
  const auto sign = static_cast<uint32_t>(half & 0x8000) << 16, magnitude = static_cast<uint32_t>(half & 0x7fff);
  if (magnitude >= 0x7c00) return std::bit_cast<float>(sign | 0x7f800000 | magnitude << 13);
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude << 13) * 0x1p112f));
}
inline uint32_t single_bits(float value) { return std::isnan(value) ? 0x7fffffff : std::bit_cast<uint32_t>(value); }
// To nearest even.
inline uint32_t half_bits(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return 0x7fff;
  if (magnitude >= 0x477ff000) return sign | 0x7c00;
  if (magnitude < 0x38800000)  // adding leaves the multiples of 2^-24
    return sign | (std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000);
  const uint32_t rebased = magnitude - 0x38000000;
  return sign | (rebased + 0xfff + (rebased >> 13 & 1)) >> 13;
}

// Of both formats of 8 bits, whose values halves have, too.
inline uint32_t half_of_float8(uint32_t bits, ir::Type type) {
  if (type == ir::Type::E5M2) return bits << 8;
  const uint32_t sign = (bits & 0x80) << 8, magnitude = bits & 0x7f;
  if (magnitude == 0x7f) return sign | 0x7fff;
  return sign | half_bits(single(magnitude << 7) * 0x1p8f);  // the exponent's bias is 7, not 15
}

}  // namespace drywarp::exec
