// An index past the end of an array in local memory, with another array beside it.
// TOOLS: memcheck
// OPTIONS: --destroy-on-device-error kernel
// FINDS: out-of-bounds @PAST
// FINDS: out-of-bounds @BEFORE
// FINDS: out-of-bounds @UNIFORM
// FINDS: out-of-bounds @FAR
#include <cstdio>

__global__ void sound(const int* at, int* out) {
  int a[16], b[16];
  for (int i = 0; i < 16; ++i) a[at[i]] = i, b[at[i]] = -i;
  out[threadIdx.x] = a[at[threadIdx.x & 15]] + b[at[15 - (threadIdx.x & 15)]];
}
__global__ void past(const int* at, int* out, int by) {
  int a[16], b[16];
  for (int i = 0; i < 16; ++i) a[at[i]] = i, b[at[i]] = -i;
  a[at[threadIdx.x & 15] + by] = 1;  // @PAST
  out[threadIdx.x] = a[at[threadIdx.x & 15]] + b[at[15 - (threadIdx.x & 15)]];
}
__global__ void before(const int* at, int* out, int by) {
  int a[16], b[16];
  for (int i = 0; i < 16; ++i) a[at[i]] = i, b[at[i]] = -i;
  out[threadIdx.x] = a[at[threadIdx.x & 15]] + b[at[threadIdx.x & 15] - by];  // @BEFORE
}
// As far past the end as the array is large.
__global__ void far(const int* at, int* out, int by) {
  int a[16], b[16];
  for (int i = 0; i < 16; ++i) a[at[i]] = i, b[at[i]] = -i;
  a[at[threadIdx.x & 15] + by] = 1;  // @FAR
  out[threadIdx.x] = a[at[threadIdx.x & 15]] + b[at[15 - (threadIdx.x & 15)]];
}
// The loop runs once too often.
__global__ void uniform(int* out, int n) {
  int a[8], b[8];
  for (int i = 0; i <= n; ++i) a[i] = i;  // @UNIFORM
  for (int i = 0; i < n; ++i) b[i] = 2 * a[n - 1 - i];
  int sum = 0;
  for (int i = 0; i < n; i += 2) sum += b[i];
  out[threadIdx.x] = sum;
}

int main() {
  int *at, *out, host[16];
  cudaMalloc(&at, sizeof host);
  cudaMalloc(&out, 128);
  for (int i = 0; i < 16; ++i) host[i] = i;
  cudaMemcpy(at, host, sizeof host, cudaMemcpyHostToDevice);
  sound<<<1, 32>>>(at, out);
  past<<<1, 32>>>(at, out, 1);
  before<<<1, 32>>>(at, out, 1);
  far<<<1, 32>>>(at, out, 16);
  uniform<<<1, 32>>>(out, 8);
  return cudaDeviceSynchronize() != cudaSuccess;
}
