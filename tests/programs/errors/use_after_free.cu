// A buffer is read after cudaFree.
// RUN: --strict
// EXPECT-STDOUT: cudaErrorIllegalAddress 700
// EXPECT-STDOUT: PASS
// EXPECT-ERROR: use_after_free\.cu:@LOAD\b
// EXPECT-ERROR: freed
#include "fault.h"

__global__ void copy(int* out, const int* in) {
  out[threadIdx.x] = in[threadIdx.x];  // @LOAD
}

int main() {
  int *in, *out;
  CK(cudaMalloc(&out, 256));
  CK(cudaMalloc(&in, 256));
  CK(cudaFree(in));
  copy<<<1, 64>>>(out, in);
  expect_sticky(cudaErrorIllegalAddress);
  return finish();
}
