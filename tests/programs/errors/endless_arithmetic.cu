// An endless loop without memory accesses.
// RUN: --timeout 1
// EXPECT-STDOUT: cudaErrorLaunchTimeout 702
// EXPECT-STDOUT: PASS
// EXPECT-ERROR: in spin\(
#include "fault.h"

__global__ void spin(unsigned* out, unsigned step) {
  unsigned v = threadIdx.x;
  while (v % 2 == threadIdx.x % 2) v = (v + 2 * step) * 3 - 2 * v;
  *out = v;
}

int main() {
  unsigned* out;
  CK(cudaMalloc(&out, 4));
  spin<<<1, 32>>>(out, 5);
  expect_sticky(cudaErrorLaunchTimeout);
  return finish();
}
