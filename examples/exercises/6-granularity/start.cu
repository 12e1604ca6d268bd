// A tiled matrix product, one element a thread. Each tile of M is loaded again for each tile of P in its row.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                   \
  do {                                                                                                \
    cudaError_t status = (call);                                                                      \
    if (status != cudaSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\\n", __FILE__, __LINE__, #call, cudaGetErrorString(status)); \
      std::exit(2);                                                                                   \
    }                                                                                                 \
  } while (0)

constexpr int kWidth = 128, kTile = 16;

__global__ void multiply(float* p, const float* m, const float* n) {
  __shared__ float ms[kTile][kTile], ns[kTile][kTile];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * kTile + ty, column = blockIdx.x * kTile + tx;
  float sum = 0;
  for (int t = 0; t < kWidth; t += kTile) {
    ms[ty][tx] = m[row * kWidth + t + tx];
    ns[ty][tx] = n[(t + ty) * kWidth + column];
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += ms[ty][k] * ns[k][tx];
    __syncthreads();
  }
  p[row * kWidth + column] = sum;
}

int main() {
  constexpr int kElements = kWidth * kWidth;
  std::vector<float> m(kElements), n(kElements), p(kElements);
  for (int i = 0; i < kElements; ++i) m[i] = float(i % 7), n[i] = float(i % 5);
  float *d_m, *d_n, *d_p;
  CHECK(cudaMalloc(&d_m, kElements * sizeof(float)));
  CHECK(cudaMalloc(&d_n, kElements * sizeof(float)));
  CHECK(cudaMalloc(&d_p, kElements * sizeof(float)));
  CHECK(cudaMemcpy(d_m, m.data(), kElements * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_n, n.data(), kElements * sizeof(float), cudaMemcpyHostToDevice));

  multiply<<<dim3(kWidth / kTile, kWidth / kTile), dim3(kTile, kTile)>>>(d_p, d_m, d_n);
  CHECK(cudaMemcpy(p.data(), d_p, kElements * sizeof(float), cudaMemcpyDeviceToHost));
  double sum = 0;
  for (int i = 0; i < kElements; ++i) sum += p[i] * float(i % 11);
  std::printf("weighted sum %.0f\n", sum);
}
