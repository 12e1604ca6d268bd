// cudaDeviceReset clears even a sticky error; work done before the fault has its effect.
// EXPECT-STDOUT: before the fault: 7
// EXPECT-STDOUT: PASS
#include "fault.h"

__global__ void set(int* p, int v) { *p = v; }

int main() {
  int *data, *mapped;
  CK(cudaMalloc(&data, 4));
  CK(cudaHostAlloc(&mapped, 4, cudaHostAllocMapped));
  set<<<1, 1>>>(mapped, 7);
  CK_LAUNCH();
  std::printf("before the fault: %d\n", *mapped);
  set<<<1, 1>>>(nullptr, 1);
  EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  EXPECT(cudaMemset(data, 0, 4) == cudaErrorIllegalAddress);
  EXPECT(cudaDeviceReset() == cudaSuccess || cudaGetLastError() == cudaErrorIllegalAddress);
  return finish();
}
