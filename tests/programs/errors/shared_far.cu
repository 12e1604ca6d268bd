// An index so far past the shared memory that its addresses cannot name the place.
// EXPECT-STDOUT: cudaErrorIllegalInstruction 715
// EXPECT-STDOUT: PASS
// EXPECT-ERROR: shared_far\.cu:@STORE\b
// EXPECT-ERROR: shared write of 4 bytes
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
  fill<<<1, 64>>>(out, 1 << 22);
  expect_sticky(cudaErrorIllegalInstruction);
  return finish();
}
