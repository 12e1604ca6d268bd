// Independent chains a thread against warps of a multiprocessor: parallelism within a thread can replace occupancy.
// SHARED_KB of shared memory a block keep other blocks away.
#include "program.h"

#ifndef BLOCK
#define BLOCK 256
#endif
#ifndef CHAINS
#define CHAINS 1
#endif
#ifndef SHARED_KB
#define SHARED_KB 0
#endif

__global__ void __launch_bounds__(BLOCK) chains(const float* in, float* out, int n, int steps) {
  float value[CHAINS];
  const int threads = gridDim.x * BLOCK, first = blockIdx.x * BLOCK + threadIdx.x;
#pragma unroll
  for (int c = 0; c < CHAINS; ++c) value[c] = in[c * threads + first];
  for (int s = 0; s < steps; ++s)
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) value[c] = value[c] * 0.5f + in[(s * 4099 + c * threads + first) % n];
#pragma unroll
  for (int c = 0; c < CHAINS; ++c) out[c * threads + first] = value[c];
}

int main(int argc, char** argv) {
  const int n = argument(argc, argv, 1, 1 << 19), steps = 16;
  const std::vector<float> in = whole_numbers(n, 1);
  float *from = on_device(in), *to = on_device(in);
  check(cudaFuncSetAttribute(chains, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_KB * 1024), "cudaFuncSetAttribute");
  chains<<<n / (BLOCK * CHAINS), BLOCK, SHARED_KB * 1024>>>(from, to, n, steps);
  const int threads = n / CHAINS;
  return report(on_host(to, n), [&](size_t i) {
    const size_t c = i / threads, first = i % threads;
    float value = in[i];
    for (int s = 0; s < steps; ++s) value = value * 0.5f + in[(size_t(s) * 4099 + c * threads + first) % n];
    return value;
  }, 1e-5);
}
