// Device functions that the engine provides: printf, the heap and assert.
#ifndef DRYWARP_DEVICE_SYSTEM_CALLS_H
#define DRYWARP_DEVICE_SYSTEM_CALLS_H
#pragma GCC system_header

#include "drywarp/device/specifiers.h"

extern "C" {
// The compiler turns printf into vprintf with the arguments in a buffer.
__device__ int vprintf(const char* format, const char* arguments);
__device__ int printf(const char* format, ...);
__device__ void free(void* p) __attribute__((nothrow));
__device__ void* __nv_aligned_device_malloc(size_t size, size_t alignment);
__device__ void* malloc(size_t size) __attribute__((nothrow)) __attribute__((malloc));
__device__ void __assertfail(const char* message, const char* file, unsigned line, const char* function,
                             size_t charSize);
// <cassert> calls this.
__device__ static inline void __assert_fail(const char* message, const char* file, unsigned line,
                                            const char* function) {
  __assertfail(message, file, line, function, sizeof(char));
}
}

// The compiler would turn plain loops into calls of memcpy and memset; the builtins expand in place.
DRYWARP_DEVICE void* memcpy(void* to, const void* from, size_t count) {
  __builtin_memcpy(to, from, count);
  return to;
}
DRYWARP_DEVICE void* memmove(void* to, const void* from, size_t count) {
  __builtin_memmove(to, from, count);
  return to;
}
DRYWARP_DEVICE void* memset(void* to, int value, size_t count) {
  __builtin_memset(to, value, count);
  return to;
}

// The standard library imported the host functions into std before these were declared.
namespace std {
using ::free;
using ::malloc;
using ::memcpy;
using ::memmove;
using ::memset;
using ::printf;
}  // namespace std

#endif
