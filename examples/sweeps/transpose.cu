// A transpose through shared memory: the tile, the rows of threads that share it, and a column of padding.
//
//   drywarp sweep examples/sweeps/transpose.toml
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

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
  const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  for (int row = 0; row < TILE; row += ROWS) tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * width + x];
  __syncthreads();
  const int to_x = blockIdx.y * TILE + threadIdx.x, to_y = blockIdx.x * TILE + threadIdx.y;
  for (int row = 0; row < TILE; row += ROWS) out[(to_y + row) * width + to_x] = tile[threadIdx.x][threadIdx.y + row];
}

int main(int argc, char** argv) {
  const int width = argc > 1 ? std::atoi(argv[1]) : 512;
  std::vector<float> in(size_t(width) * width), out(in.size());
  for (size_t i = 0; i < in.size(); ++i) in[i] = float(i);
  float *from = nullptr, *to = nullptr;
  cudaMalloc(&from, in.size() * sizeof(float));
  cudaMalloc(&to, in.size() * sizeof(float));
  cudaMemcpy(from, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice);
  transpose<<<dim3(width / TILE, width / TILE), dim3(TILE, ROWS)>>>(from, to, width);
  if (cudaMemcpy(out.data(), to, out.size() * sizeof(float), cudaMemcpyDeviceToHost) != cudaSuccess) return 2;
  for (size_t i = 0; i < out.size(); ++i)
    if (out[i] != in[i % width * width + i / width]) return 1;  // a wrong result is a row, too
  std::puts("PASS");
}
