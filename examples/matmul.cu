// Matrix multiplication P = M x N of square matrices, from the simple kernel to coarsened tiles.
//
//   matmul [width = 384, a multiple of 128]
//
//   simple              one thread an element; x runs along a row of P: M is broadcast, N is coalesced
//   uncoalesced         x runs down a column of P: M and P are strided, N is broadcast
//   tiled               tiles of M and N in shared memory: each element is read from global memory width / 32 times
//   coarse_1x2, 1x4     a block computes 2 or 4 tiles side by side: the M tile is loaded once and reused
//   simple_column_n     N stored by columns: a warp's loads of N are `width` apart
//   tiled_column_n      the same with corner turning: N's tile is loaded along its columns and transposed in shared
//                       memory
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                   \
  do {                                                                                                \
    cudaError_t status = (call);                                                                      \
    if (status != cudaSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status)); \
      std::exit(2);                                                                                   \
    }                                                                                                 \
  } while (0)

#ifndef TILE
#define TILE 32  // 16 where a block has at most 512 threads: compute capability 1.x
#endif
constexpr int kTile = TILE;

__global__ void simple(const float* m, const float* n, float* p, int width) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < width; ++k) sum += m[row * width + k] * n[k * width + column];
  p[row * width + column] = sum;
}

__global__ void uncoalesced(const float* m, const float* n, float* p, int width) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int column = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < width; ++k) sum += m[row * width + k] * n[k * width + column];
  p[row * width + column] = sum;
}

__global__ void simple_column_n(const float* m, const float* n, float* p, int width) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < width; ++k) sum += m[row * width + k] * n[column * width + k];
  p[row * width + column] = sum;
}

__global__ void tiled(const float* m, const float* n, float* p, int width) {
  __shared__ float m_tile[kTile][kTile], n_tile[kTile][kTile];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * kTile + ty, column = blockIdx.x * kTile + tx;
  float sum = 0;
  for (int phase = 0; phase < width / kTile; ++phase) {
    m_tile[ty][tx] = m[row * width + phase * kTile + tx];
    n_tile[ty][tx] = n[(phase * kTile + ty) * width + column];
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += m_tile[ty][k] * n_tile[k][tx];
    __syncthreads();
  }
  p[row * width + column] = sum;
}

__global__ void tiled_column_n(const float* m, const float* n, float* p, int width) {
  __shared__ float m_tile[kTile][kTile], n_tile[kTile][kTile + 1];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * kTile + ty, column = blockIdx.x * kTile + tx;
  float sum = 0;
  for (int phase = 0; phase < width / kTile; ++phase) {
    m_tile[ty][tx] = m[row * width + phase * kTile + tx];
    n_tile[tx][ty] = n[(blockIdx.x * kTile + ty) * width + phase * kTile + tx];  // coalesced load, transposed store
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += m_tile[ty][k] * n_tile[k][tx];
    __syncthreads();
  }
  p[row * width + column] = sum;
}

template <int Factor>
__device__ void coarse(const float* m, const float* n, float* p, int width) {
  __shared__ float m_tile[kTile][kTile], n_tile[kTile][kTile * Factor];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * kTile + ty, first = blockIdx.x * kTile * Factor + tx;
  float sum[Factor] = {};
  for (int phase = 0; phase < width / kTile; ++phase) {
    m_tile[ty][tx] = m[row * width + phase * kTile + tx];
#pragma unroll
    for (int f = 0; f < Factor; ++f) n_tile[ty][f * kTile + tx] = n[(phase * kTile + ty) * width + first + f * kTile];
    __syncthreads();
    for (int k = 0; k < kTile; ++k) {
      float from_m = m_tile[ty][k];
#pragma unroll
      for (int f = 0; f < Factor; ++f) sum[f] += from_m * n_tile[k][f * kTile + tx];
    }
    __syncthreads();
  }
#pragma unroll
  for (int f = 0; f < Factor; ++f) p[row * width + first + f * kTile] = sum[f];
}

__global__ void coarse_1x2(const float* m, const float* n, float* p, int width) { coarse<2>(m, n, p, width); }
__global__ void coarse_1x4(const float* m, const float* n, float* p, int width) { coarse<4>(m, n, p, width); }

struct Variant {
  const char* name;
  void (*kernel)(const float*, const float*, float*, int);
  int tiles_a_block;  // side by side
  bool column_major_n;
};

int main(int argc, char** argv) {
  const int width = argc > 1 ? std::atoi(argv[1]) : 384;
  if (width < 128 || width % 128 != 0) {
    std::fprintf(stderr, "usage: matmul [width, a multiple of 128]\n");
    return 2;
  }
  const size_t count = static_cast<size_t>(width) * width, bytes = count * sizeof(float);
  std::vector<float> m(count), n(count), n_columns(count), p(count), want(count, 0.f);
  for (int y = 0; y < width; ++y)
    for (int x = 0; x < width; ++x) {
      m[y * width + x] = static_cast<float>((y * 7 + x * 3) % 17 - 8);
      n[y * width + x] = static_cast<float>((y * 5 + x * 11) % 13 - 6);
      n_columns[x * width + y] = n[y * width + x];
    }
  for (int y = 0; y < width; ++y)  // small integers: exact sums in any order
    for (int k = 0; k < width; ++k)
      for (int x = 0; x < width; ++x) want[y * width + x] += m[y * width + k] * n[k * width + x];

  float *device_m, *device_n, *device_n_columns, *device_p;
  CHECK(cudaMalloc(&device_m, bytes));
  CHECK(cudaMalloc(&device_n, bytes));
  CHECK(cudaMalloc(&device_n_columns, bytes));
  CHECK(cudaMalloc(&device_p, bytes));
  CHECK(cudaMemcpy(device_m, m.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(device_n, n.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(device_n_columns, n_columns.data(), bytes, cudaMemcpyHostToDevice));
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));

  const Variant variants[] = {
      {"simple", simple, 1, false},
      {"uncoalesced", uncoalesced, 1, false},
      {"tiled", tiled, 1, false},
      {"coarse_1x2", coarse_1x2, 2, false},
      {"coarse_1x4", coarse_1x4, 4, false},
      {"simple_column_n", simple_column_n, 1, true},
      {"tiled_column_n", tiled_column_n, 1, true},
  };
  std::printf("matmul, width %d\n", width);
  const dim3 block(kTile, kTile);
  bool pass = true;
  for (const Variant& v : variants) {
    const dim3 grid(width / (kTile * v.tiles_a_block), width / kTile);
    CHECK(cudaMemset(device_p, 0xff, bytes));
    CHECK(cudaEventRecord(begin));
    v.kernel<<<grid, block>>>(device_m, v.column_major_n ? device_n_columns : device_n, device_p, width);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    CHECK(cudaMemcpy(p.data(), device_p, bytes, cudaMemcpyDeviceToHost));
    size_t wrong = 0;
    for (size_t i = 0; i < count; ++i) wrong += !(p[i] == want[i]);
    std::printf("  %-16s %10.3f ms   %s\n", v.name, milliseconds, wrong ? "wrong" : "ok");
    pass = pass && wrong == 0;
  }
  std::printf("%s\n", pass ? "PASS" : "FAIL");

  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  CHECK(cudaFree(device_m));
  CHECK(cudaFree(device_n));
  CHECK(cudaFree(device_n_columns));
  CHECK(cudaFree(device_p));
  return pass ? 0 : 1;
}
