// cuda::ptx: barrier objects that count bytes, copies of many bytes, fences. What libcu++ has for Hopper; of one block, so that
// space_cluster is the block's own shared memory.
#ifndef DRYWARP_CONCURRENCY_PTX_H
#define DRYWARP_CONCURRENCY_PTX_H
#pragma GCC system_header

#include <stdint.h>

#include "cuda_runtime.h"

namespace cuda {
namespace ptx {

#define DRYWARP_PTX_WORD(name)  \
  struct name##_t {};           \
  static constexpr name##_t name{}
DRYWARP_PTX_WORD(space_global);
DRYWARP_PTX_WORD(space_shared);
DRYWARP_PTX_WORD(space_cluster);
DRYWARP_PTX_WORD(sem_acquire);
DRYWARP_PTX_WORD(sem_release);
DRYWARP_PTX_WORD(sem_relaxed);
DRYWARP_PTX_WORD(scope_cta);
DRYWARP_PTX_WORD(scope_cluster);
#undef DRYWARP_PTX_WORD

template <int __count>
struct n32_t {
  static constexpr int value = __count;
};

#if defined(__CUDA__)
__device__ inline uint32_t __address(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

// ---- barrier objects
__device__ inline void mbarrier_init(uint64_t* barrier, uint32_t arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(__address(barrier)), "r"(arrivals) : "memory");
}
__device__ inline void fence_mbarrier_init(sem_release_t, scope_cluster_t) {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ inline uint64_t mbarrier_arrive(uint64_t* barrier, uint32_t count = 1) {
  uint64_t token;
  asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1], %2;" : "=l"(token) : "r"(__address(barrier)), "r"(count) : "memory");
  return token;
}
template <class Scope>
__device__ inline uint64_t mbarrier_arrive(sem_release_t, Scope, space_shared_t, uint64_t* barrier, uint32_t count = 1) {
  return mbarrier_arrive(barrier, count);
}
template <class Order, class Scope>
__device__ inline uint64_t mbarrier_arrive_expect_tx(Order, Scope, space_shared_t, uint64_t* barrier, uint32_t bytes) {
  uint64_t token;
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], %2;"
               : "=l"(token)
               : "r"(__address(barrier)), "r"(bytes)
               : "memory");
  return token;
}
template <class Scope, class Space>
__device__ inline void mbarrier_expect_tx(sem_relaxed_t, Scope, Space, uint64_t* barrier, uint32_t bytes) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(__address(barrier)), "r"(bytes) : "memory");
}
#define DRYWARP_PTX_WAIT(name, text, letter, Type)                                                                       \
  __device__ inline bool name(uint64_t* barrier, Type which) {                                                          \
    uint32_t done;                                                                                                      \
    asm volatile("{\n .reg .pred p;\n " text ".shared::cta.b64 p, [%1], %2;\n selp.u32 %0, 1, 0, p;\n}"                \
                 : "=r"(done)                                                                                           \
                 : "r"(__address(barrier)), letter(which)                                                               \
                 : "memory");                                                                                           \
    return done != 0;                                                                                                   \
  }                                                                                                                     \
  __device__ inline bool name(uint64_t* barrier, Type which, uint32_t) { return name(barrier, which); }                 \
  template <class Order, class Scope>                                                                                   \
  __device__ inline bool name(Order, Scope, uint64_t* barrier, Type which) {                                            \
    return name(barrier, which);                                                                                        \
  }
DRYWARP_PTX_WAIT(mbarrier_test_wait, "mbarrier.test_wait", "l", uint64_t)
DRYWARP_PTX_WAIT(mbarrier_try_wait, "mbarrier.try_wait", "l", uint64_t)
DRYWARP_PTX_WAIT(mbarrier_test_wait_parity, "mbarrier.test_wait.parity", "r", uint32_t)
DRYWARP_PTX_WAIT(mbarrier_try_wait_parity, "mbarrier.try_wait.parity", "r", uint32_t)
#undef DRYWARP_PTX_WAIT

// ---- fences
__device__ inline void fence_proxy_async() { asm volatile("fence.proxy.async;" ::: "memory"); }
__device__ inline void fence_proxy_async(space_global_t) { asm volatile("fence.proxy.async.global;" ::: "memory"); }
template <class Space>
__device__ inline void fence_proxy_async(Space) {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// ---- copies
template <class Space>
__device__ inline void cp_async_bulk(Space, space_global_t, void* to, const void* from, uint32_t bytes, uint64_t* barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(__address(to)),
               "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(__address(barrier))
               : "memory");
}
__device__ inline void cp_async_bulk(space_cluster_t, space_shared_t, void* to, const void* from, uint32_t bytes,
                                     uint64_t* barrier) {
  asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   __address(to)),
               "r"(__address(from)), "r"(bytes), "r"(__address(barrier))
               : "memory");
}
__device__ inline void cp_async_bulk(space_global_t, space_shared_t, void* to, const void* from, uint32_t bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
               "r"(__address(from)), "r"(bytes)
               : "memory");
}
__device__ inline void cp_async_bulk_commit_group() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
template <int __count>
__device__ inline void cp_async_bulk_wait_group(n32_t<__count>) {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(__count) : "memory");
}
template <int __count>
__device__ inline void cp_async_bulk_wait_group_read(n32_t<__count>) {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(__count) : "memory");
}

// ---- the warp
__device__ inline bool elect_sync(uint32_t members) {
  uint32_t chosen;
  asm volatile("{\n .reg .pred p;\n elect.sync _|p, %1;\n selp.u32 %0, 1, 0, p;\n}" : "=r"(chosen) : "r"(members));
  return chosen != 0;
}
#endif

}  // namespace ptx
}  // namespace cuda

#endif
