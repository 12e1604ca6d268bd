// cuda::ptx: copies of boxes of tensors, of each number of dimensions.
#ifndef DRYWARP_CONCURRENCY_PTX_TENSORS_H
#define DRYWARP_CONCURRENCY_PTX_TENSORS_H
#pragma GCC system_header

#include "drywarp/concurrency/ptx.h"

#if defined(__CUDA__)
namespace cuda {
namespace ptx {

__device__ inline void cp_async_bulk_tensor(space_cluster_t, space_global_t, void* to, const void* map, const int32_t (&at)[1],
                                            uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2}], [%3];" ::"r"(
          __address(to)),
      "l"(map), "r"(at[0]), "r"(__address(barrier))
      : "memory");
}
__device__ inline void cp_async_bulk_tensor(space_global_t, space_shared_t, const void* map, const int32_t (&at)[1],
                                            const void* from) {
  asm volatile("cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%0, {%1}], [%2];" ::"l"(map),
               "r"(at[0]), "r"(__address(from))
               : "memory");
}
__device__ inline void cp_async_bulk_tensor(space_cluster_t, space_global_t, void* to, const void* map, const int32_t (&at)[2],
                                            uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
          __address(to)),
      "l"(map), "r"(at[0]), "r"(at[1]), "r"(__address(barrier))
      : "memory");
}
__device__ inline void cp_async_bulk_tensor(space_global_t, space_shared_t, const void* map, const int32_t (&at)[2],
                                            const void* from) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map),
               "r"(at[0]), "r"(at[1]), "r"(__address(from))
               : "memory");
}
__device__ inline void cp_async_bulk_tensor(space_cluster_t, space_global_t, void* to, const void* map, const int32_t (&at)[3],
                                            uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(
          __address(to)),
      "l"(map), "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(__address(barrier))
      : "memory");
}
__device__ inline void cp_async_bulk_tensor(space_global_t, space_shared_t, const void* map, const int32_t (&at)[3],
                                            const void* from) {
  asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(map),
               "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(__address(from))
               : "memory");
}
__device__ inline void cp_async_bulk_tensor(space_cluster_t, space_global_t, void* to, const void* map, const int32_t (&at)[4],
                                            uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5}], [%6];" ::"r"(
          __address(to)),
      "l"(map), "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(__address(barrier))
      : "memory");
}
__device__ inline void cp_async_bulk_tensor(space_global_t, space_shared_t, const void* map, const int32_t (&at)[4],
                                            const void* from) {
  asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3, %4}], [%5];" ::"l"(map),
               "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(__address(from))
               : "memory");
}
__device__ inline void cp_async_bulk_tensor(space_cluster_t, space_global_t, void* to, const void* map, const int32_t (&at)[5],
                                            uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5, %6}], [%7];" ::"r"(
          __address(to)),
      "l"(map), "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]), "r"(__address(barrier))
      : "memory");
}
__device__ inline void cp_async_bulk_tensor(space_global_t, space_shared_t, const void* map, const int32_t (&at)[5],
                                            const void* from) {
  asm volatile("cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3, %4, %5}], [%6];" ::"l"(map),
               "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]), "r"(__address(from))
               : "memory");
}
// A block's own shared memory is a part of its cluster's.
template <int __dimensions>
__device__ inline void cp_async_bulk_tensor(space_shared_t, space_global_t, void* to, const void* map,
                                            const int32_t (&at)[__dimensions], uint64_t* barrier) {
  cp_async_bulk_tensor(space_cluster, space_global, to, map, at, barrier);
}

}  // namespace ptx
}  // namespace cuda
#endif

#endif
