// MRG32k3a (L'Ecuyer): two recurrences of order three, combined. Skips are powers of their matrices.
#ifndef DRYWARP_RANDOM_MRG32K3A_H
#define DRYWARP_RANDOM_MRG32K3A_H
#pragma GCC system_header

#include "drywarp/device/specifiers.h"
#include "drywarp/random/box_muller.h"
#include "drywarp/random/states.h"

#define MRG32K3A_MOD1 4294967087.0
#define MRG32K3A_MOD2 4294944443.0
#define MRG32K3A_NORM (2.3283065498378288e-10)
#define MRG32K3A_BITS_NORM (1.000000048662)

struct __drywarp_mrg_matrix {
  unsigned int at[3][3];
};
// The matrices of one step and of 2^76 and 2^127 steps, for both recurrences.
static __device__ const __drywarp_mrg_matrix __drywarp_mrg_steps[2] = {
    {{{0u, 1u, 0u}, {0u, 0u, 1u}, {4294156359u, 1403580u, 0u}}},
    {{{0u, 1u, 0u}, {0u, 0u, 1u}, {4293573854u, 0u, 527612u}}}};
static __device__ const __drywarp_mrg_matrix __drywarp_mrg_subsequences[2] = {
    {{{82758667u, 1871391091u, 4127413238u},
      {3672831523u, 69195019u, 1871391091u},
      {3672091415u, 3528743235u, 69195019u}}},
    {{{1511326704u, 3759209742u, 1610795712u},
      {4292754251u, 1511326704u, 3889917532u},
      {3859662829u, 4292754251u, 3708466080u}}}};
static __device__ const __drywarp_mrg_matrix __drywarp_mrg_sequences[2] = {{{{2427906178u, 3580155704u, 949770784u},
                                                                             {226153695u, 1230515664u, 3580155704u},
                                                                             {1988835001u, 986791581u, 1230515664u}}},
                                                                           {{{1464411153u, 277697599u, 1610723613u},
                                                                             {32183930u, 1464411153u, 1022607788u},
                                                                             {2824425944u, 32183930u, 2093834863u}}}};

// state = matrix^n * state
DRYWARP_DEVICE void __drywarp_mrg_skip(const __drywarp_mrg_matrix& matrix, unsigned long long n,
                                       unsigned int (&state)[3], unsigned long long modulus) {
  __drywarp_mrg_matrix power = matrix;
  for (; n != 0; n >>= 1) {
    if (n & 1) {
      unsigned int moved[3];
      for (int i = 0; i < 3; ++i) {
        unsigned long long sum = 0;
        for (int k = 0; k < 3; ++k)
          sum = (sum + static_cast<unsigned long long>(power.at[i][k]) * state[k] % modulus) % modulus;
        moved[i] = static_cast<unsigned int>(sum);
      }
      for (int i = 0; i < 3; ++i) state[i] = moved[i];
    }
    if (n == 1) return;
    __drywarp_mrg_matrix square;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        unsigned long long sum = 0;
        for (int k = 0; k < 3; ++k)
          sum = (sum + static_cast<unsigned long long>(power.at[i][k]) * power.at[k][j] % modulus) % modulus;
        square.at[i][j] = static_cast<unsigned int>(sum);
      }
    power = square;
  }
}
DRYWARP_DEVICE void __drywarp_mrg_skip(const __drywarp_mrg_matrix (&matrices)[2], unsigned long long n,
                                       curandStateMRG32k3a_t* state) {
  __drywarp_mrg_skip(matrices[0], n, state->s1, 4294967087ull);
  __drywarp_mrg_skip(matrices[1], n, state->s2, 4294944443ull);
}
DRYWARP_DEVICE void skipahead(unsigned long long n, curandStateMRG32k3a_t* state) {
  __drywarp_mrg_skip(__drywarp_mrg_steps, n, state);
}
DRYWARP_DEVICE void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a_t* state) {
  __drywarp_mrg_skip(__drywarp_mrg_subsequences, n, state);
}
DRYWARP_DEVICE void skipahead_sequence(unsigned long long n, curandStateMRG32k3a_t* state) {
  __drywarp_mrg_skip(__drywarp_mrg_sequences, n, state);
}
DRYWARP_DEVICE void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                                curandStateMRG32k3a_t* state) {
  for (int i = 0; i < 3; ++i) state->s1[i] = state->s2[i] = 12345u;
  if (seed != 0) {
    const unsigned int x = static_cast<unsigned int>(seed) ^ 0x55555555u;
    const unsigned int y = static_cast<unsigned int>(seed >> 32) ^ 0xaaaaaaaau;
    for (int i = 0; i < 3; ++i) {
      state->s1[i] =
          static_cast<unsigned int>(static_cast<unsigned long long>(i == 1 ? y : x) * state->s1[i] % 4294967087ull);
      state->s2[i] =
          static_cast<unsigned int>(static_cast<unsigned long long>(i == 1 ? x : y) * state->s2[i] % 4294944443ull);
    }
  }
  skipahead_subsequence(subsequence, state);
  skipahead(offset, state);
  state->boxmuller_flag = state->boxmuller_flag_double = 0;
  state->boxmuller_extra = state->unused = 0.0f;
  state->boxmuller_extra_double = 0.0;
}
// In [1, 2^32 - 209].
DRYWARP_DEVICE double curand_MRG32k3a(curandStateMRG32k3a_t* state) {
  constexpr long long modulus1 = 4294967087ll, modulus2 = 4294944443ll;
  long long p1 = (1403580ll * state->s1[1] - 810728ll * state->s1[0]) % modulus1;
  if (p1 < 0) p1 += modulus1;
  state->s1[0] = state->s1[1];
  state->s1[1] = state->s1[2];
  state->s1[2] = static_cast<unsigned int>(p1);
  long long p2 = (527612ll * state->s2[2] - 1370589ll * state->s2[0]) % modulus2;
  if (p2 < 0) p2 += modulus2;
  state->s2[0] = state->s2[1];
  state->s2[1] = state->s2[2];
  state->s2[2] = static_cast<unsigned int>(p2);
  return static_cast<double>(p1 <= p2 ? p1 - p2 + modulus1 : p1 - p2);
}
DRYWARP_DEVICE unsigned int curand(curandStateMRG32k3a_t* state) {
  return static_cast<unsigned int>(curand_MRG32k3a(state) * MRG32K3A_BITS_NORM);
}
DRYWARP_DEVICE float curand_uniform(curandStateMRG32k3a_t* state) {
  return static_cast<float>(curand_MRG32k3a(state) * MRG32K3A_NORM);
}
DRYWARP_DEVICE double curand_uniform_double(curandStateMRG32k3a_t* state) {
  return curand_MRG32k3a(state) * MRG32K3A_NORM;
}
DRYWARP_DEVICE float2 curand_normal2(curandStateMRG32k3a_t* state) {
  const float u = curand_uniform(state), angle = curand_uniform(state) * 6.2831855f;
  return __drywarp_normal_pair(u, angle);
}
DRYWARP_DEVICE double2 curand_normal2_double(curandStateMRG32k3a_t* state) {
  const double u = curand_uniform_double(state), angle = curand_uniform_double(state) * 2.0;
  return __drywarp_normal_pair(u, angle);
}

#endif
