// Averages 16 neighbours of each element. The tile in shared memory is far larger than a block needs.
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

constexpr int kElements = 1 << 15, kThreads = 64, kReach = 16, kTile = 8192;

__global__ void average(int* out, const int* in) {
  __shared__ int tile[kTile];
  int first = blockIdx.x * blockDim.x;
  for (int k = threadIdx.x; k < kThreads + kReach; k += blockDim.x) tile[k] = in[first + k];
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < kReach; ++k) sum += tile[threadIdx.x + k];
  out[first + threadIdx.x] = sum / kReach;
}

int main() {
  std::vector<int> in(kElements + kReach), out(kElements);
  for (size_t i = 0; i < in.size(); ++i) in[i] = int(i * 7919 % 1000);
  int *d_in, *d_out;
  CHECK(cudaMalloc(&d_in, in.size() * sizeof(int)));
  CHECK(cudaMalloc(&d_out, out.size() * sizeof(int)));
  CHECK(cudaMemcpy(d_in, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice));

  average<<<kElements / kThreads, kThreads>>>(d_out, d_in);
  CHECK(cudaMemcpy(out.data(), d_out, out.size() * sizeof(int), cudaMemcpyDeviceToHost));
  unsigned mixed = 0;
  for (int x : out) mixed = mixed * 31 + unsigned(x);
  std::printf("mixed %08x\n", mixed);
}
