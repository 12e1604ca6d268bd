// Counts the elements that are above a threshold. Every multiprocessor has enough warps to hide latency.
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

constexpr int kElements = 1 << 18, kThreads = 256, kBlocks = 4 * 132;

__global__ void count(unsigned* total, const int* in) {
  unsigned mine = 0;
#pragma unroll 1
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < kElements; i += gridDim.x * blockDim.x) mine += in[i] > 900;
  mine = __reduce_add_sync(0xffffffffu, mine);
  if (threadIdx.x % 32 == 0) atomicAdd(total, mine);
}

int main() {
  std::vector<int> in(kElements);
  for (size_t i = 0; i < in.size(); ++i) in[i] = int(i * 7919 % 1000);
  int* d_in;
  unsigned *d_total, total;
  CHECK(cudaMalloc(&d_in, in.size() * sizeof(int)));
  CHECK(cudaMalloc(&d_total, sizeof(unsigned)));
  CHECK(cudaMemset(d_total, 0, sizeof(unsigned)));
  CHECK(cudaMemcpy(d_in, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice));

  count<<<kBlocks, kThreads>>>(d_total, d_in);
  CHECK(cudaMemcpy(&total, d_total, sizeof(unsigned), cudaMemcpyDeviceToHost));
  std::printf("%u of %d elements\n", total, kElements);
}
