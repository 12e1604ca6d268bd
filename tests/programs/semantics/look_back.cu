// Single-pass prefix sum with decoupled look-back: blocks spin on flags that other blocks set.
#include "check.h"

constexpr int kBlock = 128;

// Status and value in one 64-bit word, so that they change together. 0: nothing, 1: this block's sum, 2: the prefix too.
__global__ void scan(const int* in, int* out, volatile unsigned long long* state, unsigned* next_block, int n) {
  __shared__ unsigned block;
  __shared__ int value[kBlock], before;
  if (threadIdx.x == 0) block = atomicAdd(next_block, 1u);  // blocks in the order in which they start
  __syncthreads();
  unsigned t = threadIdx.x, i = block * kBlock + t;
  value[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int s = 1; s < kBlock; s *= 2) {
    int other = t >= s ? value[t - s] : 0;
    __syncthreads();
    value[t] += other;
    __syncthreads();
  }
  if (t == 0) {
    const unsigned sum = value[kBlock - 1];
    int prefix = 0;
    if (block == 0) {
      state[0] = 2ull << 32 | sum;
    } else {
      state[block] = 1ull << 32 | sum;
      __threadfence();
      for (int b = block - 1; b >= 0;) {
        unsigned long long word;
        do {
          word = state[b];
        } while (word == 0);
        prefix += static_cast<int>(word);
        if (word >> 32 == 2) break;
        --b;
      }
      state[block] = 2ull << 32 | static_cast<unsigned>(prefix + static_cast<int>(sum));
    }
    __threadfence();
    before = prefix;
  }
  __syncthreads();
  if (i < n) out[i] = before + value[t];
}

// Block b waits for block b + 1: ends only if blocks that have not started yet get a turn.
__global__ void wait_for_later_block(volatile int* flag) {
  if (threadIdx.x == 0) {
    if (blockIdx.x + 1 < gridDim.x)
      while (flag[blockIdx.x + 1] == 0) {
      }
    __threadfence();
    flag[blockIdx.x] = 1 + (blockIdx.x + 1 < gridDim.x ? flag[blockIdx.x + 1] : 0);
  }
}

int main() {
  for (int n : {1, 127, 5000, 100003}) {
    std::vector<int> in(n), want(n);
    int sum = 0;
    for (int i = 0; i < n; ++i) want[i] = sum += in[i] = i % 23 - 8;
    const int blocks = (n + kBlock - 1) / kBlock;
    Buffer<int> device_in(in), out(n);
    Buffer<unsigned long long> state(blocks);
    Buffer<unsigned> next(1);
    scan<<<blocks, kBlock>>>(device_in, out, state, next, n);
    CK_LAUNCH();
    expect_same("scan", out.get(), want);
  }
  {
    // Few enough blocks to be resident together on any GPU.
    Buffer<int> flag(24);
    wait_for_later_block<<<24, 64>>>(flag);
    CK_LAUNCH();
    std::vector<int> want(24);
    for (int b = 0; b < 24; ++b) want[b] = 24 - b;
    expect_same("wait_for_later_block", flag.get(), want);
  }
  return finish();
}
