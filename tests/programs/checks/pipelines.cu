// cuda::pipeline, of a thread and of a block: data is there behind consumer_wait(), not before; a stage that is released
// may be filled again, one that is not may not.
// TOOLS: racecheck
// FINDS: read-write @COPY @EARLY
// FINDS: read-write @REFILL @STILL_READ
#include <cooperative_groups.h>
#include <cuda/pipeline>
namespace cg = cooperative_groups;

constexpr int N = 64, ROUNDS = 4;

// Each thread copies its own word and reads its neighbour's.
__global__ void of_thread(const int* in, int* out) {
  __shared__ int s[N];
  auto pipe = cuda::make_pipeline();
  const int t = threadIdx.x;
  pipe.producer_acquire();
  cuda::memcpy_async(s + t, in + t, sizeof(int), pipe);
  pipe.producer_commit();
  pipe.consumer_wait();
  __syncthreads();
  out[t] = s[N - 1 - t];
  pipe.consumer_release();
}
__global__ void of_thread_early(const int* in, int* out) {
  __shared__ int s[N];
  auto pipe = cuda::make_pipeline();
  const int t = threadIdx.x;
  pipe.producer_acquire();
  cuda::memcpy_async(s + t, in + t, sizeof(int), pipe);  // @COPY
  pipe.producer_commit();
  out[t] = s[t];  // @EARLY
  pipe.consumer_wait();
  pipe.consumer_release();
}

// Two stages of a block's pipeline; all threads produce and consume.
__global__ void of_block(const int* in, int* out) {
  __shared__ int s[2][N];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  const int t = threadIdx.x;
  int sum = 0;
  const auto fill = [&](int round) {
    pipe.producer_acquire();
    cuda::memcpy_async(s[round % 2] + t, in + round * N + t, sizeof(int), pipe);
    pipe.producer_commit();
  };
  fill(0);
  for (int round = 0; round < ROUNDS; ++round) {
    if (round + 1 < ROUNDS) fill(round + 1);
    pipe.consumer_wait();
    sum += s[round % 2][N - 1 - t];
    pipe.consumer_release();
  }
  out[t] = sum;
}
// A thread's pipeline of one stage orders its own copies alone: others may still read what the next copy overwrites.
__global__ void refilled(const int* in, int* out) {
  __shared__ int s[N];
  auto pipe = cuda::make_pipeline();
  const int t = threadIdx.x;
  int sum = 0;
  for (int round = 0; round < ROUNDS; ++round) {
    pipe.producer_acquire();
    cuda::memcpy_async(s + t, in + round * N + t, sizeof(int), pipe);  // @REFILL
    pipe.producer_commit();
    pipe.consumer_wait();
    __syncthreads();
    sum += s[N - 1 - t];  // @STILL_READ
    pipe.consumer_release();
  }
  out[t] = sum;
}

int main(int argc, char** argv) {
  const char only = argc > 1 ? argv[1][0] : 0;
  int *in, *out;
  cudaMalloc(&in, ROUNDS * N * sizeof(int));
  cudaMalloc(&out, N * sizeof(int));
  cudaMemset(in, 0, ROUNDS * N * sizeof(int));
  if (!only || only == '0') {
    of_thread<<<1, N>>>(in, out);
    of_block<<<1, N>>>(in, out);
  }
  if (!only || only == '1') of_thread_early<<<1, N>>>(in, out);
  if (!only || only == '2') refilled<<<1, N>>>(in, out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
