// The C++ that programs use on both sides: standard headers, lambdas, templates, managed and constant variables,
// printf, assert. ptx: vprintf ptx: __assertfail ptx: malloc ptx: .visible .const .align 4 .b8 table[16] ptx: .maxntid
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <complex>
#include <cstdio>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

__constant__ float table[4];
__managed__ int counter = 5;
__device__ int on_device = 3;

template <class Function>
__global__ void apply(Function function, float* out) {
  out[threadIdx.x] = function(static_cast<float>(threadIdx.x));
}
template <class T>
__global__ void __launch_bounds__(256) shared_template(T* x) {
  extern __shared__ char raw[];
  T* values = reinterpret_cast<T*>(raw);
  values[threadIdx.x] = x[threadIdx.x] + std::numeric_limits<T>::epsilon();
  __syncthreads();
  x[threadIdx.x] = std::max(values[0], static_cast<T>(1)) + min(3, static_cast<int>(blockDim.x));
}
__device__ int* kept;
__global__ void language(float* o, std::complex<float>* c, int n) {
  assert(n > 0);
  printf("%d %f\n", n, static_cast<double>(o[0]));
  counter += on_device;
  int* heap = new int[4];
  heap[0] = n;
  o[0] = static_cast<float>(heap[0]) + table[1] + std::sqrt(o[1]) + std::fabs(o[2]);
  delete[] kept;
  kept = heap;
  const dim3 where = threadIdx;
  o[where.x] = c[0].real() + fmaf(o[3], o[4], o[5]) + static_cast<float>(clock64() + max(n, 3));
  if (std::isnan(o[1]) || isinf(o[2])) __trap();
  memset(o, 0, 16);
}

int main() {
  float factor = 3.0f;
  float* out = nullptr;
  cudaMalloc(&out, 128 * sizeof(float));
  apply<<<1, 32>>>([=] __device__(float x) { return x * factor; }, out);
  apply<<<1, 32>>>([=] __host__ __device__(float x) { return x + factor; }, out);
  shared_template<<<dim3(2, 2), 64, 64 * sizeof(float)>>>(out);
  shared_template<double><<<1, 32, 1024, cudaStreamPerThread>>>(nullptr);
  int blocks = 0, threads = 0;
  cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, language);
  cudaMemcpyToSymbol(table, &factor, sizeof factor, 4);
  cudaFuncSetAttribute(language, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  counter = properties.clockRate;
  std::map<int, std::string> names;
  names[max(1, 2)] = properties.name;
  std::unique_ptr<float> value(new float(rsqrtf(2.0f)));
  std::cout << names[2] << *value << counter << min(1u, 2u) << std::max(1.0f, 2.0f) << '\n';
  cudaThreadSynchronize();
  return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
