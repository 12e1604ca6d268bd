// A convolution of rows with a filter in constant memory: threads of a block, outputs a thread, and the filter's radius.
#include "program.h"

#ifndef BLOCK
#define BLOCK 128
#endif
#ifndef ITEMS
#define ITEMS 4
#endif
#ifndef SHARED
#define SHARED 1
#endif
constexpr int kRadius = 8, kTaps = 2 * kRadius + 1, kTile = BLOCK * ITEMS;

__constant__ float filter[kTaps];

__global__ void __launch_bounds__(BLOCK) convolution(const float* in, float* out) {
  const float* from = in + size_t(blockIdx.x) * kTile;
#if SHARED
  __shared__ float tile[kTile + 2 * kRadius];
  for (int i = threadIdx.x; i < kTile + 2 * kRadius; i += BLOCK) tile[i] = from[i];
  __syncthreads();
  from = tile;
#endif
#pragma unroll
  for (int item = 0; item < ITEMS; ++item) {
    float sum = 0;
#pragma unroll
    for (int tap = 0; tap < kTaps; ++tap) sum += filter[tap] * from[item * BLOCK + threadIdx.x + tap];
    out[size_t(blockIdx.x) * kTile + item * BLOCK + threadIdx.x] = sum;
  }
}

int main(int argc, char** argv) {
  const int n = argument(argc, argv, 1, 1 << 21);
  const std::vector<float> in = whole_numbers(n + 2 * kRadius, 1), taps = whole_numbers(kTaps, 2);
  check(cudaMemcpyToSymbol(filter, taps.data(), sizeof filter), "cudaMemcpyToSymbol");
  float *from = on_device(in), *to = on_device(in);
  convolution<<<n / kTile, BLOCK>>>(from, to);
  return report(on_host(to, n), [&](size_t i) {
    double sum = 0;
    for (int tap = 0; tap < kTaps; ++tap) sum += double(taps[tap]) * in[i + tap];
    return sum;
  });
}
