// A copy with a stride: `./copy 1` is coalesced, `./copy 2` uses half of every sector that it loads.
#include <cstdlib>

__global__ void copy(float* out, const float* in, int n, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i * stride];
}

int main(int argc, char** argv) {
  const int stride = argc > 1 ? std::atoi(argv[1]) : 1;
  const int n = 1 << 12;
  float *in = nullptr, *out = nullptr;
  cudaMalloc(&in, sizeof(float) * n * stride);
  cudaMalloc(&out, sizeof(float) * n);
  copy<<<n / 256, 256>>>(out, in, n, stride);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
