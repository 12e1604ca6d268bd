// Multiplies each row of a matrix by a factor of its own. Make the loads and stores coalesced.
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

constexpr int kRows = 128, kColumns = 128;

__global__ void scale(float* out, const float* in, const float* factors) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int column = blockIdx.y * blockDim.y + threadIdx.y;
  out[row * kColumns + column] = factors[row] * in[row * kColumns + column];  // the matrix
}

int main() {
  std::vector<float> in(kRows * kColumns), factors(kRows), out(in.size());
  for (size_t i = 0; i < in.size(); ++i) in[i] = float(i % 7);
  for (int r = 0; r < kRows; ++r) factors[r] = float(r % 5);
  float *d_in, *d_factors, *d_out;
  CHECK(cudaMalloc(&d_in, in.size() * sizeof(float)));
  CHECK(cudaMalloc(&d_out, in.size() * sizeof(float)));
  CHECK(cudaMalloc(&d_factors, factors.size() * sizeof(float)));
  CHECK(cudaMemcpy(d_in, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_factors, factors.data(), factors.size() * sizeof(float), cudaMemcpyHostToDevice));

  dim3 block(32, 8);
  scale<<<dim3(kRows / block.x, kColumns / block.y), block>>>(d_out, d_in, d_factors);
  CHECK(cudaDeviceSynchronize());

  CHECK(cudaMemcpy(out.data(), d_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost));
  double sum = 0;
  for (size_t i = 0; i < out.size(); ++i) sum += out[i] * float(i % 11);
  std::printf("weighted sum %.0f\n", sum);
}
