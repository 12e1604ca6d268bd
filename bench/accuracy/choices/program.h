// What the programs share whose best configuration is sought: buffers, inputs, and a check of the result.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  std::exit(2);
}

inline int argument(int argc, char** argv, int index, int fallback) {
  return argc > index ? std::atoi(argv[index]) : fallback;
}

// Small whole numbers: sums of them are exact in any order.
inline std::vector<float> whole_numbers(size_t count, unsigned seed) {
  std::vector<float> values(count);
  unsigned state = seed;
  for (float& value : values) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(state >> 29) - 3;
  }
  return values;
}

template <class T>
T* on_device(const std::vector<T>& values) {
  T* data = nullptr;
  check(cudaMalloc(&data, values.size() * sizeof(T)), "cudaMalloc");
  check(cudaMemcpy(data, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
  return data;
}

template <class T>
std::vector<T> on_host(const T* data, size_t count) {
  std::vector<T> values(count);
  check(cudaMemcpy(values.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
  return values;
}

// Ends the program with 1 if a value is further than `tolerance` from what is expected.
template <class T, class Expected>
int report(const std::vector<T>& values, Expected expected, double tolerance = 0) {
  check(cudaGetLastError(), "launch");
  for (size_t i = 0; i < values.size(); ++i) {
    const double right = expected(i);
    if (!(std::abs(values[i] - right) <= tolerance * std::max(1.0, std::abs(right)))) {
      std::printf("value %zu is %g, not %g\n", i, double(values[i]), right);
      return 1;
    }
  }
  std::printf("PASS\n");
  return 0;
}
