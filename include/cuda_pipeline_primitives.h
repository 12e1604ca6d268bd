// The C interface to asynchronous copies from global to shared memory.
#ifndef DRYWARP_CUDA_PIPELINE_PRIMITIVES_H
#define DRYWARP_CUDA_PIPELINE_PRIMITIVES_H

#include "cuda_runtime.h"

#if defined(__CUDA__)
#include "drywarp/groups/async_copy.h"

// The last `zfill` bytes are zeroed instead of copied. The size must be a constant 4, 8 or 16.
static __device__ __forceinline__ void __pipeline_memcpy_async(void* __restrict__ to, const void* __restrict__ from,
                                                               size_t size, size_t zfill = 0) {
  const unsigned source = static_cast<unsigned>(size - zfill);
  if (size == 16)
    cooperative_groups::details::start_copy<16>(to, from, source);
  else if (size == 8)
    cooperative_groups::details::start_copy<8>(to, from, source);
  else
    cooperative_groups::details::start_copy<4>(to, from, source);
}
static __device__ __forceinline__ void __pipeline_commit() { cooperative_groups::details::commit_copies(); }
static __device__ __forceinline__ void __pipeline_wait_prior(size_t pending) {
  cooperative_groups::details::wait_for_copies_but(pending);
}
#endif

#endif
