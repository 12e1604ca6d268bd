// Whole warps wait at different __syncthreads: one in a branch, one after it.
// RUN: --strict
// EXPECT-STDOUT: cudaErrorLaunchFailure 719
// EXPECT-STDOUT: PASS
// EXPECT-ERROR: barrier
// EXPECT-ERROR: barrier_by_warp\.cu:@INSIDE\b
// EXPECT-ERROR: barrier_by_warp\.cu:@BEHIND\b
// EXPECT-ERROR: GPUs let whole warps pass
#include "fault.h"

__global__ void by_warp(int* out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = t;
  if (t < 64) {
    out[t] = 0;
    __syncthreads();  // @INSIDE
    s[t] += s[t + 64];
  }
  __syncthreads();  // @BEHIND
  out[t] = s[127 - t];
}

int main() {
  int* out;
  CK(cudaMalloc(&out, 512));
  by_warp<<<1, 128>>>(out);
  expect_sticky(cudaErrorLaunchFailure);
  return finish();
}
