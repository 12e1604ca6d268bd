// Addresses of one memory that are used in another, or by a thread that they do not belong to.
// TOOLS: memcheck
// OPTIONS: --destroy-on-device-error kernel
// FINDS: wrong-space @SHARED
// FINDS: wrong-space @THREAD
#include <cstdio>

__device__ int* passed;

// The generic address of shared memory, in an instruction for global memory.
__global__ void shared_as_global(int* out) {
  __shared__ int s[32];
  s[threadIdx.x] = threadIdx.x;
  int v;
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(&s[threadIdx.x]));  // @SHARED
  out[threadIdx.x] = v;
}
// The address of one thread's own array, which another one reads.
__global__ void others_local(int* out, int n) {
  int mine[8];
  for (int i = 0; i < n; ++i) mine[i] = i;
  if (threadIdx.x == 0) passed = mine;
  __syncwarp();
  out[threadIdx.x] = *(volatile int*)(passed + 1) + mine[n - 1];  // @THREAD
}
// Each thread's own.
__global__ void own_local(int* out, int n) {
  int mine[8];
  for (int i = 0; i < n; ++i) mine[i] = i;
  int* volatile p = mine;
  out[threadIdx.x] = *(volatile int*)(p + 1) + mine[n - 1];
}

int main() {
  int* out;
  cudaMalloc(&out, 128);
  shared_as_global<<<1, 32>>>(out);
  others_local<<<1, 32>>>(out, 8);
  own_local<<<1, 32>>>(out, 8);
  return cudaDeviceSynchronize() != cudaSuccess;
}
