// The classic off-by-one stencil: a read just before an allocation.
// RUN: --strict
// EXPECT-STDOUT: cudaErrorIllegalAddress 700
// EXPECT-STDOUT: PASS
// EXPECT-ERROR: in stencil\(
// EXPECT-ERROR: read_out_of_bounds\.cu:@LOAD\b
// EXPECT-ERROR: thread \(0,0,0\) of block \(0,0,0\)
// EXPECT-ERROR: invalid global read of 8 bytes
#include "fault.h"

__global__ void stencil(double* out, const double* in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double left = in[i - 1];  // @LOAD
  out[i] = left + in[i];
}

int main() {
  double *in, *out;
  CK(cudaMalloc(&in, 256 * sizeof(double)));
  CK(cudaMalloc(&out, 256 * sizeof(double)));
  stencil<<<1, 256>>>(out, in);
  expect_sticky(cudaErrorIllegalAddress);
  return finish();
}
