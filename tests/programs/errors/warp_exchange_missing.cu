// __syncwarp names lanes that can never arrive: they wait at a block-wide barrier.
// EXPECT-STDOUT: cudaErrorLaunchFailure 719
// EXPECT-STDOUT: PASS
// EXPECT-ERROR: warp_exchange_missing\.cu:@WARP\b
// EXPECT-ERROR: warp_exchange_missing\.cu:@BLOCK\b
#include "fault.h"

__global__ void missing(int* out) {
  int t = threadIdx.x;
  if (t < 16) {
    out[t] = 1;
    __syncwarp(0xffffffffu);  // @WARP
    out[t] = 3;
  } else {
    out[t] = 2;
    __syncthreads();  // @BLOCK
    out[t] = 4;
  }
}

int main() {
  int* out;
  CK(cudaMalloc(&out, 128));
  missing<<<1, 32>>>(out);
  expect_sticky(cudaErrorLaunchFailure);
  return finish();
}
