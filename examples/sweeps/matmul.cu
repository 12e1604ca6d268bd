// A product of matrices in tiles of TILE x TILE: each thread computes COARSE values, in neighbouring tiles.
//
//   drywarp sweep examples/sweeps/matmul.toml
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#ifndef TILE
#define TILE 16
#endif
#ifndef COARSE
#define COARSE 1
#endif

__global__ void product(const float* a, const float* b, float* c, int width) {
  __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
  const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE * COARSE + threadIdx.x;
  float sum[COARSE] = {};
  for (int k = 0; k < width; k += TILE) {
    a_tile[threadIdx.y][threadIdx.x] = a[row * width + k + threadIdx.x];
    for (int n = 0; n < COARSE; ++n) {
      b_tile[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * width + column + n * TILE];
      __syncthreads();
      for (int i = 0; i < TILE; ++i) sum[n] += a_tile[threadIdx.y][i] * b_tile[i][threadIdx.x];
      __syncthreads();
    }
  }
  for (int n = 0; n < COARSE; ++n) c[row * width + column + n * TILE] = sum[n];
}

int main(int argc, char** argv) {
  const int width = argc > 1 ? std::atoi(argv[1]) : 256;
  std::vector<float> a(size_t(width) * width), b(a.size()), c(a.size());
  for (size_t i = 0; i < a.size(); ++i) a[i] = float(i % 7), b[i] = float(i % 5);  // sums stay exact
  float* device[3];
  for (float*& matrix : device) cudaMalloc(&matrix, a.size() * sizeof(float));
  cudaMemcpy(device[0], a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(device[1], b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);
  product<<<dim3(width / TILE / COARSE, width / TILE), dim3(TILE, TILE)>>>(device[0], device[1], device[2], width);
  if (cudaMemcpy(c.data(), device[2], c.size() * sizeof(float), cudaMemcpyDeviceToHost) != cudaSuccess) return 2;
  for (int at = 0; at < width * width; at += 97) {
    float right = 0;
    for (int k = 0; k < width; ++k) right += a[at / width * width + k] * b[k * width + at % width];
    if (c[at] != right) return 1;
  }
  std::puts("PASS");
}
