// Floating-point numbers of any format, unpacked, and rounded in integers: what the reference interpreter computes
// with, so that it shares neither code nor tricks with the lowerings.
#pragma once

#include <cstdint>

#include "language/ir/kernel.h"

namespace drywarp::reference {

using U128 = unsigned __int128;

// (-1)^negative * mantissa * 2^exponent, or one of the special values.
struct Number {
  enum class Kind { Finite, Infinite, Nan } kind = Kind::Finite;
  bool negative = false;
  U128 mantissa = 0;
  int exponent = 0;
};

struct Format {
  int mantissa_bits;  // stored
  int exponent_bits;
  bool has_infinity;  // false: e4m3, whose all-ones exponent holds numbers too
};
Format format_of(ir::Type t);  // of one element: F16x2 as F16

Number unpack(uint64_t bits, Format f);
// The nearest representable bits. `nan`: what a NaN becomes. `saturate`: beyond the largest number, give it.
uint64_t pack(const Number& n, Format f, ir::Rounding rounding, uint64_t nan, bool saturate = false);
Number add(const Number& a, const Number& b, ir::Rounding rounding);  // exact, or sticky in a bit that no format keeps
Number multiply(const Number& a, const Number& b);
Number from_integer(bool negative, uint64_t magnitude);
double to_double(const Number& n);  // rounded
uint64_t largest_bits(Format f);

// To an integral value; the result is finite with exponent 0, its magnitude capped at 2^100.
int bit_length(U128 v);  // 0 for 0

Number to_integral(const Number& n, ir::Rounding rounding);

}  // namespace drywarp::reference
