// Adds up an array of floats: each block adds one element a thread, and ends with an addition to one address.
#include <cuda_runtime.h>

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

// drywarp sweep start.cu -D BLOCK=64..1024*2 -D ITEMS=1..16*2
#ifndef BLOCK
#define BLOCK 64
#endif
#ifndef ITEMS
#define ITEMS 1
#endif
constexpr int kElements = 1 << 20;

__global__ void sum(float* total, const float* in) {
  __shared__ float part[BLOCK];
  const float* from = in + blockIdx.x * BLOCK * ITEMS;
  float mine = 0;
  for (int i = 0; i < ITEMS; ++i) mine += from[i * BLOCK + threadIdx.x];
  part[threadIdx.x] = mine;
  for (int s = BLOCK / 2; s > 0; s /= 2) {
    __syncthreads();
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
  }
  if (threadIdx.x == 0) atomicAdd(total, part[0]);
}

int main() {
  std::vector<float> in(kElements);
  for (int i = 0; i < kElements; ++i) in[i] = i % 3;  // sums are exact
  float *d_in, *d_total, total;
  CHECK(cudaMalloc(&d_in, kElements * sizeof(float)));
  CHECK(cudaMalloc(&d_total, sizeof(float)));
  CHECK(cudaMemcpy(d_in, in.data(), kElements * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(d_total, 0, sizeof(float)));

  sum<<<kElements / (BLOCK * ITEMS), BLOCK>>>(d_total, d_in);
  CHECK(cudaMemcpy(&total, d_total, sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("sum %.0f\n", total);
}
