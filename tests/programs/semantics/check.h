// Shared by the programs of this folder: device buffers, and comparisons that set the exit code.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>

#define CK(call)                                                                            \
  do {                                                                                      \
    cudaError_t status_ = (call);                                                           \
    if (status_ != cudaSuccess) {                                                           \
      std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(status_)); \
      std::exit(2);                                                                         \
    }                                                                                       \
  } while (0)

// After a launch: fails if it did not start or ended with an error.
#define CK_LAUNCH()              \
  do {                           \
    CK(cudaGetLastError());      \
    CK(cudaDeviceSynchronize()); \
  } while (0)

template <typename T>
class Buffer {
 public:
  explicit Buffer(size_t count) : count_(count) {
    CK(cudaMalloc(&data_, count * sizeof(T)));
    CK(cudaMemset(data_, 0, count * sizeof(T)));
  }
  explicit Buffer(const std::vector<T>& host) : count_(host.size()) {
    CK(cudaMalloc(&data_, count_ * sizeof(T)));
    set(host);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { cudaFree(data_); }
  operator T*() const { return data_; }
  T* data() const { return data_; }
  void set(const std::vector<T>& host) {
    CK(cudaMemcpy(data_, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  std::vector<T> get() const {
    std::vector<T> host(count_);
    CK(cudaMemcpy(host.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
  }

 private:
  T* data_ = nullptr;
  size_t count_;
};

inline int& failures() {
  static int count = 0;
  return count;
}

inline void expect(bool condition, const char* what) {
  if (condition) return;
  std::printf("FAILED: %s\n", what);
  ++failures();
}
#define EXPECT(condition) expect(condition, #condition)

// Bit for bit, so that NaNs and signed zeroes count.
template <typename T>
void expect_same(const char* what, const std::vector<T>& got, const std::vector<T>& want) {
  int wrong = 0;
  for (size_t i = 0; i < want.size(); ++i) {
    if (i < got.size() && std::memcmp(&got[i], &want[i], sizeof(T)) == 0) continue;
    if (++wrong > 3) continue;
    if constexpr (std::is_floating_point_v<T>)
      std::printf("FAILED: %s[%zu] = %.9g, should be %.9g\n", what, i, double(got[i]), double(want[i]));
    else if constexpr (std::is_integral_v<T>)
      std::printf("FAILED: %s[%zu] = %lld (0x%llx), should be %lld (0x%llx)\n", what, i, (long long)got[i],
                  (unsigned long long)got[i], (long long)want[i], (unsigned long long)want[i]);
    else
      std::printf("FAILED: %s[%zu] differs\n", what, i);
  }
  if (wrong) {
    std::printf("FAILED: %s: %d of %zu wrong\n", what, wrong, want.size());
    ++failures();
  }
}

inline int finish() {
  std::printf("%s\n", failures() ? "FAIL" : "PASS");
  return failures() ? 1 : 0;
}
