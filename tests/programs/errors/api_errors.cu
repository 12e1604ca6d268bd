// Wrong uses of the API: the right code, its name and its text. A successful call does not erase an unread error.
// EXPECT-STDOUT: cudaErrorInvalidValue: invalid argument
// EXPECT-STDOUT: PASS
#include "fault.h"

__global__ void nothing() {}

int main() {
  int host = 0, *device;
  CK(cudaMalloc(&device, 16));
  expect_once(cudaMemcpy(device, &host, 32, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  expect_once(cudaMemset(device, 0, 17), cudaErrorInvalidValue);
  expect_once(cudaMalloc(nullptr, 16), cudaErrorInvalidValue);
  expect_once(cudaMemcpy(device, &host, 4, static_cast<cudaMemcpyKind>(9)), cudaErrorInvalidMemcpyDirection);
  expect_once(cudaFree(reinterpret_cast<void*>(0x1234)), cudaErrorInvalidValue);
  CK(cudaFree(device));
  expect_once(cudaFree(device), cudaErrorInvalidValue);
  expect_once(cudaSetDevice(1000), cudaErrorInvalidDevice);
  expect_once(cudaStreamDestroy(reinterpret_cast<cudaStream_t>(0x77)), cudaErrorInvalidResourceHandle);

  EXPECT(cudaMalloc(nullptr, 1) == cudaErrorInvalidValue);
  nothing<<<1, 1>>>();
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  EXPECT(cudaGetLastError() == cudaSuccess);

  std::printf("%s: %s\n", cudaGetErrorName(cudaErrorInvalidValue), cudaGetErrorString(cudaErrorInvalidValue));
  EXPECT(std::strcmp(cudaGetErrorName(static_cast<cudaError_t>(123456)), "unrecognized error code") == 0);
  return finish();
}
