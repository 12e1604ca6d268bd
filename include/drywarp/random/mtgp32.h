// MTGP32 (Saito and Matsumoto): a Mersenne Twister whose state a block's threads share. Every thread of the block draws
// at once, thread t the number t of those that are next.
#ifndef DRYWARP_RANDOM_MTGP32_H
#define DRYWARP_RANDOM_MTGP32_H
#pragma GCC system_header

#include "curand_mtgp32.h"
#include "drywarp/device/specifiers.h"
#include "drywarp/random/distributions.h"
#include "drywarp/random/sobol.h"

// The word 351 places after number t of the state, and in `helper` what it is tempered by.
DRYWARP_DEVICE unsigned int __drywarp_mtgp32_next(const curandStateMtgp32_t* state, unsigned int t,
                                                  unsigned int* helper) {
  const mtgp32_kernel_params_t* const k = state->k;
  const int set = state->pIdx;
  const unsigned int at = t + static_cast<unsigned int>(state->offset), pos = k->pos_tbl[set];
  unsigned int x = (state->s[at & MTGP32_STATE_MASK] & k->mask[0]) ^ state->s[(at + 1) & MTGP32_STATE_MASK];
  x ^= x << k->sh1_tbl[set];
  const unsigned int y = x ^ (state->s[(at + pos) & MTGP32_STATE_MASK] >> k->sh2_tbl[set]);
  unsigned int h = state->s[(at + pos - 1) & MTGP32_STATE_MASK];
  h ^= h >> 16;
  h ^= h >> 8;
  *helper = h & 0x0f;
  return y ^ k->param_tbl[set][y & 0x0f];
}
// Number t of the `count` that the block draws together.
DRYWARP_DEVICE unsigned int __drywarp_mtgp32_draw(curandStateMtgp32_t* state, unsigned int t, unsigned int count,
                                                  bool single) {
  unsigned int helper;
  const unsigned int word = __drywarp_mtgp32_next(state, t, &helper);
  state->s[(t + static_cast<unsigned int>(state->offset) + MTGPDC_N) & MTGP32_STATE_MASK] = word;
  const int set = state->pIdx;
  const unsigned int drawn =
      single ? (word >> 9) ^ state->k->single_temper_tbl[set][helper] : word ^ state->k->temper_tbl[set][helper];
  __syncthreads();
  if (t == 0) state->offset = static_cast<int>((static_cast<unsigned int>(state->offset) + count) & MTGP32_STATE_MASK);
  __syncthreads();
  return drawn;
}
DRYWARP_DEVICE unsigned int __drywarp_thread_of_block() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
DRYWARP_DEVICE unsigned int curand(curandStateMtgp32_t* state) {
  return __drywarp_mtgp32_draw(state, __drywarp_thread_of_block(), blockDim.x * blockDim.y * blockDim.z, false);
}
DRYWARP_DEVICE unsigned int curand_mtgp32_specific(curandStateMtgp32_t* state, unsigned char index, unsigned char n) {
  return __drywarp_mtgp32_draw(state, index, n, false);
}
// From 1 to 2.
DRYWARP_DEVICE float curand_mtgp32_single(curandStateMtgp32_t* state) {
  return __uint_as_float(
      __drywarp_mtgp32_draw(state, __drywarp_thread_of_block(), blockDim.x * blockDim.y * blockDim.z, true));
}
DRYWARP_DEVICE float curand_mtgp32_single_specific(curandStateMtgp32_t* state, unsigned char index, unsigned char n) {
  return __uint_as_float(__drywarp_mtgp32_draw(state, index, n, true));
}

// One word each: all threads must draw equally often.
DRYWARP_DEVICE float curand_uniform(curandStateMtgp32_t* state) { return __drywarp_uniform(curand(state)); }
DRYWARP_DEVICE double curand_uniform_double(curandStateMtgp32_t* state) {
  return __drywarp_uniform_double_of(curand(state));
}
DRYWARP_DEVICE float curand_normal(curandStateMtgp32_t* state) { return __drywarp_inverse_normal(curand(state)); }
DRYWARP_DEVICE double curand_normal_double(curandStateMtgp32_t* state) {
  return __drywarp_inverse_normal_double(curand(state));
}
DRYWARP_DEVICE float curand_log_normal(curandStateMtgp32_t* state, float mean, float deviation) {
  return expf(mean + deviation * curand_normal(state));
}
DRYWARP_DEVICE double curand_log_normal_double(curandStateMtgp32_t* state, double mean, double deviation) {
  return exp(mean + deviation * curand_normal_double(state));
}

#endif
