// XORWOW (Marsaglia): five words of xorshift and a counter.
#ifndef DRYWARP_RANDOM_XORWOW_H
#define DRYWARP_RANDOM_XORWOW_H
#pragma GCC system_header

#include "drywarp/device/specifiers.h"
#include "drywarp/random/states.h"
#include "drywarp/random/xorwow_jumps.h"

DRYWARP_DEVICE void __drywarp_step(unsigned int (&v)[5]) {
  const unsigned t = v[0] ^ (v[0] >> 2);
  v[0] = v[1];
  v[1] = v[2];
  v[2] = v[3];
  v[3] = v[4];
  v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
}
DRYWARP_DEVICE unsigned int curand(curandStateXORWOW_t* state) {
  __drywarp_step(state->v);
  state->d += 362437u;
  return state->v[4] + state->d;
}

// Jumps count * 2^first steps ahead.
static __device__ inline void __drywarp_jump(curandStateXORWOW_t* state, unsigned long long count, int first) {
  for (int k = first; count != 0 && k < 100; ++k, count >>= 1) {
    if ((count & 1) == 0) continue;
    unsigned sum[5] = {0, 0, 0, 0, 0};
    for (int i = 0; i < 160; ++i) {
      if ((__drywarp_xorwow_jumps[k][i / 32] >> (i % 32)) & 1u)
        for (int j = 0; j < 5; ++j) sum[j] ^= state->v[j];
      __drywarp_step(state->v);
    }
    for (int j = 0; j < 5; ++j) state->v[j] = sum[j];
  }
}
static __device__ inline void skipahead(unsigned long long n, curandStateXORWOW_t* state) {
  __drywarp_jump(state, n, 0);
  state->d += 362437u * static_cast<unsigned>(n);
}
// Sequences are 2^67 numbers apart, a multiple of the counter's period.
static __device__ inline void skipahead_sequence(unsigned long long n, curandStateXORWOW_t* state) {
  __drywarp_jump(state, n, 67);
}
static __device__ inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                                          unsigned long long offset, curandStateXORWOW_t* state) {
  const unsigned s0 = static_cast<unsigned>(seed) ^ 0xaad26b49u, s1 = static_cast<unsigned>(seed >> 32) ^ 0xf7dcefddu;
  const unsigned t0 = 1099087573u * s0, t1 = 2591861531u * s1;
  state->d = 6615241u + t1 + t0;
  state->v[0] = 123456789u + t0;
  state->v[1] = 362436069u ^ t0;
  state->v[2] = 521288629u + t1;
  state->v[3] = 88675123u ^ t1;
  state->v[4] = 5783321u + t0;
  state->boxmuller_flag = state->boxmuller_flag_double = 0;
  state->boxmuller_extra = state->unused = 0.0f;
  state->boxmuller_extra_double = 0.0;
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
}

#endif
