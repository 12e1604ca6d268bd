// The two halves of each warp wait at different __syncthreads.
// EXPECT-STDOUT: cudaErrorLaunchFailure 719
// EXPECT-STDOUT: PASS
// EXPECT-ERROR: barrier
// EXPECT-ERROR: in two_arms\(
// EXPECT-ERROR: barrier_two_arms\.cu:@FIRST\b
// EXPECT-ERROR: barrier_two_arms\.cu:@SECOND\b
// EXPECT-NOT: --allow-divergent-barriers
#include "fault.h"

__global__ void two_arms(int* out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  if (t % 2 == 0) {
    s[t] = t;
    __syncthreads();  // @FIRST
    out[t] = s[t + 1];
  } else {
    s[t] = -t;
    __syncthreads();  // @SECOND
    out[t] = s[t - 1] * 2;
  }
}

int main() {
  int* out;
  CK(cudaMalloc(&out, 256));
  two_arms<<<1, 64>>>(out);
  expect_sticky(cudaErrorLaunchFailure);
  return finish();
}
