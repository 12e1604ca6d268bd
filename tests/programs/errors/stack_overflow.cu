// Endless recursion.
// EXPECT-STDOUT: cudaErrorLaunchFailure 719
// EXPECT-STDOUT: PASS
// EXPECT-ERROR: stack
// EXPECT-ERROR: in start\(
#include "fault.h"

__device__ __noinline__ int deeper(volatile int* v, int n) {
  int local[8];
  for (int k = 0; k < 8; ++k) local[k] = v[k] + n;
  return deeper(v, n + 1) + local[n % 8];
}
__global__ void start(int* v) { v[0] = deeper(v, 0); }

int main() {
  int* v;
  CK(cudaMalloc(&v, 64));
  start<<<1, 1>>>(v);
  expect_sticky(cudaErrorLaunchFailure);
  return finish();
}
