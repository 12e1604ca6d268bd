// What a source that is compiled at run time (nvrtc.h) sees before its first line: CUDA's built-in types and functions,
// and none of the host's headers. Such sources bring their own standard library: `namespace std`, int64_t and the like
// must be free for them, so what our headers need of the host's is parsed under other names.
#ifndef DRYWARP_NVRTC_PRELUDE_H
#define DRYWARP_NVRTC_PRELUDE_H
#pragma GCC system_header

#define std __drywarp_std
#define int8_t __drywarp_int8_t
#define int16_t __drywarp_int16_t
#define int32_t __drywarp_int32_t
#define int64_t __drywarp_int64_t
#define uint8_t __drywarp_uint8_t
#define uint16_t __drywarp_uint16_t
#define uint32_t __drywarp_uint32_t
#define uint64_t __drywarp_uint64_t

#include "drywarp_prelude.h"

// These of our headers use the standard library too.
#include "cuda/atomic"
#include "cuda/barrier"
#include "cuda/pipeline"
#include "cuda/std/array"
#include "cuda/std/atomic"
#include "cuda/std/barrier"
#include "cuda/std/climits"
#include "cuda/std/cstddef"
#include "cuda/std/cstdint"
#include "cuda/std/initializer_list"
#include "cuda/std/limits"
#include "cuda/std/ratio"
#include "cuda/std/tuple"
#include "cuda/std/type_traits"
#include "cuda/std/utility"

#undef std
#undef int8_t
#undef int16_t
#undef int32_t
#undef int64_t
#undef uint8_t
#undef uint16_t
#undef uint32_t
#undef uint64_t

namespace cuda {
namespace std {
using namespace ::cuda::__drywarp_std;
}
}  // namespace cuda

#undef __NVCC__
#define __CUDACC_RTC__ 1

// What NVRTC declares itself.
namespace std {
template <class T>
class initializer_list {
 public:
  typedef T value_type;
  typedef const T& reference;
  typedef const T& const_reference;
  typedef size_t size_type;
  typedef const T* iterator;
  typedef const T* const_iterator;
  __host__ __device__ constexpr initializer_list() noexcept : first_(nullptr), size_(0) {}
  __host__ __device__ constexpr size_t size() const noexcept { return size_; }
  __host__ __device__ constexpr const T* begin() const noexcept { return first_; }
  __host__ __device__ constexpr const T* end() const noexcept { return first_ + size_; }

 private:
  const T* first_;
  size_t size_;
};
template <class T>
__host__ __device__ constexpr __remove_reference_t(T)&& move(T&& value) noexcept {
  return static_cast<__remove_reference_t(T)&&>(value);
}
template <class T>
__host__ __device__ constexpr T&& forward(__remove_reference_t(T)& value) noexcept {
  return static_cast<T&&>(value);
}
template <class T>
__host__ __device__ constexpr T&& forward(__remove_reference_t(T)&& value) noexcept {
  return static_cast<T&&>(value);
}
}  // namespace std

#endif
