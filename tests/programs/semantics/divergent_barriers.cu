// Whole warps of a block wait at different __syncthreads(): GPUs count warps and release them, wherever they wait.
// RUN: --allow-divergent-barriers
#include "check.h"

// One warp scans and the others only wait; both paths have the same number of barriers.
__global__ void scan_by_one_warp(const int* in, int* out) {
  __shared__ int s[128], sum;
  const int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  if (t < 32) {
    int v = s[t] + s[t + 32] + s[t + 64] + s[t + 96];
    for (int by = 16; by > 0; by /= 2) v += __shfl_down_sync(0xffffffff, v, by);
    if (t == 0) sum = v;
    __syncthreads();
    s[t] = 1;
    __syncthreads();
  } else {
    __syncthreads();
    s[t] = sum;
    __syncthreads();
  }
  out[t] = s[127 - t] + sum;
}

int main() {
  std::vector<int> in(128), expected(128);
  int sum = 0;
  for (int i = 0; i < 128; ++i) sum += in[i] = i * i;
  for (int t = 0; t < 128; ++t) expected[t] = sum + (127 - t < 32 ? 1 : sum);
  Buffer<int> data(in), out(128);
  scan_by_one_warp<<<1, 128>>>(data, out);
  CK_LAUNCH();
  expect_same("whole warps", out.get(), expected);
  return finish();
}
