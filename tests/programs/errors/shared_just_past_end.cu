// One word past the end of the block's shared memory.
// EXPECT-STDOUT: cudaErrorIllegalAddress 700
// EXPECT-STDOUT: PASS
// EXPECT-ERROR: shared_just_past_end\.cu:@LOAD\b
// EXPECT-ERROR: shared read of 4 bytes
#include "fault.h"

__global__ void sum(int* out) {
  extern __shared__ int s[];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x + 1];  // @LOAD
}

int main() {
  int* out;
  CK(cudaMalloc(&out, 4096));
  sum<<<1, 1024, 4096>>>(out);
  expect_sticky(cudaErrorIllegalAddress);
  return finish();
}
