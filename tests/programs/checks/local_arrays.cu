// An index past the end of an array in local memory, with another array beside it.
// TOOLS: memcheck
// OPTIONS: --destroy-on-device-error kernel
// FINDS: out-of-bounds @PAST
// FINDS: out-of-bounds @BEFORE
// FINDS: out-of-bounds @UNIFORM
// FINDS: out-of-bounds @FAR
// FINDS: out-of-bounds @INLINED
// FINDS: out-of-bounds @WHOLE
// SAYS: invalid local write of 4 bytes: 0 bytes past the end of 'words' of 64 bytes
// SAYS: invalid local read of 4 bytes: 4 bytes before 'behind' of 64 bytes
// SAYS: invalid local write of 4 bytes: 0 bytes past the end of 'a' of 64 bytes
// SAYS: invalid local write of 4 bytes: 0 bytes past the end of 'squares' of 32 bytes
// SAYS: past the end of 'a_name_of_many_charac...' of 36 bytes
// SAYS: past the end of 'coordinates' of 48 bytes
#include <cstdio>

__global__ void sound(const int* at, int* out) {
  int a[16], b[16];
  for (int i = 0; i < 16; ++i) a[at[i]] = i, b[at[i]] = -i;
  out[threadIdx.x] = a[at[threadIdx.x & 15]] + b[at[15 - (threadIdx.x & 15)]];
}
__global__ void past(const int* at, int* out, int by) {
  int words[16], b[16];
  for (int i = 0; i < 16; ++i) words[at[i]] = i, b[at[i]] = -i;
  words[at[threadIdx.x & 15] + by] = 1;  // @PAST
  out[threadIdx.x] = words[at[threadIdx.x & 15]] + b[at[15 - (threadIdx.x & 15)]];
}
__global__ void before(const int* at, int* out, int by) {
  int a[16], behind[16];
  for (int i = 0; i < 16; ++i) a[at[i]] = i, behind[at[i]] = -i;
  out[threadIdx.x] = a[at[threadIdx.x & 15]] + behind[at[threadIdx.x & 15] - by];  // @BEFORE
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
  int squares[8], b[8];
  for (int i = 0; i <= n; ++i) squares[i] = i * i;  // @UNIFORM
  for (int i = 0; i < n; ++i) b[i] = 2 * squares[n - 1 - i];
  int sum = 0;
  for (int i = 0; i < n; i += 2) sum += b[i];
  out[threadIdx.x] = sum;
}
// A part of the kernel once it is inlined, with a longer name than findings have.
__device__ int in_part(const int* at, int by) {
  int a_name_of_many_characters[9];
  for (int i = 0; i < 9; ++i) a_name_of_many_characters[at[i]] = i;
  return a_name_of_many_characters[at[8] + by];  // @INLINED
}
struct Point {
  float x, y, z;
};
__global__ void parts(const int* at, int* out, int by) {
  Point coordinates[4];
  for (int i = 0; i < 4; ++i) coordinates[at[i]] = {1.f * i, 2.f * i, 3.f * i};
  const Point p = coordinates[at[3] + by];  // @WHOLE
  out[threadIdx.x] = in_part(at, by) + int(p.x);
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
  parts<<<1, 32>>>(at, out, 1);
  return cudaDeviceSynchronize() != cudaSuccess;
}
