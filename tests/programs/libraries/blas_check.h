// Checks of programs that hold cuBLAS or cuBLASLt to the host, and vectors on the device.
#pragma once

#include <cublas_api.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "expect.h"

// `name_of`: the library's name of a status.
#define CHECK_STATUS(call, name_of)                            \
  do {                                                         \
    const cublasStatus_t status = (call);                      \
    if (status != CUBLAS_STATUS_SUCCESS) {                     \
      std::printf("line %d: %s\n", __LINE__, name_of(status)); \
      std::exit(1);                                            \
    }                                                          \
  } while (0)

template <class T>
struct Device {
  T* data;
  size_t size;
  explicit Device(const std::vector<T>& from) : size(from.size()) {
    cudaMalloc(&data, (size + 1) * sizeof(T));
    cudaMemcpy(data, from.data(), size * sizeof(T), cudaMemcpyHostToDevice);
  }
  ~Device() { cudaFree(data); }
  std::vector<T> get() const {
    std::vector<T> out(size);
    cudaMemcpy(out.data(), data, size * sizeof(T), cudaMemcpyDeviceToHost);
    return out;
  }
};
