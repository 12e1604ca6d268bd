// Sums of products of floating-point numbers, as tensor cores add them; see multiply.h.
#pragma once

#include <cstdint>

#include "language/ir/matrix_shapes.h"

namespace drywarp::exec {

inline constexpr unsigned kSumLanes = 16, kMostFactors = 32;
inline constexpr unsigned kSingleFraction = 23;

// c[n][m] += sum over k of a[k][m] * b[n][k], all as bits of their formats.
struct RealProduct {
  ir::MatrixInputs inputs{};  // Half, Bfloat or Tf32
  bool half_sums = false;     // c is f16, else f32
  unsigned rows = 0, columns = 0, k = 0;
  unsigned step = 0;  // products that are added at once
  unsigned fraction_bits = 0;
  // Of factors but 0: of subnormal numbers of another format, whose values are normal here. By default of no format.
  int32_t least_a = -1000, least_b = -1000;
  unsigned sum_bits = kSingleFraction;  // of an f32 sum: fraction bits that are kept
  alignas(64) uint32_t a[kMostFactors][kSumLanes];
  alignas(64) uint32_t b[8][kMostFactors];
  alignas(64) uint32_t c[8][kSumLanes];
};
void add_products(RealProduct& product);

}  // namespace drywarp::exec
