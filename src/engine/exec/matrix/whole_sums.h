// Sums of products of whole numbers of 4 and 8 bits.
#pragma once

#include <cstdint>

#include "engine/exec/matrix/fragment_moves.h"

namespace drywarp::exec {

inline constexpr unsigned kMostWholeFactors = 64;

// Whole numbers of `bits` bits, as these bits.
struct WholeProduct {
  unsigned k = 0, columns = 0;
  unsigned bits = 0;
  bool a_signed = false, b_signed = false;
  alignas(64) FragmentColumn a[kMostWholeFactors];
  uint32_t b[8][kMostWholeFactors];
};

// sums[column][row]: of the products along k.
void whole_products(const WholeProduct& product, int32_t (*sums)[kFragmentRows]);

}  // namespace drywarp::exec
