// Without optimization, the functions of our headers are called: findings name the lines that call them, too.
// TOOLS: racecheck
// OPTIONS: -G
// FINDS: read-write @COPY @EARLY
// FINDS: read-write @COPY_NEIGHBOUR @NEIGHBOUR
#include <cooperative_groups.h>
#include <cuda/barrier>

namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;
constexpr int N = 128;

__global__ void own(const int* in, int* out) {
  __shared__ int buffer[N];
  __shared__ Barrier copied;
  const int t = threadIdx.x;
  if (t == 0) init(&copied, blockDim.x);
  __syncthreads();
  cuda::memcpy_async(&buffer[t], &in[t], cuda::aligned_size_t<4>(4), copied);  // @COPY
  const int early = buffer[t];  // @EARLY
  copied.arrive_and_wait();
  out[t] = early + buffer[t];
}

__global__ void neighbour(const int* in, int* out) {
  __shared__ int buffer[N];
  __shared__ Barrier copied;
  const int t = threadIdx.x;
  if (t == 0) init(&copied, blockDim.x);
  __syncthreads();
  cuda::memcpy_async(&buffer[t], &in[t], cuda::aligned_size_t<4>(4), copied);  // @COPY_NEIGHBOUR
  Barrier::arrival_token arrived = copied.arrive();
  out[t] = buffer[N - 1 - t];  // @NEIGHBOUR
  copied.wait(static_cast<Barrier::arrival_token&&>(arrived));
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 3 * N * sizeof(int));
  cudaMalloc(&out, 3 * N * sizeof(int));
  cudaMemset(in, 1, 3 * N * sizeof(int));
  own<<<1, N>>>(in, out);
  neighbour<<<1, N>>>(in, out);
  return cudaDeviceSynchronize();
}
