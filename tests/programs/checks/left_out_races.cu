// Launches that --kernel-name leaves out race with those that it chooses; what they do among themselves, and beside copies
// and the host, is not judged.
// TOOLS: racecheck
// OPTIONS: --kernel-name ^chosen
// FINDS: read-write @READ @WRITE
#include <cuda_runtime.h>

constexpr int N = 4096;

__global__ void left_out(float* data) {
  data[blockIdx.x * blockDim.x + threadIdx.x] = 2;  // @WRITE
}
__global__ void chosen(const float* data, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = data[i];  // @READ
}

int main() {
  float *data, *out, *shared;
  cudaMalloc(&data, N * sizeof(float));
  cudaMalloc(&out, N * sizeof(float));
  cudaMallocManaged(&shared, N * sizeof(float));
  cudaStream_t a, b;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  const auto wait = [] { cudaDeviceSynchronize(); };

  left_out<<<N / 256, 256, 0, a>>>(data);
  left_out<<<N / 256, 256, 0, b>>>(data);
  wait();
  left_out<<<N / 256, 256, 0, a>>>(data);
  cudaMemsetAsync(data, 0, N * sizeof(float), b);
  wait();
  left_out<<<N / 256, 256>>>(shared);
  shared[0] = 1;
  wait();
  // In order, and not.
  left_out<<<N / 256, 256, 0, a>>>(data);
  chosen<<<N / 256, 256, 0, a>>>(data, out);
  wait();
  left_out<<<N / 256, 256, 0, a>>>(data);
  chosen<<<N / 256, 256, 0, b>>>(data, out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
