// cuda::memcpy_async with a barrier: the data is there behind the barrier's wait, not before, not even for the thread that copies it.
// TOOLS: racecheck
// FINDS: read-write @COPY @EARLY
// FINDS: read-write @COPY_NEIGHBOUR @NEIGHBOUR
#include <cooperative_groups.h>
#include <cuda/barrier>

namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;
constexpr int N = 128;

__global__ void sound(const int* in, int* out) {
  __shared__ int buffer[N];
  __shared__ Barrier copied;
  const int t = threadIdx.x;
  if (t == 0) init(&copied, blockDim.x);
  __syncthreads();
  for (int round = 0; round < 3; ++round) {
    cuda::memcpy_async(cg::this_thread_block(), buffer, in + round * N, sizeof buffer, copied);
    copied.arrive_and_wait();
    out[round * N + t] = buffer[N - 1 - t];
    __syncthreads();
  }
}

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
  sound<<<1, N>>>(in, out);
  own<<<1, N>>>(in, out);
  neighbour<<<1, N>>>(in, out);
  return cudaDeviceSynchronize();
}
