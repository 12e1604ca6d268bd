// Vector addition: the first CUDA program, with a guard for sizes that are no multiple of the block.
//
//   vector_add [elements = 1048576] [threads a block = 256]
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                   \
  do {                                                                                                \
    cudaError_t status = (call);                                                                      \
    if (status != cudaSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status)); \
      std::exit(2);                                                                                   \
    }                                                                                                 \
  } while (0)

__global__ void vector_add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1 << 20;
  const int block = argc > 2 ? std::atoi(argv[2]) : 256;
  if (n < 1 || block < 1 || block > 1024) {
    std::fprintf(stderr, "usage: vector_add [elements >= 1] [threads a block, 1 to 1024]\n");
    return 2;
  }

  std::vector<float> a(n), b(n), c(n);
  for (int i = 0; i < n; ++i) {
    a[i] = static_cast<float>(i % 1000);
    b[i] = 0.5f * static_cast<float>(i % 77);
  }

  const size_t bytes = n * sizeof(float);
  float *device_a, *device_b, *device_c;
  CHECK(cudaMalloc(&device_a, bytes));
  CHECK(cudaMalloc(&device_b, bytes));
  CHECK(cudaMalloc(&device_c, bytes));
  CHECK(cudaMemcpy(device_a, a.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(device_b, b.data(), bytes, cudaMemcpyHostToDevice));

  vector_add<<<(n + block - 1) / block, block>>>(device_a, device_b, device_c, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(c.data(), device_c, bytes, cudaMemcpyDeviceToHost));

  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += c[i] != a[i] + b[i];
  std::printf("vector_add: %d elements, %d wrong\n%s\n", n, wrong, wrong ? "FAIL" : "PASS");

  CHECK(cudaFree(device_a));
  CHECK(cudaFree(device_b));
  CHECK(cudaFree(device_c));
  return wrong ? 1 : 0;
}
