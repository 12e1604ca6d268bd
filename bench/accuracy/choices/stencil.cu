// A stencil of nine points on a grid: the block's shape, points a thread down a column, and whether tiles are in shared memory.
#include "program.h"

#ifndef BX
#define BX 32
#endif
#ifndef BY
#define BY 8
#endif
#ifndef ITEMS
#define ITEMS 1
#endif
#ifndef SHARED
#define SHARED 0
#endif
constexpr int kRows = BY * ITEMS;

__global__ void __launch_bounds__(BX * BY) stencil(const float* in, float* out, int width, int stride) {
  const int x = blockIdx.x * BX + threadIdx.x + 1;
#if SHARED
  __shared__ float tile[kRows + 2][BX + 2];
  for (int i = threadIdx.y * BX + threadIdx.x; i < (kRows + 2) * (BX + 2); i += BX * BY)
    tile[i / (BX + 2)][i % (BX + 2)] = in[(blockIdx.y * kRows + i / (BX + 2)) * stride + blockIdx.x * BX + i % (BX + 2)];
  __syncthreads();
#endif
#pragma unroll
  for (int item = 0; item < ITEMS; ++item) {
    const int row = item * BY + threadIdx.y, y = blockIdx.y * kRows + row + 1;
    float sum = 0;
#pragma unroll
    for (int dy = -1; dy <= 1; ++dy)
#pragma unroll
      for (int dx = -1; dx <= 1; ++dx)
#if SHARED
        sum += tile[row + 1 + dy][threadIdx.x + 1 + dx];
#else
        sum += in[(y + dy) * stride + x + dx];
#endif
    out[y * stride + x] = sum;
  }
}

int main(int argc, char** argv) {
  const int width = argument(argc, argv, 1, 2048), stride = width + 32;
  const std::vector<float> in = whole_numbers(size_t(stride) * (width + 2), 1);
  float *from = on_device(in), *to = on_device(in);
  stencil<<<dim3(width / BX, width / kRows), dim3(BX, BY)>>>(from, to, width, stride);
  const std::vector<float> out = on_host(to, in.size());
  std::vector<float> inner;
  for (int y = 1; y <= width; y += 61)
    for (int x = 1; x <= width; ++x) inner.push_back(out[size_t(y) * stride + x]);
  return report(inner, [&](size_t i) {
    const size_t y = 1 + i / width * 61, x = 1 + i % width;
    double sum = 0;
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) sum += in[(y + dy) * stride + x + dx];
    return sum;
  });
}
