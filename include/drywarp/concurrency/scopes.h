// Thread scopes, sizes with a known alignment.
#ifndef DRYWARP_CONCURRENCY_SCOPES_H
#define DRYWARP_CONCURRENCY_SCOPES_H
#pragma GCC system_header

#include <stddef.h>

#include "crt/host_defines.h"

namespace cuda {

enum thread_scope {
  thread_scope_system = 0,
  thread_scope_device = 1,
  thread_scope_block = 2,
  thread_scope_thread = 10
};

// A count of bytes at addresses aligned to Alignment.
template <size_t Alignment>
struct aligned_size_t {
  static constexpr size_t align = Alignment;
  size_t value;
  __host__ __device__ explicit constexpr aligned_size_t(size_t bytes) : value(bytes) {}
  __host__ __device__ constexpr operator size_t() const { return value; }
};

}  // namespace cuda

#endif
