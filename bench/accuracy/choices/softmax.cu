// Softmax of rows: a row a block of BLOCK threads, or a row a warp with WARPS warps of a block.
#include "program.h"

#ifndef BLOCK
#define BLOCK 256
#endif
#ifndef ROW_THREADS
#define ROW_THREADS 32
#endif
constexpr int kRows = BLOCK / ROW_THREADS, kWarps = (ROW_THREADS + 31) / 32;

template <class Combine>
__device__ float over_row(float value, Combine combine, float (*shared)[kWarps]) {
  for (int stride = 16; stride > 0; stride /= 2) value = combine(value, __shfl_xor_sync(~0u, value, stride));
  if (kWarps == 1) return value;
  float* const mine = shared[threadIdx.x / ROW_THREADS];
  if (threadIdx.x % 32 == 0) mine[threadIdx.x % ROW_THREADS / 32] = value;
  __syncthreads();
  value = mine[0];
#pragma unroll
  for (int w = 1; w < kWarps; ++w) value = combine(value, mine[w]);
  __syncthreads();
  return value;
}

__global__ void __launch_bounds__(BLOCK) softmax(const float* in, float* out, int n) {
  __shared__ float shared[kRows][kWarps];
  const size_t row = size_t(blockIdx.x) * kRows + threadIdx.x / ROW_THREADS;
  const int t = threadIdx.x % ROW_THREADS;
  float most = -INFINITY, sum = 0;
  for (int i = t; i < n; i += ROW_THREADS) most = fmaxf(most, in[row * n + i]);
  most = over_row(most, [](float a, float b) { return fmaxf(a, b); }, shared);
  for (int i = t; i < n; i += ROW_THREADS) sum += __expf(in[row * n + i] - most);
  sum = over_row(sum, [](float a, float b) { return a + b; }, shared);
  const float scale = 1 / sum;
  for (int i = t; i < n; i += ROW_THREADS) out[row * n + i] = __expf(in[row * n + i] - most) * scale;
}

int main(int argc, char** argv) {
  const int rows = argument(argc, argv, 1, 2048), n = argument(argc, argv, 2, 1024);
  const std::vector<float> in = whole_numbers(size_t(rows) * n, 1);
  float *from = on_device(in), *to = on_device(in);
  softmax<<<rows / kRows, BLOCK>>>(from, to, n);
  std::vector<double> sums(rows);
  for (size_t i = 0; i < in.size(); ++i) sums[i / n] += std::exp(double(in[i]));
  return report(on_host(to, in.size()), [&](size_t i) { return std::exp(double(in[i])) / sums[i / n]; }, 1e-4);
}
