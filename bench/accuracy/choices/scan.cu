// Prefix sums of tiles: threads of a block, and elements a thread, which are neighbours.
#include "program.h"

#ifndef BLOCK
#define BLOCK 256
#endif
#ifndef ITEMS
#define ITEMS 4
#endif

__global__ void __launch_bounds__(BLOCK) scan(const float* in, float* out) {
  __shared__ float tile[BLOCK * ITEMS], of_warp[32];
  const size_t base = size_t(blockIdx.x) * BLOCK * ITEMS;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) tile[i * BLOCK + threadIdx.x] = in[base + i * BLOCK + threadIdx.x];
  __syncthreads();
  float values[ITEMS], sum = 0;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) values[i] = sum += tile[threadIdx.x * ITEMS + i];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float before = sum;
  for (int stride = 1; stride < 32; stride *= 2) {
    const float other = __shfl_up_sync(~0u, before, stride);
    if (lane >= stride) before += other;
  }
  if (lane == 31) of_warp[warp] = before;
  __syncthreads();
  before -= sum;
  for (int w = 0; w < warp; ++w) before += of_warp[w];
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) tile[threadIdx.x * ITEMS + i] = values[i] + before;
  __syncthreads();
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) out[base + i * BLOCK + threadIdx.x] = tile[i * BLOCK + threadIdx.x];
}

int main(int argc, char** argv) {
  const int n = argument(argc, argv, 1, 1 << 21), tile = BLOCK * ITEMS;
  const std::vector<float> in = whole_numbers(n, 1);
  float *from = on_device(in), *to = on_device(in);
  scan<<<n / tile, BLOCK>>>(from, to);
  std::vector<double> right(n);
  for (int i = 0; i < n; ++i) right[i] = in[i] + (i % tile ? right[i - 1] : 0);
  return report(on_host(to, n), [&](size_t i) { return right[i]; });
}
