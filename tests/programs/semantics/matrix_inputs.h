// Inputs of matrix products: pure functions of integers, the same on every machine. And digests of results.
#pragma once

#include <cstdint>
#include <vector>

inline uint32_t hash32(uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdull;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ull;
  x ^= x >> 33;
  return uint32_t(x);
}

struct Stream {
  uint64_t seed, count = 0;
  uint32_t next() { return hash32(seed * 0x9e3779b97f4a7c15ull + ++count); }
  uint64_t next64() {
    const uint64_t high = next();
    return high << 32 | next();
  }
  int range(int low, int high) { return low + int(next() % uint32_t(high - low + 1)); }
};

enum class Role { A, B, C };
constexpr int kKinds = 9;

// A floating-point number of `e` exponent bits and `m` mantissa bits.
inline uint64_t real_bits(Stream& s, int kind, Role role, int e, int m) {
  const int bias = (1 << (e - 1)) - 1, top = (1 << e) - 2;  // the greatest finite exponent
  const uint64_t mantissa = s.next64() & ((uint64_t{1} << m) - 1), sign = s.next() & 1;
  const bool c = role == Role::C;
  int exponent = 0;
  uint64_t fraction = mantissa;
  switch (kind) {
    case 0:
      exponent = c ? bias + s.range(-6, 10) : bias + s.range(-4, 4);
      break;
    case 1:
      exponent = c ? bias + s.range(-40, 40) : bias + s.range(-12, 12);
      break;
    case 2:
      exponent = s.range(0, top + 1);
      break;
    case 3:
      if (s.next() % 4 != 0) return sign << (e + m);
      exponent = bias + (c ? s.range(-30, 30) : s.range(-14, 14));
      break;
    case 4:
      exponent = c ? bias + s.range(-54, -20) : s.range(0, 3);
      break;
    case 5:
      exponent = c ? top - s.range(0, 20) : top - s.range(0, 2);
      break;
    case 6:
      exponent = bias + (c ? s.range(-30, 30) : s.range(-14, 14));
      fraction = s.next() % 3 == 0 ? (uint64_t{1} << m) - 1 : 0;
      break;
    case 7:
      exponent = c ? bias + s.range(-34, -12) : bias;
      fraction = c ? mantissa : s.next() % 2 ? uint64_t{0x2b} << (m > 6 ? m - 6 : 0) : 1;
      fraction &= (uint64_t{1} << m) - 1;
      break;
    default:
      exponent = c ? s.range(0, 12) : bias - s.range(56, 68) * (e > 5 ? 1 : 0) - (e > 5 ? 0 : s.range(5, 14));
      break;
  }
  if (exponent < 0) exponent = 0;
  if (exponent > top && kind != 2) exponent = top;
  return sign << (e + m) | uint64_t(exponent) << m | fraction;
}

enum class Format { F16, BF16, TF32, F32, F64, E4M3, E5M2, Whole };

// A 32-bit or 64-bit register of elements of a format. Whole: integers of any width.
inline uint64_t register_bits(Stream& s, int kind, Role role, Format f) {
  const auto bytes = [&](int exponent_bits, int mantissa_bits) {
    uint64_t word = 0;
    for (int i = 0; i < 4; ++i) word |= real_bits(s, kind, role, exponent_bits, mantissa_bits) << 8 * i;
    return word;
  };
  switch (f) {
    case Format::E4M3:
      return bytes(4, 3);
    case Format::E5M2:
      return bytes(5, 2);
    case Format::F16: {
      const uint64_t low = real_bits(s, kind, role, 5, 10);
      return low | real_bits(s, kind, role, 5, 10) << 16;
    }
    case Format::BF16: {
      const uint64_t low = real_bits(s, kind, role, 8, 7);
      return low | real_bits(s, kind, role, 8, 7) << 16;
    }
    case Format::TF32: {
      const uint64_t v = real_bits(s, kind, role, 8, 10) << 13;
      return kind % 2 ? v | (s.next() & 0x1fff) : v;
    }
    case Format::F32:
      return real_bits(s, kind, role, 8, 23);
    case Format::F64:
      return real_bits(s, kind, role, 11, 52);
    default:
      break;
  }
  if (role != Role::C) return kind == 3 ? s.next() & s.next() & s.next() : s.next();
  switch (kind) {
    case 2:
      return s.next();
    case 5:
      return 0x7fffffff - s.next() % 100000;
    case 6:
      return 0x80000000 + s.next() % 100000;
    default:
      return uint32_t(int32_t(s.next()) >> 12);
  }
}

// FNV-1a, by words or characters.
template <class Words>
unsigned long long digest_of(const Words& words) {
  uint64_t h = 1469598103934665603ull;
  for (const auto word : words) h = (h ^ uint32_t(word)) * 1099511628211ull;
  return h;
}
inline uint64_t seed_of(const char* name) {
  uint64_t h = 1469598103934665603ull;
  for (; *name; ++name) h = (h ^ uint8_t(*name)) * 1099511628211ull;
  return h;
}
