// A kernel that must be stopped: the errors that the host program sees at the launch, at the next call and afterwards.
#pragma once

#include "../semantics/check.h"

// Call after the launch. A synchronising call must return the error, and so must every later call.
inline void expect_sticky(cudaError_t want) {
  cudaError_t status = cudaDeviceSynchronize();
  if (status != want) {
    std::printf("FAILED: cudaDeviceSynchronize gave %s, should be %s\n", cudaGetErrorName(status),
                cudaGetErrorName(want));
    ++failures();
  }
  EXPECT(cudaGetLastError() == want);
  void* p = nullptr;
  EXPECT(cudaMalloc(&p, 16) == want);
  EXPECT(cudaDeviceSynchronize() == want);
  std::printf("%s %d\n", cudaGetErrorName(want), static_cast<int>(want));
}

// The error belongs to one call and is gone when it has been read.
inline void expect_once(cudaError_t got, cudaError_t want) {
  if (got != want) {
    std::printf("FAILED: got %s, should be %s\n", cudaGetErrorName(got), cudaGetErrorName(want));
    ++failures();
  }
  EXPECT(cudaPeekAtLastError() == want);
  EXPECT(cudaGetLastError() == want);
  EXPECT(cudaGetLastError() == cudaSuccess);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
}
