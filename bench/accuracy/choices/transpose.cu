// A transpose through shared memory: the tile, the rows of threads that share it, and a column of padding.
#include "program.h"

#ifndef TILE
#define TILE 32
#endif
#ifndef ROWS
#define ROWS 8
#endif
#ifndef PAD
#define PAD 1
#endif

__global__ void transpose(const float* in, float* out, int width) {
  __shared__ float tile[TILE][TILE + PAD];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
#pragma unroll
  for (int r = 0; r < TILE; r += ROWS) tile[threadIdx.y + r][threadIdx.x] = in[(y + r) * width + x];
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
#pragma unroll
  for (int r = 0; r < TILE; r += ROWS) out[(y + r) * width + x] = tile[threadIdx.x][threadIdx.y + r];
}

int main(int argc, char** argv) {
  const int width = argument(argc, argv, 1, 1024);
  const std::vector<float> in = whole_numbers(size_t(width) * width, 1);
  float *from = on_device(in), *to = on_device(in);
  transpose<<<dim3(width / TILE, width / TILE), dim3(TILE, ROWS)>>>(from, to, width);
  return report(on_host(to, in.size()), [&](size_t i) { return in[i % width * width + i / width]; });
}
