// Atomics on 16 bits access two bytes: a neighbour's plain access is no race with them, one to the same half word is.
// TOOLS: memcheck,initcheck,racecheck
// OPTIONS: --destroy-on-device-error kernel
// FINDS: beside-swap @SWAP @READ
// FINDS: write-write @ADD @WRITTEN
// FINDS: out-of-bounds @SWAP
// FINDS: uninitialized @SWAP @SWAP
// SAYS: invalid global atomic of 2 bytes
#include <cuda_runtime.h>

__device__ unsigned short swap(unsigned short* p, unsigned short from, unsigned short to) {
  unsigned short was;
  asm volatile("atom.cas.b16 %0, [%1], %2, %3;" : "=h"(was) : "l"(p), "h"(from), "h"(to) : "memory");  // @SWAP
  return was;
}
__device__ unsigned short add_one(unsigned short* p) {  // 1.0
  unsigned short was;
  asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(was) : "l"(p), "h"((unsigned short)0x3c00) : "memory");  // @ADD
  return was;
}

// Threads of two warps: one has the even half words, one the odd ones.
__global__ void neighbours(unsigned short* p, unsigned short* out) {
  __shared__ unsigned short s[64];
  const int lane = threadIdx.x % 32;
  s[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    out[lane] = swap(p + 2 * lane, 0, 1);
    swap(s + 2 * lane, 0, 1);
    add_one(p + 2 * lane);
  } else {
    p[2 * lane + 1] = lane;
    s[2 * lane + 1] = p[2 * lane + 1];
  }
}
__global__ void swapped(unsigned short* p, unsigned short* out) {
  if (threadIdx.x < 32)
    swap(p + threadIdx.x, 0, 1);
  else
    out[threadIdx.x] = p[threadIdx.x - 32];  // @READ
}
__global__ void added(unsigned short* p) {
  if (threadIdx.x < 32)
    add_one(p + threadIdx.x);
  else
    p[threadIdx.x - 32] = 1;  // @WRITTEN
}
__global__ void past(unsigned short* p) { swap(p + threadIdx.x, 0, 1); }
__global__ void unwritten(unsigned short* p) {
  p[0] = 1;
  swap(p, 1, 2);
  swap(p + 1, 1, 2);
}

int main() {
  unsigned short *p, *out, *fresh;
  cudaMalloc(&p, 64 * sizeof *p);
  cudaMalloc(&out, 64 * sizeof *out);
  cudaMalloc(&fresh, 64 * sizeof *fresh);
  cudaMemset(p, 0, 64 * sizeof *p);
  neighbours<<<1, 64>>>(p, out);
  swapped<<<1, 64>>>(p, out);
  added<<<1, 64>>>(p);
  past<<<1, 65>>>(p);
  unwritten<<<1, 1>>>(fresh);
  return cudaDeviceSynchronize() != cudaSuccess;
}
