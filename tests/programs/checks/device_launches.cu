// Kernels that launch kernels: a grid is ordered with what it launches, and that runs in order; an access of a launched
// kernel is found like any other. What a grid launches in several streams is taken to be in order, too.
// OPTIONS: -rdc=true
// FINDS: out-of-bounds @PAST
// EXPECT-EXIT: 123
#include <cuda_runtime.h>

__global__ void add(int* data, int value) { data[threadIdx.x] += value; }
__global__ void past(int* data) {
  data[threadIdx.x + 1] = 1;  // @PAST
}
__global__ void parent(int* data, int depth) {
  data[threadIdx.x] = depth;
  __syncthreads();
  if (threadIdx.x != 0) return;
  add<<<1, blockDim.x>>>(data, 1);
  cudaMemcpyAsync(data, data + 16, 16 * sizeof(int), cudaMemcpyDeviceToDevice, 0);
  if (depth > 0) parent<<<1, blockDim.x>>>(data, depth - 1);
  cudaStream_t stream;
  int* made;
  if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) return;
  if (cudaMalloc((void**)&made, 32 * sizeof(int)) != cudaSuccess) return;
  cudaMemsetAsync(made, 0, 32 * sizeof(int), stream);
  add<<<1, 32, 0, stream>>>(made, 3);
  add<<<1, blockDim.x, 0, cudaStreamTailLaunch>>>(data, 1);
  if (depth == 0) past<<<1, 32>>>(made);
  cudaStreamDestroy(stream);
}

int main() {
  int* data;
  cudaMalloc(&data, 32 * sizeof(int));
  parent<<<1, 32>>>(data, 2);
  add<<<1, 32>>>(data, 1);
  cudaDeviceSynchronize();
}
