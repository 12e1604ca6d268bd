// The program ends while a kernel waits for it: the kernel is stopped, and the exit code is the program's.
// EXPECT-EXIT: 3
// EXPECT-STDOUT: launched
// EXPECT-STDOUT: the stream is not ready
// EXPECT-ERROR: drywarp: stopped in await\(int volatile\*\)
// EXPECT-ERROR: left_waiting.cu:@poll
// EXPECT-ERROR: still waited when the program ended
// EXPECT-NOT: the program sees
#include <cuda_runtime.h>

#include <cstdio>

__global__ void await(volatile int* flag) {
  while (*flag == 0) {  // @poll
  }
}

int main() {
  int* flag;
  cudaMallocHost(&flag, sizeof *flag);
  *flag = 0;
  await<<<1, 32>>>(flag);
  if (cudaGetLastError() == cudaSuccess) std::printf("launched\n");
  if (cudaStreamQuery(nullptr) == cudaErrorNotReady) std::printf("the stream is not ready\n");
  return 3;
}
