// Independent chains a thread against warps of a multiprocessor: parallelism within a thread can replace occupancy.
// SHARED_KB of shared memory that nobody uses keep other blocks away.
//
//   drywarp sweep examples/sweeps/occupancy.toml
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#ifndef CHAINS
#define CHAINS 1
#endif
#ifndef SHARED_KB
#define SHARED_KB 0
#endif
constexpr int kBlock = 128, kSteps = 16;

__global__ void chains(const float* in, float* out, int n) {
  float value[CHAINS];
  const int threads = gridDim.x * kBlock, first = blockIdx.x * kBlock + threadIdx.x;
#pragma unroll
  for (int c = 0; c < CHAINS; ++c) value[c] = in[c * threads + first];
  for (int s = 1; s <= kSteps; ++s)
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) value[c] = value[c] * 0.5f + in[(s * 4096 + c * threads + first) & (n - 1)];
#pragma unroll
  for (int c = 0; c < CHAINS; ++c) out[c * threads + first] = value[c];
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1 << 19;  // a power of two
  float *from = nullptr, *to = nullptr;
  cudaMalloc(&from, n * sizeof(float));
  cudaMalloc(&to, n * sizeof(float));
  cudaMemset(from, 0, n * sizeof(float));
  cudaFuncSetAttribute(chains, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_KB * 1024);
  chains<<<n / (kBlock * CHAINS), kBlock, SHARED_KB * 1024>>>(from, to, n);
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  std::puts("PASS");
}
