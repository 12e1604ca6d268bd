// An arena that says which parts it has handed out: overruns and use after free inside of one allocation.
// TOOLS: memcheck
// OPTIONS: --destroy-on-device-error kernel
// FINDS: out-of-bounds @PAST
// FINDS: use-after-free @FREED @FREE
// FINDS: out-of-bounds @BETWEEN
// FINDS: api-error @OVERLAPS
#include <drywarp/annotate.h>

#include <cstdio>

__global__ void fill(int* part, int n) {
  if (threadIdx.x < n) part[threadIdx.x] = 1;
}
__global__ void past(int* part, int n) {
  part[threadIdx.x + n - 31] = 1;  // @PAST
}
__global__ void freed(int* part) {
  part[threadIdx.x] = 1;  // @FREED
}
__global__ void between(int* part) {
  part[threadIdx.x] = 1;  // @BETWEEN
}

int main() {
  char* arena;
  cudaMalloc(&arena, 1 << 16);
  int *a = reinterpret_cast<int*>(arena + 256), *b = reinterpret_cast<int*>(arena + 1024);
  int wrong = drywarp_allocated(a, 200) + drywarp_allocated(b, 128);
  fill<<<1, 64>>>(a, 50);
  fill<<<1, 64>>>(b, 32);
  past<<<1, 32>>>(a, 50);
  wrong += drywarp_freed(b);  // @FREE
  freed<<<1, 32>>>(b);
  wrong += drywarp_allocated(b, 128);
  fill<<<1, 64>>>(b, 32);
  between<<<1, 32>>>(reinterpret_cast<int*>(arena + 8192));
  const cudaError_t copied = cudaMemset(arena, 0, 1 << 16);  // the host may
  wrong += drywarp_allocated(arena + 1000, 100) == 0;        // @OVERLAPS
  if (wrong || copied != cudaSuccess) std::printf("%d\n", wrong);
  return wrong + (cudaDeviceSynchronize() != cudaSuccess);
}
