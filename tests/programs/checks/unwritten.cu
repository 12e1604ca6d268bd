// Reads of memory that nothing has written, and memory that the host or an earlier launch has written.
// TOOLS: initcheck
// FINDS: uninitialized @GLOBAL @GLOBAL
// FINDS: uninitialized @COPIED @COPIED
// FINDS: uninitialized @SHARED @SHARED
// FINDS: uninitialized @AGAIN @AGAIN
#include <cstdlib>

__device__ int variable[32];

__global__ void fill(int* data, int n) {
  if (threadIdx.x < n) data[threadIdx.x] = 1;
}
__global__ void sum(const int* a, const int* b, const int* c, int* out) {
  out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x] + c[threadIdx.x] + variable[threadIdx.x];
}
__global__ void unwritten(const int* data, int* out) {
  out[threadIdx.x] = data[threadIdx.x];  // @GLOBAL
}
__global__ void copied(const int* data, int* out) {
  out[threadIdx.x] = data[threadIdx.x];  // @COPIED
}
__global__ void in_shared(int* out) {
  __shared__ int s[33];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x + 1];  // @SHARED
}
__global__ void again(const int* data, int* out) {
  out[threadIdx.x] = data[threadIdx.x];  // @AGAIN
}

int main() {
  int *copied_in, *set, *filled, *half, *target, *out, host[32] = {};
  for (int** p : {&copied_in, &set, &filled, &half, &target, &out}) cudaMalloc(p, sizeof host);
  cudaMemcpy(copied_in, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemset(set, 0, sizeof host);
  fill<<<1, 32>>>(filled, 32);
  sum<<<1, 32>>>(copied_in, set, filled, out);
  fill<<<1, 32>>>(half, 16);
  unwritten<<<1, 32>>>(half, out);
  cudaMemcpy(target, half, sizeof host, cudaMemcpyDeviceToDevice);
  copied<<<1, 32>>>(target, out);
  in_shared<<<1, 32>>>(out);
  cudaFree(filled);
  int* reused;
  cudaMalloc(&reused, sizeof host);
  again<<<1, 32>>>(reused, out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
