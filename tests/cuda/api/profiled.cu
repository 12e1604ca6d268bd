// Launches two kernels alternately, ten times each, with different ways to select launches (check_profiles.py). Exit
// code 3 if a result is wrong.
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <nvToolsExt.h>

#include <cstdio>
#include <cstring>

__global__ void even(int* v) { v[threadIdx.x] += 1; }
__global__ void odd(int* v) {
  __shared__ int words[64];
  words[threadIdx.x] = v[threadIdx.x];
  __syncthreads();
  v[threadIdx.x] = words[31 - threadIdx.x] * 2 % 1000;
}

int main(int count, char** arguments) {
  const char* how = count > 1 ? arguments[1] : "";
  int* v;
  cudaMalloc(&v, 128);
  cudaMemset(v, 0, 128);
  if (!std::strcmp(how, "ranges")) nvtxRangePushA("all");
  for (int i = 0; i < 10; ++i) {
    if (!std::strcmp(how, "profiler_calls") && i == 0) cudaProfilerStop();
    if (!std::strcmp(how, "profiler_calls") && i == 4) cudaProfilerStart();
    if (!std::strcmp(how, "profiler_calls") && i == 6) cudaProfilerStop();
    if (!std::strcmp(how, "ranges")) nvtxRangePushA(i < 5 ? "first half" : "second half");
    even<<<1, 32>>>(v);
    odd<<<dim3(1), dim3(32, 1), 256>>>(v);
    if (!std::strcmp(how, "ranges")) nvtxRangePop();
  }
  if (!std::strcmp(how, "ranges")) nvtxRangePop();
  int host[32], expected = 0;
  cudaMemcpy(host, v, 128, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 10; ++i) expected = (expected + 1) * 2 % 1000;
  for (int value : host)
    if (value != expected) {
      std::printf("%d instead of %d\n", value, expected);
      return 3;
    }
}
