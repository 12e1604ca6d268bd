// A generator of cuRAND's host interface.
//
// Numbers come in turns. XORWOW and MRG32k3a divide their sequence among threads: turn k is that of thread k mod
// `threads`, whose state is that of the subsequence of its number. Philox has four numbers of each subsequence.
// MTGP32's generators take turns of 256 numbers. An H200's cuRAND gave the same numbers.
#pragma once

#include <curand.h>

#include <cstdint>

struct curandGenerator_st {
  curandRngType_t type = CURAND_RNG_PSEUDO_XORWOW;
  bool to_host = false;
  cudaStream_t stream = nullptr;
  unsigned long long seed = 0, offset = 0;
  curandOrdering_t order = CURAND_ORDERING_PSEUDO_DEFAULT;
  unsigned dimensions = 1;  // of a quasi-random sequence
  void* states = nullptr;   // on the device: of every thread, or the direction vectors; null: not made yet
  uint64_t turns = 0;       // so many have been taken, with states the offset included; of Philox and MTGP32, numbers
};

namespace drywarp::curand {

inline constexpr int kBlock = 256;
inline constexpr unsigned kMostDimensions = 1111;

// Threads that share the sequence of a generator with states.
inline unsigned threads_of(const curandGenerator_st& g) {
  return g.type == CURAND_RNG_PSEUDO_MRG32K3A && g.order != CURAND_ORDERING_PSEUDO_LEGACY ? 81920 : 4096;
}
// MTGP32's generators, each with its own set of parameters.
inline unsigned generators_of(const curandGenerator_st& g) {
  return g.order == CURAND_ORDERING_PSEUDO_LEGACY ? 64 : 192;
}
inline bool is_quasi(curandRngType_t type) { return type == CURAND_RNG_QUASI_SOBOL32; }

// Without <<<>>>, whose errors would be the program's last error.
template <class... Parameters, class... Arguments>
curandStatus_t launch(cudaStream_t stream, void (*kernel)(Parameters...), uint64_t threads, Arguments... arguments) {
  constexpr uint64_t kMostBlocks = 1u << 16;  // threads take several turns
  const uint64_t blocks = (threads + kBlock - 1) / kBlock;
  const auto run = [&](Parameters... given) {
    void* pointers[] = {&given...};
    return cudaLaunchKernel(reinterpret_cast<const void*>(kernel),
                            dim3(unsigned(blocks < kMostBlocks ? blocks : kMostBlocks)), kBlock, pointers, 0, stream);
  };
  return run(arguments...) == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}

inline curandStatus_t failed(cudaError_t error) {
  return error == cudaSuccess                 ? CURAND_STATUS_SUCCESS
         : error == cudaErrorMemoryAllocation ? CURAND_STATUS_ALLOCATION_FAILED
                                              : CURAND_STATUS_LAUNCH_FAILURE;
}

#define CURAND_TRY(call) \
  if (const curandStatus_t status = (call)) return status

}  // namespace drywarp::curand
