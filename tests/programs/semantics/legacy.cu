// Names that newer CUDA versions removed and old programs still use.
// DRYWARP-ONLY: nvcc 13 no longer compiles this
#include "check.h"

__global__ void old_shuffles(int* out) {
  int t = threadIdx.x;
  out[4 * t] = __shfl(t, 3);
  out[4 * t + 1] = __shfl_down(t, 1);
  out[4 * t + 2] = __shfl_xor(t, 16);
  out[4 * t + 3] = (__any(t == 5) ? 1 : 0) + (__all(t < 32) ? 2 : 0) + (__ballot(t % 2) == 0xaaaaaaaau ? 4 : 0);
}

int main() {
  Buffer<int> out(128);
  old_shuffles<<<1, 32>>>(out);
  CK(cudaThreadSynchronize());
  std::vector<int> want(128);
  for (int t = 0; t < 32; ++t) want[4 * t] = 3, want[4 * t + 1] = t < 31 ? t + 1 : 31, want[4 * t + 2] = t ^ 16, want[4 * t + 3] = 7;
  expect_same("old_shuffles", out.get(), want);
  cudaDeviceProp p;
  CK(cudaGetDeviceProperties(&p, 0));
  EXPECT(p.clockRate > 100000 && p.memoryClockRate > 100000);
  EXPECT(p.deviceOverlap == 1);
  CK(cudaThreadSetCacheConfig(cudaFuncCachePreferShared));
  size_t value = 0;
  CK(cudaThreadGetLimit(&value, cudaLimitStackSize));
  EXPECT(value > 0);
  CK(cudaThreadExit());
  return finish();
}
