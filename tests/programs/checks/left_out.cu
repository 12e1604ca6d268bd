// Launches that --kernel-name leaves out run as on a GPU: what it lets through is no finding, and no error of the program.
// TOOLS: memcheck,racecheck
// OPTIONS: --kernel-name ^checked --destroy-on-device-error kernel
// FINDS: out-of-bounds @CHECKED
#include <cuda_runtime.h>

__global__ void checked(int* data) {
  data[threadIdx.x + 1] = 1;  // @CHECKED
}
__global__ void left_out(int* data, int* out) {
  out[threadIdx.x] = data[threadIdx.x + 1];
}

int main() {
  int *data, *out;
  cudaMalloc(&data, 64 * sizeof *data);
  cudaMalloc(&out, 64 * sizeof *out);
  cudaMemset(data, 0, 64 * sizeof *data);
  left_out<<<1, 64>>>(data, out);
  checked<<<1, 64>>>(data);
  left_out<<<1, 64>>>(data, out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
