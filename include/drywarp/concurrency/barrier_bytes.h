// cuda::device: barriers that count bytes, and the copies of many bytes that they wait for.
#ifndef DRYWARP_CONCURRENCY_BARRIER_BYTES_H
#define DRYWARP_CONCURRENCY_BARRIER_BYTES_H
#pragma GCC system_header

#include "drywarp/concurrency/barrier.h"
#include "drywarp/concurrency/ptx_tensors.h"

struct CUtensorMap_st;

#if defined(__CUDA__)
namespace cuda {
namespace device {

__device__ inline barrier<thread_scope_block>::arrival_token barrier_arrive_tx(barrier<thread_scope_block>& object,
                                                                               ptrdiff_t arrivals, ptrdiff_t bytes) {
  uint64_t* const native = barrier_native_handle(object);
  ptx::mbarrier_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, native, static_cast<uint32_t>(bytes));
  return ptx::mbarrier_arrive(native, static_cast<uint32_t>(arrivals));
}
__device__ inline void barrier_expect_tx(barrier<thread_scope_block>& object, ptrdiff_t bytes) {
  ptx::mbarrier_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, barrier_native_handle(object),
                          static_cast<uint32_t>(bytes));
}
// By one thread, of multiples of 16 bytes. The barrier hears of the bytes; the program has it expect them.
template <class T, size_t Alignment>
__device__ inline void memcpy_async_tx(T* to, const T* from, aligned_size_t<Alignment> bytes,
                                       barrier<thread_scope_block>& object) {
  static_assert(Alignment >= 16, "copies are of units of 16 bytes");
  ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, to, from, static_cast<uint32_t>(bytes.value),
                     barrier_native_handle(object));
}

namespace experimental {

__device__ inline void fence_proxy_async_shared_cta() { ptx::fence_proxy_async(ptx::space_shared); }
__device__ inline void cp_async_bulk_global_to_shared(void* to, const void* from, uint32_t bytes,
                                                      barrier<thread_scope_block>& object) {
  ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, to, from, bytes, barrier_native_handle(object));
}
__device__ inline void cp_async_bulk_shared_to_global(void* to, const void* from, uint32_t bytes) {
  ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, to, from, bytes);
}
__device__ inline void cp_async_bulk_tensor_1d_global_to_shared(void* to, const CUtensorMap_st* map, int c0,
                                                            barrier<thread_scope_block>& object) {
  const int32_t at[] = {c0};
  ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, map, at, barrier_native_handle(object));
}
__device__ inline void cp_async_bulk_tensor_1d_shared_to_global(const CUtensorMap_st* map, int c0, const void* from) {
  const int32_t at[] = {c0};
  ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, map, at, from);
}
__device__ inline void cp_async_bulk_tensor_2d_global_to_shared(void* to, const CUtensorMap_st* map, int c0, int c1,
                                                            barrier<thread_scope_block>& object) {
  const int32_t at[] = {c0, c1};
  ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, map, at, barrier_native_handle(object));
}
__device__ inline void cp_async_bulk_tensor_2d_shared_to_global(const CUtensorMap_st* map, int c0, int c1, const void* from) {
  const int32_t at[] = {c0, c1};
  ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, map, at, from);
}
__device__ inline void cp_async_bulk_tensor_3d_global_to_shared(void* to, const CUtensorMap_st* map, int c0, int c1, int c2,
                                                            barrier<thread_scope_block>& object) {
  const int32_t at[] = {c0, c1, c2};
  ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, map, at, barrier_native_handle(object));
}
__device__ inline void cp_async_bulk_tensor_3d_shared_to_global(const CUtensorMap_st* map, int c0, int c1, int c2, const void* from) {
  const int32_t at[] = {c0, c1, c2};
  ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, map, at, from);
}
__device__ inline void cp_async_bulk_tensor_4d_global_to_shared(void* to, const CUtensorMap_st* map, int c0, int c1, int c2, int c3,
                                                            barrier<thread_scope_block>& object) {
  const int32_t at[] = {c0, c1, c2, c3};
  ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, map, at, barrier_native_handle(object));
}
__device__ inline void cp_async_bulk_tensor_4d_shared_to_global(const CUtensorMap_st* map, int c0, int c1, int c2, int c3, const void* from) {
  const int32_t at[] = {c0, c1, c2, c3};
  ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, map, at, from);
}
__device__ inline void cp_async_bulk_tensor_5d_global_to_shared(void* to, const CUtensorMap_st* map, int c0, int c1, int c2, int c3, int c4,
                                                            barrier<thread_scope_block>& object) {
  const int32_t at[] = {c0, c1, c2, c3, c4};
  ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, map, at, barrier_native_handle(object));
}
__device__ inline void cp_async_bulk_tensor_5d_shared_to_global(const CUtensorMap_st* map, int c0, int c1, int c2, int c3, int c4, const void* from) {
  const int32_t at[] = {c0, c1, c2, c3, c4};
  ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, map, at, from);
}
__device__ inline void cp_async_bulk_commit_group() { ptx::cp_async_bulk_commit_group(); }
template <int __count>
__device__ inline void cp_async_bulk_wait_group_read() {
  ptx::cp_async_bulk_wait_group_read(ptx::n32_t<__count>());
}

}  // namespace experimental
}  // namespace device
}  // namespace cuda
#endif

#endif
