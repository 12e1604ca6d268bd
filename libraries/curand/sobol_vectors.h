// The direction vectors of the first dimensions of Sobol's sequence, by Joe and Kuo's primitive polynomials and initial
// numbers (new-joe-kuo-6).
#pragma once

#include "generator.h"

namespace drywarp::curand {

struct Polynomial {
  unsigned degree, coefficients;  // without the first and last, which are 1
  unsigned initial[5];
};
inline constexpr Polynomial kPolynomials[kMostDimensions - 1] = {{1, 0, {1}},
                                                                 {2, 1, {1, 3}},
                                                                 {3, 1, {1, 3, 1}},
                                                                 {3, 2, {1, 1, 1}},
                                                                 {4, 1, {1, 1, 3, 3}},
                                                                 {4, 4, {1, 3, 5, 13}},
                                                                 {5, 2, {1, 1, 5, 5, 17}},
                                                                 {5, 4, {1, 1, 5, 5, 5}},
                                                                 {5, 7, {1, 1, 7, 11, 19}}};

inline void direction_vectors(unsigned dimension, unsigned (&out)[32]) {
  if (dimension == 0) {  // van der Corput's sequence
    for (unsigned k = 0; k < 32; ++k) out[k] = 1u << (31 - k);
    return;
  }
  const Polynomial& p = kPolynomials[dimension - 1];
  for (unsigned k = 0; k < 32; ++k) {
    if (k < p.degree) {
      out[k] = p.initial[k] << (31 - k);
      continue;
    }
    out[k] = out[k - p.degree] ^ (out[k - p.degree] >> p.degree);
    for (unsigned i = 1; i < p.degree; ++i)
      if (p.coefficients >> (p.degree - 1 - i) & 1) out[k] ^= out[k - i];
  }
}

}  // namespace drywarp::curand
