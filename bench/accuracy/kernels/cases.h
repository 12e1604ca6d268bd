// The main program of this folder's benchmarks: a list of cases, each one launch of one kernel.
//
//   PROGRAM               every case once, for a profiler; prints "CASE,name" in the order of the launches
// PROGRAM --time every case six times; prints "TIME,name,microseconds": the best of five after a first one
//   PROGRAM [--time] NAME...   only these cases
//
// Data comes from the host, so that only the cases launch kernels.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#define CHECK(call)                                                               \
  do {                                                                            \
    const cudaError_t status = (call);                                            \
    if (status != cudaSuccess) {                                                  \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
      std::exit(1);                                                               \
    }                                                                             \
  } while (0)

class Cases {
 public:
  Cases(int argc, char** argv) {
    for (int i = 1; i < argc; ++i)
      if (std::strcmp(argv[i], "--time") == 0)
        timed_ = true;
      else
        wanted_.insert(argv[i]);
  }

  template <class Launch>
  void operator()(const std::string& name, Launch launch) {
    if (!wanted_.empty() && !wanted_.count(name)) return;
    if (!timed_) {
      std::printf("CASE,%s\n", name.c_str());
      launch();
      CHECK(cudaGetLastError());
      CHECK(cudaDeviceSynchronize());
      return;
    }
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    float best = 1e30f;
    for (int i = 0; i < 6; ++i) {
      CHECK(cudaEventRecord(begin));
      launch();
      CHECK(cudaEventRecord(end));
      CHECK(cudaEventSynchronize(end));
      float ms = 0;
      CHECK(cudaEventElapsedTime(&ms, begin, end));
      if (i > 0) best = std::min(best, ms);
    }
    CHECK(cudaGetLastError());
    std::printf("TIME,%s,%.3f\n", name.c_str(), best * 1e3);
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
  }

 private:
  bool timed_ = false;
  std::set<std::string> wanted_;  // none: all
};

// The same numbers in every run.
inline uint32_t hashed(uint32_t i) {
  i ^= i >> 16;
  i *= 0x7feb352du;
  i ^= i >> 15;
  i *= 0x846ca68bu;
  return i ^ i >> 16;
}
inline float fraction(uint32_t i) { return float(hashed(i) & 0xffff) / 65536.0f; }

template <class T>
T* on_device(const std::vector<T>& host) {
  T* data = nullptr;
  CHECK(cudaMalloc(&data, host.size() * sizeof(T)));
  CHECK(cudaMemcpy(data, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  return data;
}
template <class T>
T* on_device(size_t count, T (*make)(uint32_t)) {
  std::vector<T> host(count);
  for (size_t i = 0; i < count; ++i) host[i] = make(uint32_t(i));
  return on_device(host);
}
template <class T>
T* zeros(size_t count) {
  T* data = nullptr;
  CHECK(cudaMalloc(&data, count * sizeof(T)));
  CHECK(cudaMemset(data, 0, count * sizeof(T)));
  return data;
}
inline std::string sized(const char* name, int n) { return std::string(name) + "_" + std::to_string(n); }
inline std::string sized(const char* name, int n, int b) { return sized(name, n) + "_b" + std::to_string(b); }
