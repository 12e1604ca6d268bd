// A matrix times a vector: threads that share a row, threads of a block, and words a load.
#include "program.h"

#ifndef BLOCK
#define BLOCK 256
#endif
#ifndef ROW_THREADS
#define ROW_THREADS 32
#endif
#ifndef WORDS
#define WORDS 1
#endif
constexpr int kRows = BLOCK / ROW_THREADS;

__global__ void __launch_bounds__(BLOCK) matrix_vector(const float* a, const float* x, float* y, int n) {
  __shared__ float partial[BLOCK];
  const int t = threadIdx.x % ROW_THREADS, row = blockIdx.x * kRows + threadIdx.x / ROW_THREADS;
  float sum = 0;
#if WORDS == 4
  const float4* from = reinterpret_cast<const float4*>(a + size_t(row) * n);
  const float4* by = reinterpret_cast<const float4*>(x);
  for (int i = t; i < n / 4; i += ROW_THREADS) {
    const float4 p = from[i], q = by[i];
    sum += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
  }
#else
  for (int i = t; i < n; i += ROW_THREADS) sum += a[size_t(row) * n + i] * x[i];
#endif
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int stride = ROW_THREADS / 2; stride > 0; stride /= 2) {
    if (t < stride) partial[threadIdx.x] += partial[threadIdx.x + stride];
    __syncthreads();
  }
  if (t == 0) y[row] = partial[threadIdx.x];
}

int main(int argc, char** argv) {
  const int n = argument(argc, argv, 1, 2048);
  const std::vector<float> a = whole_numbers(size_t(n) * n, 1), x = whole_numbers(n, 2);
  float *da = on_device(a), *dx = on_device(x), *dy = on_device(x);
  matrix_vector<<<n / kRows, BLOCK>>>(da, dx, dy, n);
  return report(on_host(dy, n), [&](size_t row) {
    double sum = 0;
    for (int k = 0; k < n; ++k) sum += double(a[row * n + k]) * x[k];
    return sum;
  });
}
