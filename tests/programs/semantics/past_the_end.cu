// Accesses outside of an allocation, in memory that a GPU has mapped: the kernel runs on, and a warning a line says so.
// What is behind shared memory is the block's up to the unit in which it is allocated.
// EXPECT-STDOUT: neighbours: 128 sums are right
// EXPECT-STDOUT: written past the end and read again: 7
// EXPECT-STDOUT: shared: 96
// EXPECT-STDOUT: cudaSuccess
// EXPECT-STDOUT: far: cudaErrorIllegalAddress
// EXPECT-ERROR: warning: \S*past_the_end\.cu:@NEXT in sums\(.*: invalid global read of 4 bytes .*past the end .*512 bytes.*by thread \(31,0,0\) of block \(3,0,0\), 1 time in this launch
// EXPECT-ERROR: past_the_end\.cu:@WRITE in beyond\(.*invalid global write of 4 bytes
// EXPECT-ERROR: past_the_end\.cu:@READ in beyond\(.*drywarp check
// EXPECT-ERROR: past_the_end\.cu:@SHARED in tail\(.*invalid shared read of 4 bytes .*24 times in this launch
// EXPECT-ERROR: illegal memory access in far\(
#include <cstdio>

__global__ void sums(const volatile int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = in[i];
  sum += 0 * in[i + 1];  // @NEXT
  out[i] = sum;
}
__global__ void beyond(volatile int* data, int n) {
  data[n + 5] = 7;     // @WRITE
  int v = data[n + 5]; // @READ
  data[0] = v;
}
__global__ void tail(int* out) {
  __shared__ volatile int s[40];  // 160 bytes of 256
  s[threadIdx.x] = 3;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x] + 0 * s[threadIdx.x + 32];  // @SHARED
}
__global__ void far(int* data) { data[1 << 26] = 1; }

int main() {
  int *in, *out, host[128];
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof host);
  for (int i = 0; i < 128; ++i) host[i] = i;
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  sums<<<4, 32>>>(in, out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  int right = 0;
  for (int i = 0; i < 128; ++i) right += host[i] == i;
  std::printf("neighbours: %d sums are right\n", right);
  beyond<<<1, 1>>>(in, 128);
  cudaMemcpy(host, in, sizeof *host, cudaMemcpyDeviceToHost);
  std::printf("written past the end and read again: %d\n", host[0]);
  tail<<<1, 32>>>(out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  int sum = 0;
  for (int i = 0; i < 32; ++i) sum += host[i];
  std::printf("shared: %d\n", sum);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  far<<<1, 1>>>(in);
  std::printf("far: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
