// A pointer to ordinary host memory, the most common beginner's mistake.
// EXPECT-STDOUT: cudaErrorIllegalAddress 700
// EXPECT-STDOUT: PASS
// EXPECT-ERROR: host_pointer\.cu:@LOAD\b
#include "fault.h"

__global__ void copy(int* out, const int* in) {
  out[threadIdx.x] = in[threadIdx.x];  // @LOAD
}

int main() {
  std::vector<int> host(64, 1);
  int* out;
  CK(cudaMalloc(&out, 256));
  copy<<<1, 64>>>(out, host.data());
  expect_sticky(cudaErrorIllegalAddress);
  return finish();
}
