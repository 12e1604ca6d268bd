// Adds up an array: a partial sum a block. The threads that add are neighbours, and so are
// the words that they read: whole warps fall idle, and no bank conflicts.
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

constexpr int kElements = 1 << 14, kThreads = 256;

__global__ void sum(int* partial, const int* in) {
  __shared__ int data[kThreads];
  int t = threadIdx.x;
  data[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (int s = kThreads / 2; s > 0; s /= 2) {
    if (t < s) data[t] += data[t + s];
    __syncthreads();
  }
  if (t == 0) partial[blockIdx.x] = data[0];
}

int main() {
  constexpr int kBlocks = kElements / kThreads;
  std::vector<int> in(kElements), partial(kBlocks);
  for (int i = 0; i < kElements; ++i) in[i] = i % 17;
  int *d_in, *d_partial;
  CHECK(cudaMalloc(&d_in, kElements * sizeof(int)));
  CHECK(cudaMalloc(&d_partial, kBlocks * sizeof(int)));
  CHECK(cudaMemcpy(d_in, in.data(), kElements * sizeof(int), cudaMemcpyHostToDevice));

  sum<<<kBlocks, kThreads>>>(d_partial, d_in);
  CHECK(cudaMemcpy(partial.data(), d_partial, kBlocks * sizeof(int), cudaMemcpyDeviceToHost));
  int total = 0;
  for (int p : partial) total += p;
  std::printf("sum %d\n", total);
}
