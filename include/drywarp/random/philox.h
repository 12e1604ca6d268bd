// Philox 4x32-10 (Salmon et al.): a block cipher of a counter; four numbers a block.
#ifndef DRYWARP_RANDOM_PHILOX_H
#define DRYWARP_RANDOM_PHILOX_H
#pragma GCC system_header

#include "drywarp/device/specifiers.h"
#include "drywarp/random/states.h"

DRYWARP_DEVICE uint4 curand_Philox4x32_10(uint4 c, uint2 k) {
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const unsigned high0 = __umulhi(0xd2511f53u, c.x), low0 = 0xd2511f53u * c.x;
    const unsigned high1 = __umulhi(0xcd9e8d57u, c.z), low1 = 0xcd9e8d57u * c.z;
    c = make_uint4(high1 ^ c.y ^ k.x, low1, high0 ^ c.w ^ k.y, low0);
    k.x += 0x9e3779b9u;
    k.y += 0xbb67ae85u;
  }
  return c;
}
// The counter's lower half counts blocks of a sequence, its upper half sequences; the lower half carries into the
// upper.
DRYWARP_DEVICE void __drywarp_advance(uint4* counter, unsigned long long n) {
  const unsigned low = static_cast<unsigned>(n);
  unsigned high = static_cast<unsigned>(n >> 32);
  counter->x += low;
  if (counter->x < low) ++high;
  counter->y += high;
  if (high <= counter->y) return;
  if (++counter->z) return;
  ++counter->w;
}
DRYWARP_DEVICE void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t* state) {
  const unsigned low = static_cast<unsigned>(n);
  unsigned high = static_cast<unsigned>(n >> 32);
  state->ctr.z += low;
  if (state->ctr.z < low) ++high;
  state->ctr.w += high;
  state->output = curand_Philox4x32_10(state->ctr, state->key);
}
DRYWARP_DEVICE void skipahead(unsigned long long n, curandStatePhilox4_32_10_t* state) {
  state->STATE += static_cast<unsigned>(n & 3);
  n /= 4;
  if (state->STATE > 3) {
    ++n;
    state->STATE -= 4;
  }
  __drywarp_advance(&state->ctr, n);
  state->output = curand_Philox4x32_10(state->ctr, state->key);
}
DRYWARP_DEVICE void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                                curandStatePhilox4_32_10_t* state) {
  state->ctr = make_uint4(0, 0, 0, 0);
  state->key = make_uint2(static_cast<unsigned>(seed), static_cast<unsigned>(seed >> 32));
  state->STATE = 0;
  state->boxmuller_flag = state->boxmuller_flag_double = 0;
  state->boxmuller_extra = 0.0f;
  state->boxmuller_extra_double = 0.0;
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
}
DRYWARP_DEVICE unsigned int curand(curandStatePhilox4_32_10_t* state) {
  const uint4 o = state->output;
  const unsigned result = state->STATE == 0 ? o.x : state->STATE == 1 ? o.y : state->STATE == 2 ? o.z : o.w;
  if (++state->STATE == 4) {
    __drywarp_advance(&state->ctr, 1);
    state->output = curand_Philox4x32_10(state->ctr, state->key);
    state->STATE = 0;
  }
  return result;
}
// The next four numbers; they cross a block boundary if the block is partly used.
DRYWARP_DEVICE uint4 curand4(curandStatePhilox4_32_10_t* state) {
  const uint4 now = state->output;
  __drywarp_advance(&state->ctr, 1);
  state->output = curand_Philox4x32_10(state->ctr, state->key);
  const uint4 next = state->output;
  switch (state->STATE) {
    case 0:
      return now;
    case 1:
      return make_uint4(now.y, now.z, now.w, next.x);
    case 2:
      return make_uint4(now.z, now.w, next.x, next.y);
    default:
      return make_uint4(now.w, next.x, next.y, next.z);
  }
}

#endif
