// The mathematics library reads an array past its end.
// RUN: --strict
// EXPECT-STDOUT: cudaErrorIllegalAddress 700
// EXPECT-STDOUT: PASS
// EXPECT-ERROR: illegal memory access in lengths\(
// EXPECT-ERROR: norm_out_of_bounds\.cu:@READ\b
// EXPECT-ERROR: thread \(3,0,0\)
#include "fault.h"

__global__ void lengths(const float* v, int n, float* out) {
  int t = threadIdx.x;
  out[t] = normf(t == 3 ? n + 1 : n, v);  // @READ
}

int main() {
  float *v, *out;
  CK(cudaMalloc(&v, 64 * sizeof(float)));
  CK(cudaMalloc(&out, 128));
  lengths<<<1, 32>>>(v, 64, out);
  expect_sticky(cudaErrorIllegalAddress);
  return finish();
}
