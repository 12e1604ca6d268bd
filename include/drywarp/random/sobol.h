// Sobol's quasi-random sequences, plain and scrambled, of 32 and 64 bits: element i is the sum (exclusive or) of the
// direction vectors that the Gray code of i names.
#ifndef DRYWARP_RANDOM_SOBOL_H
#define DRYWARP_RANDOM_SOBOL_H
#pragma GCC system_header

#include "drywarp/random/distributions.h"
#include "drywarp/random/states.h"

// By the inverse of the distribution function; halves mirror each other, so that both tails are precise.
DRYWARP_DEVICE float __drywarp_inverse_normal(unsigned int x) {
  float s = -1.4142135f;
  if (x > 0x80000000u) {
    x = 0xffffffffu - x;
    s = -s;
  }
  return s * erfcinvf(2.0f * __builtin_fmaf(static_cast<float>(x), CURAND_2POW32_INV, CURAND_2POW32_INV / 2.0f));
}
DRYWARP_DEVICE double __drywarp_inverse_normal_double(unsigned int x) {
  double s = -1.4142135623730951;
  if (x > 0x80000000u) {
    x = 0xffffffffu - x;
    s = -s;
  }
  return s *
         erfcinv(2.0 * __builtin_fma(static_cast<double>(x), CURAND_2POW32_INV_DOUBLE, CURAND_2POW32_INV_DOUBLE / 2.0));
}
DRYWARP_DEVICE double __drywarp_inverse_normal_double(unsigned long long x) {
  double s = -1.4142135623730951;
  x >>= 11;
  if (x > 0x10000000000000ull) {
    x = 0x1fffffffffffffull - x;
    s = -s;
  }
  return s *
         erfcinv(2.0 * __builtin_fma(static_cast<double>(x), CURAND_2POW53_INV_DOUBLE, CURAND_2POW53_INV_DOUBLE / 2.0));
}
DRYWARP_DEVICE float __drywarp_uniform(unsigned long long x) {
  return __drywarp_uniform(static_cast<unsigned int>(x >> 32));
}
DRYWARP_DEVICE float __drywarp_inverse_normal(unsigned long long x) {
  return __drywarp_inverse_normal(static_cast<unsigned int>(x >> 32));
}
DRYWARP_DEVICE double __drywarp_uniform_double_of(unsigned int x) {
  return __builtin_fma(static_cast<double>(x), CURAND_2POW32_INV_DOUBLE, CURAND_2POW32_INV_DOUBLE);
}
DRYWARP_DEVICE double __drywarp_uniform_double_of(unsigned long long x) {
  return __builtin_fma(static_cast<double>(x >> 11), CURAND_2POW53_INV_DOUBLE, CURAND_2POW53_INV_DOUBLE / 2.0);
}

#define DRYWARP_SOBOL(State, Word, bits)                                                                              \
  DRYWARP_DEVICE void skipahead(Word n, State* state) {                                                               \
    state->i += n;                                                                                                    \
    state->x = state->c;                                                                                              \
    const Word gray = state->i ^ (state->i >> 1);                                                                     \
    for (int k = 0; k < bits; ++k)                                                                                    \
      if (gray >> k & 1) state->x ^= state->direction_vectors[k];                                                     \
  }                                                                                                                   \
  DRYWARP_DEVICE Word curand(State* state) {                                                                          \
    const Word result = state->x;                                                                                     \
    const int zero = __ffsll(static_cast<long long>(~static_cast<unsigned long long>(state->i))) - 1;                 \
    state->x ^= state->direction_vectors[zero < bits ? zero : bits - 1];                                              \
    ++state->i;                                                                                                       \
    return result;                                                                                                    \
  }                                                                                                                   \
  DRYWARP_DEVICE float curand_uniform(State* state) { return __drywarp_uniform(curand(state)); }                      \
  DRYWARP_DEVICE double curand_uniform_double(State* state) { return __drywarp_uniform_double_of(curand(state)); }    \
  DRYWARP_DEVICE float curand_normal(State* state) { return __drywarp_inverse_normal(curand(state)); }                \
  DRYWARP_DEVICE double curand_normal_double(State* state) { return __drywarp_inverse_normal_double(curand(state)); } \
  DRYWARP_DEVICE float curand_log_normal(State* state, float mean, float deviation) {                                 \
    return expf(mean + deviation * curand_normal(state));                                                             \
  }                                                                                                                   \
  DRYWARP_DEVICE double curand_log_normal_double(State* state, double mean, double deviation) {                       \
    return exp(mean + deviation * curand_normal_double(state));                                                       \
  }
#define DRYWARP_PLAIN_SOBOL(State, Word, bits)                                      \
  DRYWARP_SOBOL(State, Word, bits)                                                  \
  DRYWARP_DEVICE void curand_init(const Word* vectors, Word offset, State* state) { \
    for (int k = 0; k < bits; ++k) state->direction_vectors[k] = vectors[k];        \
    state->i = state->x = state->c = 0;                                             \
    skipahead(offset, state);                                                       \
  }
#define DRYWARP_SCRAMBLED_SOBOL(State, Word, bits)                                                 \
  DRYWARP_SOBOL(State, Word, bits)                                                                 \
  DRYWARP_DEVICE void curand_init(const Word* vectors, Word scramble, Word offset, State* state) { \
    for (int k = 0; k < bits; ++k) state->direction_vectors[k] = vectors[k];                       \
    state->i = 0;                                                                                  \
    state->x = state->c = scramble;                                                                \
    skipahead(offset, state);                                                                      \
  }
DRYWARP_PLAIN_SOBOL(curandStateSobol32_t, unsigned int, 32)
DRYWARP_PLAIN_SOBOL(curandStateSobol64_t, unsigned long long, 64)
DRYWARP_SCRAMBLED_SOBOL(curandStateScrambledSobol32_t, unsigned int, 32)
DRYWARP_SCRAMBLED_SOBOL(curandStateScrambledSobol64_t, unsigned long long, 64)
#undef DRYWARP_PLAIN_SOBOL
#undef DRYWARP_SCRAMBLED_SOBOL
#undef DRYWARP_SOBOL

#endif
