// A vector holds a column of c: all rows are computed at once, column by column. Compiled once per instruction set.
#include "engine/exec/matrix/real_sums.h"

#include <algorithm>

#include "base/access/per_cpu.h"

#define DW_SUMS_INLINE inline __attribute__((always_inline))

namespace drywarp::exec {
namespace {

using ir::MatrixInputs;

using U = uint32_t __attribute__((ext_vector_type(kSumLanes)));
using I = int32_t __attribute__((ext_vector_type(kSumLanes)));
using L = int64_t __attribute__((ext_vector_type(kSumLanes)));
using F = float __attribute__((ext_vector_type(kSumLanes)));
using D = double __attribute__((ext_vector_type(kSumLanes)));

// The exponent of a zero: far below any other.
constexpr int32_t kZero = -4096;

enum class Format { F16, BF16, TF32, F32 };

// Values and exponents of numbers. Those of subnormal numbers are of the least normal one.
struct Numbers {
  F value;
  I exponent;
};
template <Format format>
DW_SUMS_INLINE void decode(const U& bits, Numbers& out, int32_t least = -1000) {
  U magnitude;
  if constexpr (format == Format::F16) {
    magnitude = bits & 0x7fff;
    const F finite = __builtin_bit_cast(F, U(magnitude << 13)) * F(0x1p112f);
    const U whole = magnitude >= 0x7c00 ? U(magnitude << 13 | 0x7f800000u) : __builtin_bit_cast(U, finite);
    out.value = __builtin_bit_cast(F, U(whole | (bits & 0x8000) << 16));
    out.exponent = __builtin_elementwise_max(__builtin_bit_cast(I, U(magnitude >> 10)), I(1)) - 15;
  } else {
    U whole = bits;
    if constexpr (format == Format::BF16) whole = bits << 16;
    if constexpr (format == Format::TF32) whole = bits & ~0x1fffu;
    magnitude = whole & 0x7fffffff;
    out.value = __builtin_bit_cast(F, whole);
    out.exponent = __builtin_elementwise_max(__builtin_bit_cast(I, U(magnitude >> 23)), I(1)) - 127;
  }
  out.exponent = magnitude == 0 ? I(kZero) : __builtin_elementwise_max(out.exponent, I(least));
}

template <class V>
DW_SUMS_INLINE bool any(const V& truth) {
  return __builtin_reduce_or(truth) != 0;
}
DW_SUMS_INLINE bool has_special(const Numbers& n) {  // an infinity or NaN
  return any(I((__builtin_bit_cast(I, n.value) & 0x7f800000) == 0x7f800000));
}

DW_SUMS_INLINE void power_of_two(const I& exponent, F& out) { out = __builtin_bit_cast(F, I((exponent + 127) << 23)); }
DW_SUMS_INLINE void power_of_two(const I& exponent, D& out) {
  out = __builtin_bit_cast(D, L((__builtin_convertvector(exponent, L) + 1023) << 52));
}

// To f32 with `fraction` bits behind the point, towards zero.
DW_SUMS_INLINE void round_to_single(const D& value, int64_t fraction, U& out) {
  const L bits = __builtin_bit_cast(L, value);
  const L exponent = bits >> 52 & 0x7ff;
  const L dropped = 52 - fraction + __builtin_elementwise_max(L(1023 - 126 - exponent), L(0));
  const L kept = dropped > 52 ? L(bits & INT64_MIN) : L(bits & L(-1) << dropped);
  out = __builtin_bit_cast(U, __builtin_convertvector(__builtin_bit_cast(D, kept), F));
}

// To f16, to nearest even.
DW_SUMS_INLINE void round_to_half(const D& value, U& out) {
  const L bits = __builtin_bit_cast(L, value);
  const L exponent = __builtin_elementwise_max(L(bits >> 52 & 0x7ff), L(1023 - 14));
  // Adding it leaves no bits behind the last of an f16.
  const D shifter = __builtin_bit_cast(D, L((exponent + 52 - 10) << 52)) * 1.5;
  const F rounded = __builtin_convertvector(D(__builtin_elementwise_abs(D((value + shifter) - shifter))), F);
  const U normal = (__builtin_bit_cast(U, rounded) - (112u << 23)) >> 13;
  const U tiny = __builtin_convertvector(F(rounded * 0x1p24f), U);
  U magnitude = rounded < 0x1p-14f ? tiny : normal;
  magnitude = rounded >= 65536.0f ? U(0x7c00) : magnitude;
  const U sign = __builtin_convertvector(L(bits >> 48 & 0x8000), U);
  out = magnitude == 0 ? U(0) : magnitude | sign;  // never -0
}

// The factors of a product, decoded.
struct Factors {
  Numbers a[kMostFactors];
  float b_value[8][kMostFactors];
  int32_t b_exponent[8][kMostFactors];
  bool special;  // some are infinities or NaNs
  bool small;    // their products, and multiples of any last bit that is kept, are floats
};

// Products of 22 bits at most whose exponents are -72 to 73: times 2^97 at most, no float overflows.
constexpr int32_t kSmallExponent = 36;
DW_SUMS_INLINE bool are_small(const Numbers& n) {
  const I magnitude = n.exponent == kZero ? I(0) : I(__builtin_elementwise_abs(n.exponent));
  return !any(I(magnitude > kSmallExponent));
}

template <Format input>
DW_SUMS_INLINE void decode_factors(const RealProduct& p, Factors& f) {
  constexpr bool kAlwaysSmall = input == Format::F16;
  f.special = false, f.small = true;
  for (unsigned k = 0; k < p.k; ++k) {
    U bits;
    __builtin_memcpy(&bits, p.a[k], sizeof bits);
    decode<input>(bits, f.a[k], p.least_a);
    f.special |= has_special(f.a[k]);
    if (!kAlwaysSmall) f.small &= are_small(f.a[k]);
  }
  constexpr I kPlaces = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  for (unsigned n = 0; n < p.columns; ++n) {
    for (unsigned first = 0; first < p.k; first += kSumLanes) {
      U bits;
      Numbers b;
      __builtin_memcpy(&bits, p.b[n] + first, sizeof bits);
      bits = kPlaces < static_cast<int32_t>(p.k - first) ? bits : U(0);  // k may be 4 or 8
      decode<input>(bits, b, p.least_b);
      f.special |= has_special(b);
      if (!kAlwaysSmall) f.small &= are_small(b);
      __builtin_memcpy(f.b_value[n] + first, &b.value, sizeof b.value);
      __builtin_memcpy(f.b_exponent[n] + first, &b.exponent, sizeof b.exponent);
    }
  }
}

// `Real` holds a product exactly: float those of small factors, double all.
template <class Real, bool half_sums>
DW_SUMS_INLINE void sum_products(RealProduct& p, const Factors& f) {
  constexpr Format kSum = half_sums ? Format::F16 : Format::F32;
  const Numbers* a = f.a;
  const auto fraction = static_cast<int32_t>(p.fraction_bits);
  for (unsigned n = 0; n < p.columns; ++n) {
    U sums;
    __builtin_memcpy(&sums, p.c[n], sizeof sums);
    for (unsigned first = 0; first < p.k; first += p.step) {
      Numbers c;
      decode<kSum>(sums, c);
      const bool specials = f.special || has_special(c);
      I largest = c.exponent;
      for (unsigned k = first; k < first + p.step; ++k)
        largest = __builtin_elementwise_max(largest, I(a[k].exponent + f.b_exponent[n][k]));
      // From values to multiples of the last bit that is kept. All zero: any.
      const I shift = fraction - __builtin_elementwise_max(largest, I(-300));
      D up, down;
      power_of_two(shift, up), power_of_two(-shift, down);
      Real up_products;
      if constexpr (std::is_same_v<Real, F>)
        power_of_two(__builtin_elementwise_min(shift, I(100)), up_products);  // more: no product but 0
      else
        up_products = up;
      I low = 0, high = 0;
      D exact = __builtin_convertvector(c.value, D);  // infinities and NaNs as they add up
      for (unsigned k = first; k < first + p.step; ++k) {
        Real product;
        if constexpr (std::is_same_v<Real, F>)
          product = a[k].value * F(f.b_value[n][k]);
        else
          product = __builtin_convertvector(a[k].value, D) * D(double{f.b_value[n][k]});
        if (specials) {
          exact += __builtin_convertvector(product, D);
          product = __builtin_elementwise_abs(product) < Real(__builtin_inff()) ? product : Real(0);
        }
        // At most 8 of less than 2^27.
        const I multiple = __builtin_convertvector(Real(product * up_products), I);
        if (k - first < 8)
          low += multiple;
        else
          high += multiple;
      }
      D term = __builtin_convertvector(c.value, D);
      if (specials) term = __builtin_elementwise_abs(term) < D(__builtin_inf()) ? term : D(0);
      const I c_multiple = __builtin_convertvector(D(term * up), I);
      D sum =
          __builtin_convertvector(low, D) + __builtin_convertvector(high, D) + __builtin_convertvector(c_multiple, D);
      sum *= down;
      if constexpr (half_sums)
        round_to_half(sum, sums);
      else
        round_to_single(sum, p.sum_bits, sums);
      if (specials) {
        const L bits = __builtin_bit_cast(L, exact);
        const U negative = __builtin_convertvector(L(bits >> 63 & 1), U);
        const U infinity = half_sums ? U(0x7c00 | negative << 15) : U(0x7f800000 | negative << 31);
        const U infinite = __builtin_convertvector(L(__builtin_elementwise_abs(exact) == D(__builtin_inf())), U);
        const U nan = __builtin_convertvector(L(exact != exact), U);
        sums = infinite != 0 ? infinity : sums;
        sums = nan != 0 ? U(half_sums ? 0x7fffu : 0x7fffffffu) : sums;
      }
    }
    __builtin_memcpy(p.c[n], &sums, sizeof sums);
  }
}

template <Format input, bool half_sums>
DW_SUMS_INLINE void add(RealProduct& p) {
  Factors f;
  decode_factors<input>(p, f);
  if (f.small)
    sum_products<F, half_sums>(p, f);
  else
    sum_products<D, half_sums>(p, f);
}

DW_PER_CPU void add_halves_to_halves(RealProduct& p) { add<Format::F16, true>(p); }
DW_PER_CPU void add_halves(RealProduct& p) { add<Format::F16, false>(p); }
DW_PER_CPU void add_bfloats(RealProduct& p) { add<Format::BF16, false>(p); }
DW_PER_CPU void add_tf32(RealProduct& p) { add<Format::TF32, false>(p); }

}  // namespace

void add_products(RealProduct& p) {
  switch (p.inputs) {
    case MatrixInputs::Bfloat:
      return add_bfloats(p);
    case MatrixInputs::Tf32:
      return add_tf32(p);
    default:
      return p.half_sums ? add_halves_to_halves(p) : add_halves(p);
  }
}

}  // namespace drywarp::exec
