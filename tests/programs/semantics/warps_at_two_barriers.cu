// Whole warps wait at different __syncthreads(): a GPU counts warps and lets them pass, and so does a run, with a warning.
// EXPECT-STDOUT: 4032
// EXPECT-STDOUT: cudaSuccess
// EXPECT-ERROR: warning: different barriers at \S*warps_at_two_barriers\.cu:(@INSIDE|@OUTSIDE) in by_warp\(.*2 warps wait at it and 2 at another one
// EXPECT-NOT: error
#include <cstdio>

__global__ void by_warp(int* out) {
  __shared__ int s[128];
  const int t = threadIdx.x;
  s[t] = t;
  if (t < 64) {
    __syncthreads();  // @INSIDE
    out[t] = s[127 - t];
  } else {
    __syncthreads();  // @OUTSIDE
    out[t] = s[127 - t];
  }
}

int main() {
  int *out, host[128], sum = 0;
  cudaMalloc(&out, sizeof host);
  by_warp<<<1, 128>>>(out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 64; i < 128; ++i) sum += host[i];
  for (int i = 0; i < 32; ++i) sum += host[i] - host[i];
  std::printf("%d\n", 2 * sum);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
