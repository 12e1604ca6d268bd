// Memory that the device never uses, in whole or in part.
// TOOLS: initcheck
// OPTIONS: --track-unused-memory --unused-memory-threshold 25
// FINDS: unused-memory -
// FINDS: unused-memory -
__global__ void fill(int* data, int n) {
  if (threadIdx.x < n) data[threadIdx.x] = 1;
}

int main() {
  int *never, *half, *nearly, *all, *copied, *freed;
  cudaMalloc(&never, 1024);
  cudaMalloc(&half, 1024);
  cudaMalloc(&nearly, 1024);
  cudaMalloc(&all, 1024);
  cudaMalloc(&copied, 1024);
  cudaMalloc(&freed, 1024);
  fill<<<1, 256>>>(half, 128);
  fill<<<1, 256>>>(nearly, 200);
  fill<<<1, 256>>>(all, 256);
  cudaMemcpy(copied, all, 1024, cudaMemcpyDeviceToDevice);
  fill<<<1, 256>>>(freed, 256);
  cudaFree(freed);
  return cudaDeviceSynchronize() != cudaSuccess;
}
