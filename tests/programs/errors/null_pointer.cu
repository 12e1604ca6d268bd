// A null pointer is dereferenced.
// EXPECT-STDOUT: cudaErrorIllegalAddress 700
// EXPECT-STDOUT: PASS
// EXPECT-ERROR: null_pointer\.cu:@STORE\b
// EXPECT-ERROR: in fill\(
// EXPECT-ERROR: address 0x0\b
#include "fault.h"

__global__ void fill(int* data) {
  if (threadIdx.x == 0) *data = 1;  // @STORE
}

int main() {
  fill<<<1, 32>>>(nullptr);
  expect_sticky(cudaErrorIllegalAddress);
  return finish();
}
