// A kernel that faults after its launch has returned: the next call that waits gets the error, and all later calls.
// EXPECT-STDOUT: launch: cudaSuccess
// EXPECT-STDOUT: wait: cudaErrorIllegalAddress
// EXPECT-STDOUT: behind it, nothing ran: 0
// EXPECT-STDOUT: next: cudaErrorIllegalAddress
// EXPECT-ERROR: illegal memory access in await_and_fault
// EXPECT-ERROR: late_fault.cu:@write
#include <cuda_runtime.h>

#include <cstdio>

__global__ void await_and_fault(volatile int* flag) {
  while (*flag == 0) {
  }
  *(volatile int*)8 = 1;  // @write
}
__global__ void set(volatile int* value) { *value = 1; }

int main() {
  int *flag, *value;
  cudaMallocHost(&flag, sizeof *flag);
  cudaMallocHost(&value, sizeof *value);
  *flag = *value = 0;
  await_and_fault<<<1, 1>>>(flag);
  set<<<1, 1>>>(value);
  std::printf("launch: %s\n", cudaGetErrorName(cudaGetLastError()));
  *flag = 1;
  std::printf("wait: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  std::printf("behind it, nothing ran: %d\n", *(volatile int*)value);
  void* more;
  std::printf("next: %s\n", cudaGetErrorName(cudaMalloc(&more, 4)));
}
