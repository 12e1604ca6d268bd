// Preparing MTGP32's parameters and states for kernels.
#ifndef DRYWARP_CURAND_MTGP32_HOST_H
#define DRYWARP_CURAND_MTGP32_HOST_H
#define CURAND_MTGP32_HOST_H

#include <string.h>

#include <vector>

#include "cuda_runtime.h"
#include "curand.h"
#include "curand_mtgp32.h"
#include "curand_mtgp32dc_p_11213.h"

// The first 351 words of a sequence, as its authors' mtgp32_init.
static inline void mtgp32_init_state(unsigned int state[], const mtgp32_params_fast_t* para, unsigned int seed) {
  const unsigned int hidden = para->tbl[4] ^ (para->tbl[8] << 16);
  unsigned int byte = hidden;
  byte += byte >> 16;
  byte += byte >> 8;
  memset(state, static_cast<int>(byte & 0xff), sizeof(unsigned int) * MTGPDC_N);
  state[0] = seed;
  state[1] = hidden;
  for (unsigned int i = 1; i < MTGPDC_N; ++i) state[i] ^= 1812433253u * (state[i - 1] ^ (state[i - 1] >> 30)) + i;
}

static inline curandStatus_t curandMakeMTGP32Constants(const mtgp32_params_fast_t params[], mtgp32_kernel_params_t* p) {
  std::vector<mtgp32_kernel_params_t> one(1);
  mtgp32_kernel_params_t& made = one[0];
  made.mask[0] = params[0].mask;
  for (int i = 0; i < CURAND_NUM_MTGP32_PARAMS; ++i) {
    made.pos_tbl[i] = static_cast<unsigned int>(params[i].pos);
    made.sh1_tbl[i] = static_cast<unsigned int>(params[i].sh1);
    made.sh2_tbl[i] = static_cast<unsigned int>(params[i].sh2);
    memcpy(made.param_tbl[i], params[i].tbl, sizeof params[i].tbl);
    memcpy(made.temper_tbl[i], params[i].tmp_tbl, sizeof params[i].tmp_tbl);
    memcpy(made.single_temper_tbl[i], params[i].flt_tmp_tbl, sizeof params[i].flt_tmp_tbl);
  }
  return cudaMemcpy(p, &made, sizeof made, cudaMemcpyHostToDevice) == cudaSuccess ? CURAND_STATUS_SUCCESS
                                                                                  : CURAND_STATUS_INITIALIZATION_FAILED;
}

// State i has the set of parameters i, and a seed of its own.
static inline curandStatus_t curandMakeMTGP32KernelState(curandStateMtgp32_t* s, mtgp32_params_fast_t params[],
                                                         mtgp32_kernel_params_t* k, int n, unsigned long long seed) {
  std::vector<curandStateMtgp32_t> made(static_cast<size_t>(n));
  const unsigned int folded = static_cast<unsigned int>(seed ^ (seed >> 32));
  for (int i = 0; i < n; ++i) {
    mtgp32_init_state(made[i].s, &params[i], folded + static_cast<unsigned int>(i) + 1);
    made[i].pIdx = i;
    made[i].k = k;
  }
  return cudaMemcpy(s, made.data(), sizeof made[0] * made.size(), cudaMemcpyHostToDevice) == cudaSuccess
             ? CURAND_STATUS_SUCCESS
             : CURAND_STATUS_INITIALIZATION_FAILED;
}

#endif
