// Races that real programs have and GPUs tolerate: after a barrier all threads read a value, and the fastest overwrites
// it without a second barrier. A GPU's warps advance at the same pace, so the reads come first.
#include "check.h"

// After the barrier thread 0 reads the values of all threads; the others may already write those of the next round.
__global__ void round_sums(long long* out, int rounds) {
  __shared__ volatile int partial[256];
  const int t = threadIdx.x;
  for (int r = 0; r < rounds; ++r) {
    partial[t] = (r + 1) * (t + 1);
    __syncthreads();
    if (t == 0) {
      long long sum = 0;
      for (int i = 0; i < blockDim.x; ++i) sum += partial[i];
      out[r] = sum;
    }
    // No second barrier: warps 1 and up may overwrite what thread 0 still reads.
  }
}

// All threads read the sum of warp 0, and warp 0 continues with the next sum: a block reduction without the barrier at
// its end, called twice.
__device__ int block_sum(int value, int* sums) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(~0u, value, step);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32) {
    value = threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0;
    for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(~0u, value, step);
    if (threadIdx.x == 0) sums[0] = value;
  }
  __syncthreads();
  return sums[0];
}

__global__ void two_sums(int2* out) {
  __shared__ int sums[32];
  const int t = threadIdx.x;
  const int first = block_sum(t, sums);
  const int second = block_sum(t * first, sums);
  out[t] = make_int2(first, second);
}

int main() {
  for (int threads : {64, 128, 256}) {
    Buffer<int2> out(threads);
    two_sums<<<1, threads>>>(out);
    CK_LAUNCH();
    const int first = threads * (threads - 1) / 2;
    std::vector<int> got, want;
    for (int2 sums : out.get()) {
      got.insert(got.end(), {sums.x, sums.y});
      want.insert(want.end(), {first, first * first});
    }
    expect_same("two_sums", got, want);
  }

  for (int threads : {32, 64, 96, 256}) {
    const int rounds = 9;
    Buffer<long long> out(rounds);
    round_sums<<<1, threads>>>(out, rounds);
    CK_LAUNCH();
    std::vector<long long> want(rounds);
    for (int r = 0; r < rounds; ++r) want[r] = (r + 1LL) * threads * (threads + 1) / 2;
    expect_same("round_sums", out.get(), want);
  }
  return finish();
}
