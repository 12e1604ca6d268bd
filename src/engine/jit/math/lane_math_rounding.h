// Directed rounding: by the processor's rounding mode, and of whole numbers and narrower types by way of binary128.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace drywarp::jit {

enum class Towards { Nearest, Zero, Down, Up };

// The processor rounds as told while this lives. No load moves before its beginning and no store behind its end, so
// arithmetic on what is loaded and stored between them stays there, too.
class ProcessorRounding {
 public:
  explicit ProcessorRounding(Towards mode) {
    asm volatile("stmxcsr %0" : "=m"(before_) : : "memory");
    constexpr uint32_t kField[] = {0, 3, 1, 2};  // by Towards
    const uint32_t told = (before_ & ~(3u << 13)) | kField[static_cast<unsigned>(mode)] << 13;
    asm volatile("ldmxcsr %0" : : "m"(told) : "memory");
  }
  ~ProcessorRounding() { asm volatile("ldmxcsr %0" : : "m"(before_) : "memory"); }
  ProcessorRounding(const ProcessorRounding&) = delete;
  ProcessorRounding& operator=(const ProcessorRounding&) = delete;

 private:
  uint32_t before_;
};

using Quad = __float128;

inline Quad magnitude(Quad q) { return q < 0 ? -q : q; }

// Rounds a binary128 to T.
template <class T>
T rounded(Quad exact, Towards mode) {
  const T nearest = static_cast<T>(exact);
  const Quad got = magnitude(static_cast<Quad>(nearest)), want = magnitude(exact);
  if (got == want || mode == Towards::Nearest || got != got) return nearest;
  // Magnitudes are ordered like integers.
  auto bits = std::bit_cast<std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>(nearest);
  const bool towards_zero = mode == Towards::Zero || std::signbit(nearest) == (mode == Towards::Up);
  if (towards_zero && got > want) --bits;
  if (!towards_zero && got < want) ++bits;
  return std::bit_cast<T>(bits);
}

// Rounds to an integer and clamps. A NaN becomes zero or, from f64 or to 64 bits, the pattern 100..0.
template <class Int, class T>
Int to_int(T x, Towards mode) {
  if (std::isnan(x))
    return sizeof(T) == 8 || sizeof(Int) == 8 ? static_cast<Int>(uint64_t{1} << (8 * sizeof(Int) - 1)) : Int(0);
  T r = mode == Towards::Nearest ? std::nearbyint(x)
        : mode == Towards::Zero  ? std::trunc(x)
        : mode == Towards::Down  ? std::floor(x)
                                 : std::ceil(x);
  // The first value above the range is a power of two, so T represents it.
  const T beyond = std::ldexp(T(1), std::numeric_limits<Int>::digits);
  if (r >= beyond) return std::numeric_limits<Int>::max();
  const T least = std::is_signed_v<Int> ? -beyond : T(0);
  if (r < least) return std::numeric_limits<Int>::min();
  return static_cast<Int>(r);
}

// The part of a double that the coarse reciprocals read: the upper 32 bits, subnormals flushed.
inline double upper_half(double x) {
  uint64_t bits = std::bit_cast<uint64_t>(x) & 0xffffffff00000000u;
  if ((bits & 0x7ff0000000000000u) == 0) bits &= 0x8000000000000000u;
  return std::bit_cast<double>(bits);
}

}  // namespace drywarp::jit
