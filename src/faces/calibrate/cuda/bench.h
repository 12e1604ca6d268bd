// Common code of the microbenchmarks. Each file measures one thing and prints raw results; drywarp fits numbers to them
// (src/faces/calibrate/fit.cpp), so recorded results can be fitted again without a GPU. Lines of output:
//
//   text NAME ...          one text
//   value NAME NUMBER
//   point NAME X Y         a series
//
// Times inside kernels are cycles of the SM clock.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                   \
  do {                                                                                                \
    const cudaError_t status = (call);                                                                \
    if (status != cudaSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status)); \
      std::exit(1);                                                                                   \
    }                                                                                                 \
  } while (0)

inline void value(const char* name, double number) { std::printf("value %s %.9g\n", name, number); }
inline void point(const char* name, double x, double y) { std::printf("point %s %.9g %.9g\n", name, x, y); }

__device__ inline uint64_t now() {
  uint64_t t;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
  return t;
}
// The same, but waits for `value`.
__device__ inline uint64_t now_after(uint64_t value) {
  uint64_t t;
  asm volatile("{.reg .pred p; setp.eq.u64 p, %1, 0xfedcba9876543210; @p exit; mov.u64 %0, %%clock64;}"
               : "=l"(t)
               : "l"(value)
               : "memory");
  return t;
}
__device__ inline uint32_t multiprocessor() {
  uint32_t id;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
}

// Device memory, freed at the end of its scope.
template <class T>
struct Buffer {
  T* data = nullptr;
  size_t size;
  explicit Buffer(size_t n) : size(n) {
    CHECK(cudaMalloc(&data, n * sizeof(T)));
    CHECK(cudaMemset(data, 0, n * sizeof(T)));
  }
  Buffer(const Buffer&) = delete;
  ~Buffer() { cudaFree(data); }
  std::vector<T> host() const {
    std::vector<T> out(size);
    CHECK(cudaMemcpy(out.data(), data, size * sizeof(T), cudaMemcpyDeviceToHost));
    return out;
  }
};

// The shortest of `repeats` runs in seconds, measured with events.
template <class Launch>
double seconds(Launch launch, int repeats = 5) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  launch();
  float best = 1e30f;
  for (int i = 0; i < repeats; ++i) {
    CHECK(cudaEventRecord(begin));
    launch();
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float ms;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    best = std::min(best, ms);
  }
  CHECK(cudaGetLastError());
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  return best * 1e-3;
}

// Cycles from the first start to the last end of a block's warps. `times`: start and end of each warp.
inline double block_cycles(const std::vector<uint64_t>& times) {
  uint64_t first = ~0ull, last = 0;
  for (size_t i = 0; i + 1 < times.size(); i += 2) {
    first = std::min(first, times[i]);
    last = std::max(last, times[i + 1]);
  }
  return double(last - first);
}

void measure_device();
void measure_operations();
void measure_latencies();
void measure_bandwidths();
void measure_atomics();
void measure_control();
void measure_instruction_cache();
void measure_launches();
