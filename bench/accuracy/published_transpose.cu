// The transposes of NVIDIA's post "An Efficient Matrix Transpose in CUDA C/C++" (2013), as it describes them: 1024 x
// 1024 floats, tiles of 32 x 32, blocks of 32 x 8 threads that each move four elements. course.py compares the model
// with its figures.
#include <cuda_runtime.h>

#include <cstdio>

constexpr int kSize = 1024, kTile = 32, kRows = 8;

struct Place {
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  __device__ int row(int j) const { return (y + j) * kSize + x; }
  __device__ int column(int j) const { return x * kSize + y + j; }
};

__global__ void copy(float* out, const float* in) {
  const Place p;
  for (int j = 0; j < kTile; j += kRows) out[p.row(j)] = in[p.row(j)];
}

__global__ void naive(float* out, const float* in) {
  const Place p;
  for (int j = 0; j < kTile; j += kRows) out[p.column(j)] = in[p.row(j)];
}

template <int Padding, bool Turns>
__global__ void through_tile(float* out, const float* in) {
  __shared__ float tile[kTile][kTile + Padding];
  Place p;
  for (int j = 0; j < kTile; j += kRows) tile[threadIdx.y + j][threadIdx.x] = in[p.row(j)];
  __syncthreads();
  if (Turns) p.x = blockIdx.y * kTile + threadIdx.x, p.y = blockIdx.x * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows)
    out[p.row(j)] = Turns ? tile[threadIdx.x][threadIdx.y + j] : tile[threadIdx.y + j][threadIdx.x];
}

int main() {
  float *in, *out;
  cudaMalloc(&in, sizeof(float) * kSize * kSize);
  cudaMalloc(&out, sizeof(float) * kSize * kSize);
  const dim3 grid(kSize / kTile, kSize / kTile), block(kTile, kRows);
  copy<<<grid, block>>>(out, in);
  naive<<<grid, block>>>(out, in);
  through_tile<0, false><<<grid, block>>>(out, in);
  through_tile<0, true><<<grid, block>>>(out, in);
  through_tile<1, true><<<grid, block>>>(out, in);
  const cudaError_t status = cudaDeviceSynchronize();
  if (status != cudaSuccess) std::printf("%s\n", cudaGetErrorString(status));
  return status != cudaSuccess;
}
