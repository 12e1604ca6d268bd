// Sums of products of f64: a chain of fused multiply-adds along k.
#pragma once

#include <cstdint>

#include "engine/exec/matrix/fragment_moves.h"

namespace drywarp::exec {

inline constexpr unsigned kMostDoubleFactors = 16;

// c[n][m] = fma(a[k][m], b[n][k], c[n][m]) for each k in turn, of numbers' bits.
struct DoubleProduct {
  unsigned rows = 0, k = 0;  // and 8 columns
  alignas(64) FragmentColumn64 a[kMostDoubleFactors];
  alignas(64) uint64_t b[8][kMostDoubleFactors];
  alignas(64) FragmentColumn64 c[8];
};
void add_products(DoubleProduct& product);

}  // namespace drywarp::exec
