// A float4 load from an address that is only a multiple of 4.
// EXPECT-STDOUT: cudaErrorMisalignedAddress 716
// EXPECT-STDOUT: PASS
// EXPECT-ERROR: misaligned\.cu:@LOAD\b
// EXPECT-ERROR: misaligned global read of 16 bytes
// EXPECT-ERROR: thread \(0,0,0\) of block \(0,0,0\)
#include "fault.h"

__global__ void load(float* out, const float* in) {
  float4 v = *reinterpret_cast<const float4*>(in + 1 + 4 * threadIdx.x);  // @LOAD
  out[threadIdx.x] = v.x + v.y + v.z + v.w;
}

int main() {
  float* data;
  CK(cudaMalloc(&data, 4096));
  load<<<1, 32>>>(data, data);
  expect_sticky(cudaErrorMisalignedAddress);
  return finish();
}
