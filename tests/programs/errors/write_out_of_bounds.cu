// One thread writes past the end of an allocation.
// RUN: --strict
// EXPECT-STDOUT: cudaErrorIllegalAddress 700
// EXPECT-STDOUT: PASS
// EXPECT-ERROR: in scale\(
// EXPECT-ERROR: write_out_of_bounds\.cu:@STORE\b
// EXPECT-ERROR: thread \(36,0,0\) of block \(3,0,0\)
// EXPECT-ERROR: address 0x[0-9a-f]+
// EXPECT-ERROR: invalid global write of 4 bytes
// EXPECT-ERROR: 80 bytes past the end of .*1600 bytes
#include "fault.h"

__global__ void scale(float* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 420)
    data[i] = 2;  // @STORE
  else if (i < n)
    data[i] = 1;
}

int main() {
  float* data;
  CK(cudaMalloc(&data, 400 * sizeof(float)));
  scale<<<4, 128>>>(data, 400);
  expect_sticky(cudaErrorIllegalAddress);
  return finish();
}
