// A program's compiler-generated part, written by hand: kernels in PTX, registered before main through the runtime, and
// their host stubs.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFatBinaryEnd(void** handle);
void __cudaUnregisterFatBinary(void** handle);
void __cudaRegisterFunction(void** handle, const char* stub, char* device, const char* name, int limit, void*, void*,
                            void*, void*, int*);
void __cudaRegisterVar(void** handle, char* host, char* device, const char* name, int, size_t size, int, int);
}

namespace program {

// Kernels: add(int* v, int by), multiply(int* v, int by): v[threadIdx.x] op= by; wide(char c, double d, int* out): the
// arguments in out[0] and out[1]; fill(int* v): v[i] = i by global index; fault(): a write to address 0;
// from_symbol(int* out): copies the variable `table` (8 ints); dynamic(int* out): writes through 4 bytes a thread of
// dynamic shared memory; set(handle, value): sets a graph's condition; countdown(int* v, handle): v[0]--, v[1]++, and
// sets the condition to whether v[0] is above 0.
extern const char* const kPtx;

extern char set, countdown, add, multiply, wide, fill, fault, from_symbol, dynamic;  // stubs
extern int table[8];         // the host's copy of a __device__ variable
extern int coefficients[4];  // of a __constant__ one

#define CK(call) ASSERT_EQ(cudaSuccess, (call))

template <class T>
class Buffer {
 public:
  explicit Buffer(size_t count, int byte = 0) : count_(count) {
    EXPECT_EQ(cudaSuccess, cudaMalloc(reinterpret_cast<void**>(&data_), count * sizeof(T)));
    EXPECT_EQ(cudaSuccess, cudaMemset(data_, byte, count * sizeof(T)));
  }
  ~Buffer() { cudaFree(data_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::vector<T> get() const {
    std::vector<T> out(count_);
    EXPECT_EQ(cudaSuccess, cudaMemcpy(out.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return out;
  }

 private:
  T* data_ = nullptr;
  size_t count_;
};

inline std::vector<int> iota(size_t count, int first = 0) {
  std::vector<int> out(count);
  std::iota(out.begin(), out.end(), first);
  return out;
}

// kernel<<<1, 32, 0, stream>>>(v, by)
inline cudaError_t launch(const void* kernel, int* v, int by, cudaStream_t stream = nullptr) {
  void* arguments[] = {&v, &by};
  return cudaLaunchKernel(kernel, {1, 1, 1}, {32, 1, 1}, arguments, 0, stream);
}

}  // namespace program
