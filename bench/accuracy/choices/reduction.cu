// A sum of an array: threads of a block, elements a thread, and whether warps finish by shuffles.
#include "program.h"

#ifndef BLOCK
#define BLOCK 256
#endif
#ifndef ITEMS
#define ITEMS 4
#endif
#ifndef SHUFFLE
#define SHUFFLE 1
#endif

__global__ void __launch_bounds__(BLOCK) sum(const float* in, float* out) {
  __shared__ float partial[BLOCK];
  const float* from = in + size_t(blockIdx.x) * BLOCK * ITEMS;
  float value = 0;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) value += from[i * BLOCK + threadIdx.x];
  partial[threadIdx.x] = value;
  __syncthreads();
  for (int stride = BLOCK / 2; stride >= (SHUFFLE ? 32 : 1); stride /= 2) {
    if (threadIdx.x < stride) partial[threadIdx.x] += partial[threadIdx.x + stride];
    __syncthreads();
  }
#if SHUFFLE
  if (threadIdx.x < 32) {
    value = partial[threadIdx.x];
    for (int stride = 16; stride > 0; stride /= 2) value += __shfl_down_sync(~0u, value, stride);
    if (threadIdx.x == 0) atomicAdd(out, value);
  }
#else
  if (threadIdx.x == 0) atomicAdd(out, partial[0]);
#endif
}

int main(int argc, char** argv) {
  const int n = argument(argc, argv, 1, 1 << 22);
  const std::vector<float> in = whole_numbers(n, 1);
  float *from = on_device(in), *to = on_device(std::vector<float>(1));
  sum<<<n / (BLOCK * ITEMS), BLOCK>>>(from, to);
  double right = 0;
  for (float x : in) right += x;
  return report(on_host(to, 1), [&](size_t) { return right; });
}
