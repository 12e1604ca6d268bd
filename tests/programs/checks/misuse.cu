// Calls that free, copy or name what they may not. The program sees the errors that it would see without the check.
// TOOLS: memcheck
// FINDS: double-free @TWICE @ONCE
// FINDS: invalid-free @MIDDLE
// FINDS: invalid-free @OF_HOST
// FINDS: invalid-free @PINNED
// FINDS: invalid-free @NOT_PINNED
// FINDS: invalid-copy @LONG
// FINDS: invalid-copy @LONG_SOURCE
// FINDS: use-after-free @STALE @ONCE
// FINDS: invalid-copy @LONG_FILL
// FINDS: invalid-copy @HOST_FILL
// FINDS: copy-direction @NO_DEVICE
// FINDS: invalid-free @UNREGISTERED
// FINDS: api-error @LAUNCH
// FINDS: api-error @STREAM
// FINDS: api-error @EVENT
#include <cstdlib>
#include <vector>

__global__ void nothing() {}

int main() {
  int *gone, *data, *pinned;
  std::vector<int> host(4096), registered(4096);
  int wrong = 0;
  cudaMalloc(&gone, 1024);
  cudaMalloc(&data, 1024);
  cudaMallocHost(&pinned, 1024);

  wrong += cudaFree(gone) != cudaSuccess;  // @ONCE
  wrong += cudaFree(gone) != cudaErrorInvalidValue;  // @TWICE
  wrong += cudaFree(data + 4) != cudaErrorInvalidValue;  // @MIDDLE
  wrong += cudaFree(host.data()) != cudaErrorInvalidValue;  // @OF_HOST
  wrong += cudaFree(pinned) != cudaErrorInvalidValue;  // @PINNED
  wrong += cudaFreeHost(data) != cudaErrorInvalidValue;  // @NOT_PINNED

  wrong += cudaMemcpy(data, host.data(), 1028, cudaMemcpyHostToDevice) != cudaErrorInvalidValue;  // @LONG
  wrong += cudaMemcpy(host.data(), data + 200, 1024, cudaMemcpyDeviceToHost) != cudaErrorInvalidValue;  // @LONG_SOURCE
  wrong += cudaMemcpy(gone, host.data(), 16, cudaMemcpyHostToDevice) != cudaErrorInvalidValue;  // @STALE
  wrong += cudaMemset(data, 0, 2048) != cudaErrorInvalidValue;  // @LONG_FILL
  wrong += cudaMemset(host.data(), 0, 64) != cudaErrorInvalidValue;  // @HOST_FILL
  wrong += cudaMemcpy(host.data() + 100, host.data(), 16, cudaMemcpyHostToDevice) != cudaErrorInvalidValue;  // @NO_DEVICE

  wrong += cudaHostRegister(registered.data(), 4096, 0) != cudaSuccess;
  wrong += cudaHostUnregister(registered.data()) != cudaSuccess;
  wrong += cudaHostUnregister(registered.data()) != cudaErrorHostMemoryNotRegistered;  // @UNREGISTERED
  cudaGetLastError();

  nothing<<<1, 2048>>>();  // @LAUNCH
  wrong += cudaGetLastError() != cudaErrorInvalidValue;
  cudaStream_t stream;
  cudaEvent_t event;
  cudaStreamCreate(&stream);
  cudaEventCreate(&event);
  cudaStreamDestroy(stream);
  cudaEventDestroy(event);
  wrong += cudaStreamSynchronize(stream) == cudaSuccess;  // @STREAM
  wrong += cudaEventSynchronize(event) == cudaSuccess;  // @EVENT
  return wrong;
}
