// An index past the end of all shared memory of the block.
// EXPECT-STDOUT: cudaErrorIllegalAddress 700
// EXPECT-STDOUT: PASS
// EXPECT-ERROR: shared_out_of_range\.cu:@STORE\b
// EXPECT-ERROR: shared write of 4 bytes
// EXPECT-ERROR: thread \(2,0,0\) of block \(0,0,0\)
#include "fault.h"

__global__ void fill(int* out, int index) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  if (threadIdx.x == 2) s[index] = 7;  // @STORE
  __syncthreads();
  out[threadIdx.x] = s[63 - threadIdx.x];
}

int main() {
  int* out;
  CK(cudaMalloc(&out, 256));
  fill<<<1, 64>>>(out, 1 << 20);
  expect_sticky(cudaErrorIllegalAddress);
  return finish();
}
