// A sum: each thread adds ITEMS elements before the block's threads add up theirs.
//
//   drywarp sweep examples/sweeps/reduction.toml
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#ifndef BLOCK
#define BLOCK 256
#endif
#ifndef ITEMS
#define ITEMS 1
#endif

__global__ void sum(const float* in, float* out) {
  __shared__ float part[BLOCK];
  const float* from = in + size_t(blockIdx.x) * BLOCK * ITEMS;
  float mine = 0;
  for (int i = 0; i < ITEMS; ++i) mine += from[i * BLOCK + threadIdx.x];
  part[threadIdx.x] = mine;
  for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
    __syncthreads();
    if (threadIdx.x < stride) part[threadIdx.x] += part[threadIdx.x + stride];
  }
  if (threadIdx.x == 0) atomicAdd(out, part[0]);
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1 << 20;
  std::vector<float> in(n, 1);
  float *from = nullptr, *to = nullptr, result = 0;
  cudaMalloc(&from, n * sizeof(float));
  cudaMalloc(&to, sizeof(float));
  cudaMemcpy(from, in.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(to, 0, sizeof(float));
  sum<<<n / (BLOCK * ITEMS), BLOCK>>>(from, to);
  if (cudaMemcpy(&result, to, sizeof(float), cudaMemcpyDeviceToHost) != cudaSuccess || result != float(n)) return 1;
  std::puts("PASS");
}
