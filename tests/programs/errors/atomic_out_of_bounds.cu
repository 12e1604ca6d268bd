// An atomic on an address far from every allocation.
// EXPECT-STDOUT: cudaErrorIllegalAddress 700
// EXPECT-STDOUT: PASS
// EXPECT-ERROR: atomic_out_of_bounds\.cu:@ATOMIC\b
// EXPECT-ERROR: thread \(5,1,0\) of block \(1,0,0\)
#include "fault.h"

__global__ void count(int* bins) {
  if (blockIdx.x == 1 && threadIdx.x == 5 && threadIdx.y == 1)
    atomicAdd(&bins[1 << 28], 1);  // @ATOMIC
}

int main() {
  int* bins;
  CK(cudaMalloc(&bins, 64));
  count<<<2, dim3(8, 2)>>>(bins);
  expect_sticky(cudaErrorIllegalAddress);
  return finish();
}
