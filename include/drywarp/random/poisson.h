// The Poisson distribution over any generator. Up to 64, and above 4000, as cuRAND computes it; between, by Hörmann's
// transformed rejection (PTRS), whose numbers are not cuRAND's. MTGP32's are of one word each, by the inverse of the
// distribution; cuRAND has another method.
#ifndef DRYWARP_RANDOM_POISSON_H
#define DRYWARP_RANDOM_POISSON_H
#pragma GCC system_header

#include "drywarp/random/distributions.h"
#include "drywarp/random/mrg32k3a.h"
#include "drywarp/random/mtgp32.h"

template <class State>
DRYWARP_DEVICE unsigned int __drywarp_poisson_small(State* state, float lambda) {
  unsigned int k = 0;
  float product = expf(lambda);
  do {
    ++k;
    product *= curand_uniform(state);
  } while (product > 1.0f);
  return k - 1;
}
template <class State>
DRYWARP_DEVICE unsigned int __drywarp_poisson_rejected(State* state, double lambda) {
  const double b = 0.931 + 2.53 * sqrt(lambda), a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), accepted = 0.9277 - 3.6224 / (b - 2.0);
  while (true) {
    const double u = curand_uniform(state) - 0.5, v = curand_uniform(state);
    const double distance = 0.5 - fabs(u);
    if (distance <= 0.0) continue;
    const double k = floor((2.0 * a / distance + b) * u + lambda + 0.43);
    if (distance >= 0.07 && v <= accepted) return static_cast<unsigned int>(k);
    if (k < 0.0 || (distance < 0.013 && v > distance)) continue;
    if (log(v) + log(inverse_alpha) - log(a / (distance * distance) + b) <= -lambda + k * log(lambda) - lgamma(k + 1.0))
      return static_cast<unsigned int>(k);
  }
}
template <class State>
DRYWARP_DEVICE unsigned int __drywarp_poisson(State* state, double lambda) {
  if (lambda < 64.0) return __drywarp_poisson_small(state, static_cast<float>(lambda));
  if (lambda > 4000.0)
    return static_cast<unsigned int>(curand_normal_double(state) * sqrt(lambda) + lambda + 0.5);  // to the nearest
  return __drywarp_poisson_rejected(state, lambda);
}
DRYWARP_DEVICE unsigned int curand_poisson(curandStateXORWOW_t* state, double lambda) {
  return __drywarp_poisson(state, lambda);
}
DRYWARP_DEVICE unsigned int curand_poisson(curandStatePhilox4_32_10_t* state, double lambda) {
  return __drywarp_poisson(state, lambda);
}
DRYWARP_DEVICE unsigned int curand_poisson(curandStateMRG32k3a_t* state, double lambda) {
  return __drywarp_poisson(state, lambda);
}
// The least k whose cumulative probability reaches `p`, summed from where it is below 1e-30.
DRYWARP_DEVICE unsigned int __drywarp_poisson_inverse(double p, double lambda) {
  const double start = floor(lambda - 12.0 * sqrt(lambda)), last = lambda + 12.0 * sqrt(lambda) + 64.0;
  double k = start > 0.0 ? start : 0.0;
  double probability = exp(k * log(lambda) - lambda - lgamma(k + 1.0)), sum = probability;
  while (sum < p && k < last) {
    k += 1.0;
    probability *= lambda / k;
    sum += probability;
  }
  return static_cast<unsigned int>(k);
}
DRYWARP_DEVICE unsigned int curand_poisson(curandStateMtgp32_t* state, double lambda) {
  return __drywarp_poisson_inverse(curand_uniform_double(state), lambda);
}
DRYWARP_DEVICE uint4 curand_poisson4(curandStatePhilox4_32_10_t* state, double lambda) {
  const unsigned int x = curand_poisson(state, lambda), y = curand_poisson(state, lambda);
  const unsigned int z = curand_poisson(state, lambda), w = curand_poisson(state, lambda);
  return make_uint4(x, y, z, w);
}

#endif
