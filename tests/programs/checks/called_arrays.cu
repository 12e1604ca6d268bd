// Local arrays of functions that are not a part of the kernel's code: not inlined, recursive, called through pointers.
// TOOLS: memcheck
// OPTIONS: --destroy-on-device-error kernel
// FINDS: out-of-bounds @NOINLINE
// FINDS: out-of-bounds @RECURSIVE
// FINDS: out-of-bounds @POINTER
// FINDS: out-of-bounds @OF_CALLER
// SAYS: 0 bytes past the end of 'left' of 64 bytes
// SAYS: 0 bytes past the end of 'depths' of 64 bytes
// SAYS: 0 bytes past the end of 'mine' of 32 bytes
#include <cstdio>

// Siblings: their arrays lie at the same place, with other sizes, so that one's padding is the other's array.
__device__ __noinline__ int small(const int* at, int n) {
  int a[4], b[4];
  for (int i = 0; i < 4; ++i) a[at[i]] = i, b[at[i]] = n - i;
  return a[at[n & 3]] + b[at[n & 3]];
}
__device__ __noinline__ int large(const int* at, int n) {
  int a[64];
  for (int i = 0; i < 64; ++i) a[at[i & 15] + (i & 48)] = i + n;
  return a[at[n & 15] + 48];
}
__device__ int down(const int* at, int n) {
  int a[16];
  for (int i = 0; i < 16; ++i) a[at[i]] = n + i;
  const int below = n > 0 ? down(at, n - 1) : 0;
  return below + a[at[n & 15]];
}
__global__ void sound(const int* at, int* out) {
  int sum = 0;
  if (threadIdx.x & 1)
    sum = small(at, threadIdx.x);
  else
    sum = large(at, threadIdx.x);
  sum += large(at, sum & 7) + down(at, threadIdx.x & 7) + small(at, 1);
  out[threadIdx.x] = sum;
}

__device__ __noinline__ int past(const int* at, int n, int by) {
  int left[16], b[16];
  for (int i = 0; i < 16; ++i) left[at[i]] = i, b[at[i]] = -i;
  left[at[n & 15] + by] = 1;  // @NOINLINE
  return left[at[n & 15]] + b[at[n & 15]];
}
__device__ int recursive(const int* at, int n, int by) {
  int depths[16];
  for (int i = 0; i < 16; ++i) depths[at[i]] = i;
  const int below = n > 0 ? recursive(at, n - 1, by) : 0;
  if (n == 2) depths[at[15] + by] = below;  // @RECURSIVE
  return below + depths[at[n & 15]];
}
__device__ __noinline__ int pointed(const int* at, int by) {
  int a[16], b[16];
  for (int i = 0; i < 16; ++i) a[at[i]] = i, b[at[i]] = -i;
  return a[at[15] + by] + b[at[3]];  // @POINTER
}
__device__ __noinline__ int harmless(const int* at, int by) { return at[by & 1]; }
__device__ __noinline__ void fill(int* a, int n) {
  for (int i = 0; i <= n; ++i) a[i] = i;  // @OF_CALLER
}
using Function = int (*)(const int*, int);
__global__ void faulty(const int* at, int* out, int by) {
  int sum = 0;
  if (threadIdx.x < 16) sum = past(at, threadIdx.x, by);
  sum += recursive(at, threadIdx.x & 3, by);
  const Function f = at[threadIdx.x & 15] & 1 ? pointed : harmless;
  int mine[8];
  fill(mine, 7 + by);
  out[threadIdx.x] = sum + f(at, by) + mine[at[3]];
}

int main() {
  int *at, *out, host[16];
  cudaMalloc(&at, sizeof host);
  cudaMalloc(&out, 128);
  for (int i = 0; i < 16; ++i) host[i] = i;
  cudaMemcpy(at, host, sizeof host, cudaMemcpyHostToDevice);
  sound<<<1, 32>>>(at, out);
  faulty<<<1, 32>>>(at, out, 1);
  return cudaDeviceSynchronize() != cudaSuccess;
}
