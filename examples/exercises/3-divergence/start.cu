// Even elements take one sequence of random numbers, odd elements another. Every warp takes both paths.
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

constexpr int kElements = 1 << 13, kThreads = 256;

__device__ unsigned linear(unsigned x) {
#pragma unroll 1
  for (int i = 0; i < 16; ++i) x = x * 1664525u + 1013904223u;
  return x;
}

__device__ unsigned shifted(unsigned x) {
#pragma unroll 1
  for (int i = 0; i < 16; ++i) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
  }
  return x;
}

__global__ void randomize(unsigned* data) {
  unsigned t = threadIdx.x;
  unsigned i = blockIdx.x * blockDim.x + t;
  if (i % 2 == 0)
    data[i] = linear(data[i]);
  else
    data[i] = shifted(data[i]);
}

int main() {
  std::vector<unsigned> data(kElements);
  for (unsigned i = 0; i < data.size(); ++i) data[i] = i + 1;
  unsigned* d_data;
  CHECK(cudaMalloc(&d_data, kElements * sizeof(unsigned)));
  CHECK(cudaMemcpy(d_data, data.data(), kElements * sizeof(unsigned), cudaMemcpyHostToDevice));

  randomize<<<kElements / kThreads, kThreads>>>(d_data);
  CHECK(cudaMemcpy(data.data(), d_data, kElements * sizeof(unsigned), cudaMemcpyDeviceToHost));
  unsigned mixed = 0;
  for (unsigned x : data) mixed = mixed * 31 + x;
  std::printf("mixed %08x\n", mixed);
}
