// 1,000 launches of five kernels: the program of report_page.py. Sizes vary, so that launches are not all identical.
#include <cstdio>

constexpr int kWidth = 128, kTile = 16;

__global__ void scale(float* a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] *= 1.5f;
}
__global__ void strided(float* a, int n, int stride) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) * stride % n;
  a[i] += 1;
}
__global__ void transpose(const float* in, float* out) {
  __shared__ float tile[kTile][kTile];
  tile[threadIdx.y][threadIdx.x] = in[(blockIdx.y * kTile + threadIdx.y) * kWidth + blockIdx.x * kTile + threadIdx.x];
  __syncthreads();
  out[(blockIdx.x * kTile + threadIdx.y) * kWidth + blockIdx.y * kTile + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
__global__ void reduce(const float* in, float* out, int n) {
  __shared__ float sums[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  sums[threadIdx.x] = i < n ? in[i] : 0;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) atomicAdd(out, sums[0]);
}
__global__ void multiply(const float* a, const float* b, float* c) {
  __shared__ float as[kTile][kTile], bs[kTile][kTile];
  const int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < kWidth; t += kTile) {
    as[threadIdx.y][threadIdx.x] = a[row * kWidth + t + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * kWidth + column];
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
    __syncthreads();
  }
  c[row * kWidth + column] = sum;
}

int main() {
  constexpr int n = kWidth * kWidth;
  float *a, *b, *c;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMalloc(&c, n * sizeof(float));
  cudaMemset(a, 0, n * sizeof(float));
  cudaMemset(b, 0, n * sizeof(float));
  const dim3 grid(kWidth / kTile, kWidth / kTile), block(kTile, kTile);
  for (int i = 0; i < 200; ++i) {
    const int some = n - i * 16;
    scale<<<(some + 255) / 256, 256>>>(a, some);
    strided<<<16, 256>>>(a, n, 1 + i % 32);
    transpose<<<grid, block>>>(a, b);
    reduce<<<(some + 255) / 256, 256>>>(b, c, some);
    multiply<<<grid, block>>>(a, b, c);
  }
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorString(error));
  return error;
}
