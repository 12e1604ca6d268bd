// A race that real programs have and GPUs mostly forgive: behind a barrier thread 0 reads what all threads wrote, and
// nothing stops the others from writing the next round's values. Warps go on in the order of their numbers behind a
// barrier, so thread 0 is ahead of the writers.
#include "check.h"

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

int main() {
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
