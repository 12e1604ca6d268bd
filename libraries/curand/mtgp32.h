// MTGP32's numbers, of the host's interface.
//
// Its generators take turns: 256 numbers of the first, 256 of the second, and so on; when all have had a turn, a round
// is over. A call may end within a round: states on the device are those at the round's beginning.
#pragma once

#include <curand_kernel.h>
#include <curand_mtgp32_host.h>

#include "generator.h"

namespace drywarp::curand {

// A block a generator. The numbers `first` to `first` + n.
template <class D>
__global__ __launch_bounds__(kBlock) void generate_mtgp32(curandStateMtgp32_t* states, uint64_t first, D distribution,
                                                          typename D::Out* out, uint64_t n) {
  __shared__ curandStateMtgp32_t state;
  curandStateMtgp32_t& kept = states[blockIdx.x];
  for (int i = int(threadIdx.x); i < MTGP32_STATE_SIZE; i += kBlock) state.s[i] = kept.s[i];
  if (threadIdx.x == 0) state.offset = kept.offset, state.pIdx = kept.pIdx, state.k = kept.k;
  __syncthreads();
  const uint64_t of_round = uint64_t(gridDim.x) * kBlock, end = first + n, last = end / of_round;
  for (uint64_t round = first / of_round; round < last; ++round) {
    typename D::Out drawn[D::kEach];
    distribution.draw(state, drawn);
    const uint64_t at = round * of_round + blockIdx.x * kBlock + threadIdx.x;
    if (at >= first) out[at - first] = drawn[0];
  }
  for (int i = int(threadIdx.x); i < MTGP32_STATE_SIZE; i += kBlock) kept.s[i] = state.s[i];
  if (threadIdx.x == 0) kept.offset = state.offset;
  if (last * of_round == end) return;
  __syncthreads();
  typename D::Out drawn[D::kEach];  // of the round that the next call continues
  distribution.draw(state, drawn);
  const uint64_t at = last * of_round + blockIdx.x * kBlock + threadIdx.x;
  if (at >= first && at < end) out[at - first] = drawn[0];
}

// The generators' states, and behind them their parameters.
inline curandStatus_t prepare_mtgp32(curandGenerator_st& g) {
  if (g.states) return CURAND_STATUS_SUCCESS;
  const unsigned generators = generators_of(g);
  void* memory = nullptr;
  CURAND_TRY(failed(cudaMalloc(&memory, generators * sizeof(curandStateMtgp32_t) + sizeof(mtgp32_kernel_params_t))));
  auto* const states = static_cast<curandStateMtgp32_t*>(memory);
  auto* const parameters = reinterpret_cast<mtgp32_kernel_params_t*>(states + generators);
  curandStatus_t status = curandMakeMTGP32Constants(mtgp32dc_params_fast_11213, parameters);
  if (status == CURAND_STATUS_SUCCESS)
    status = curandMakeMTGP32KernelState(states, mtgp32dc_params_fast_11213, parameters, int(generators), g.seed);
  if (status != CURAND_STATUS_SUCCESS) {
    cudaFree(memory);
    return status;
  }
  g.states = memory;
  g.turns = 0;
  return CURAND_STATUS_SUCCESS;
}

template <class D>
curandStatus_t with_mtgp32(curandGenerator_st& g, const D& distribution, typename D::Out* out, uint64_t n) {
  CURAND_TRY(prepare_mtgp32(g));
  CURAND_TRY(launch(g.stream, generate_mtgp32<D>, uint64_t(generators_of(g)) * kBlock,
                    static_cast<curandStateMtgp32_t*>(g.states), g.turns, distribution, out, n));
  g.turns += n;
  return CURAND_STATUS_SUCCESS;
}

}  // namespace drywarp::curand
