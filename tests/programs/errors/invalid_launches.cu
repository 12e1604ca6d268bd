// Launches that cannot start: the error is the launch's and does not stick. Errors are CUDA 13's.
// EXPECT-STDOUT: PASS
#include "fault.h"

__global__ void plain(int* out) { out[threadIdx.x] = 1; }
__global__ void __launch_bounds__(64) small(int* out) { out[threadIdx.x] = 1; }

int main() {
  int* out;
  CK(cudaMalloc(&out, 4096));
  const auto launch = [&](dim3 grid, dim3 block, size_t shared) {
    plain<<<grid, block, shared>>>(out);
    return cudaPeekAtLastError();
  };
  expect_once(launch(1, 1025, 0), cudaErrorInvalidValue);
  expect_once(launch(1, dim3(32, 33), 0), cudaErrorInvalidValue);
  expect_once(launch(1, dim3(1, 1, 65), 0), cudaErrorInvalidValue);
  expect_once(launch(1, 0, 0), cudaErrorInvalidValue);
  expect_once(launch(0, 32, 0), cudaErrorInvalidValue);
  expect_once(launch(dim3(1, 65536), 32, 0), cudaErrorInvalidValue);
  expect_once(launch(1, 32, 49 * 1024), cudaErrorInvalidValue);
  expect_once(launch(1, 32, 10 << 20), cudaErrorInvalidValue);
  small<<<1, 128>>>(out);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  cudaFuncAttributes a;
  EXPECT(cudaFuncGetAttributes(&a, reinterpret_cast<const void*>(main)) == cudaErrorInvalidResourceHandle);
  EXPECT(cudaGetLastError() == cudaErrorInvalidResourceHandle);
  // After all of that the device still works.
  plain<<<1, 1024>>>(out);
  CK_LAUNCH();
  return finish();
}
