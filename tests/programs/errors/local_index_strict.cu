// Strict: an index that leaves the thread's array stops the launch, also where it is in another thread's.
// RUN: --strict
// EXPECT-STDOUT: cudaErrorIllegalAddress
// EXPECT-ERROR: local_index_strict\.cu:@WRITE\b
// EXPECT-ERROR: invalid local write of 4 bytes at offset 0x20; the thread has 32 bytes of it
#include <cstdio>

__global__ void past(int* out, int at) {
  volatile int a[8];
  for (int i = 0; i < 8; ++i) a[i & at] = i;
  a[at + (threadIdx.x & 1)] = 7;  // @WRITE
  out[threadIdx.x] = a[threadIdx.x & at];
}

int main() {
  int* out;
  cudaMalloc(&out, 128);
  past<<<1, 32>>>(out, 7);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
