// Barriers, votes, warp matches and reductions, fences, address spaces, timers and traps.
#ifndef DRYWARP_DEVICE_SYNCHRONIZATION_H
#define DRYWARP_DEVICE_SYNCHRONIZATION_H
#pragma GCC system_header

#include "drywarp/device/specifiers.h"

DRYWARP_DEVICE int __syncthreads_count(int predicate) { return __nvvm_bar0_popc(predicate); }
DRYWARP_DEVICE int __syncthreads_and(int predicate) { return __nvvm_bar0_and(predicate); }
DRYWARP_DEVICE int __syncthreads_or(int predicate) { return __nvvm_bar0_or(predicate); }
DRYWARP_DEVICE int syncthreads_count(int predicate) { return __syncthreads_count(predicate); }
DRYWARP_DEVICE int syncthreads_and(int predicate) { return __syncthreads_and(predicate); }
DRYWARP_DEVICE int syncthreads_or(int predicate) { return __syncthreads_or(predicate); }

DRYWARP_DEVICE void __threadfence() { __nvvm_membar_gl(); }
DRYWARP_DEVICE void __threadfence_block() { __nvvm_membar_cta(); }
DRYWARP_DEVICE void __threadfence_cluster() { asm volatile("fence.acq_rel.cluster;" ::: "memory"); }
DRYWARP_DEVICE void __threadfence_system() { __nvvm_membar_sys(); }

// Votes without a mask, as before Volta: among the active threads.
DRYWARP_DEVICE int __all(int predicate) { return __nvvm_vote_all_sync(__nvvm_activemask(), predicate); }
DRYWARP_DEVICE int __any(int predicate) { return __nvvm_vote_any_sync(__nvvm_activemask(), predicate); }
DRYWARP_DEVICE unsigned __ballot(int predicate) { return __nvvm_vote_ballot_sync(__nvvm_activemask(), predicate); }

// The builtin takes the value before the mask.
DRYWARP_DEVICE unsigned __reduce_add_sync(unsigned mask, unsigned value) { return __nvvm_redux_sync_add(value, mask); }
DRYWARP_DEVICE int __reduce_add_sync(unsigned mask, int value) { return __nvvm_redux_sync_add(value, mask); }
DRYWARP_DEVICE unsigned __reduce_min_sync(unsigned mask, unsigned value) { return __nvvm_redux_sync_umin(value, mask); }
DRYWARP_DEVICE int __reduce_min_sync(unsigned mask, int value) { return __nvvm_redux_sync_min(value, mask); }
DRYWARP_DEVICE unsigned __reduce_max_sync(unsigned mask, unsigned value) { return __nvvm_redux_sync_umax(value, mask); }
DRYWARP_DEVICE int __reduce_max_sync(unsigned mask, int value) { return __nvvm_redux_sync_max(value, mask); }
DRYWARP_DEVICE unsigned __reduce_and_sync(unsigned mask, unsigned value) { return __nvvm_redux_sync_and(value, mask); }
DRYWARP_DEVICE unsigned __reduce_or_sync(unsigned mask, unsigned value) { return __nvvm_redux_sync_or(value, mask); }
DRYWARP_DEVICE unsigned __reduce_xor_sync(unsigned mask, unsigned value) { return __nvvm_redux_sync_xor(value, mask); }

DRYWARP_DEVICE unsigned __isGlobal(const void* p) { return __nvvm_isspacep_global(p); }
DRYWARP_DEVICE unsigned __isShared(const void* p) { return __nvvm_isspacep_shared(p); }
DRYWARP_DEVICE unsigned __isConstant(const void* p) { return __nvvm_isspacep_const(p); }
DRYWARP_DEVICE unsigned __isLocal(const void* p) { return __nvvm_isspacep_local(p); }

#define DRYWARP_CVTA(space, number)                                 \
  DRYWARP_DEVICE size_t __cvta_generic_to_##space(const void* p) {  \
    return (size_t)(void __attribute__((address_space(number)))*)p; \
  }                                                                 \
  DRYWARP_DEVICE void* __cvta_##space##_to_generic(size_t p) {      \
    return (void*)(void __attribute__((address_space(number)))*)p;  \
  }
DRYWARP_CVTA(global, 1)
DRYWARP_CVTA(shared, 3)
DRYWARP_CVTA(constant, 4)
DRYWARP_CVTA(local, 5)
#undef DRYWARP_CVTA

// Generic addresses of a kernel's __grid_constant__ parameters (PTX ISA, isspacep).
DRYWARP_DEVICE unsigned __isGridConstant(const void* p) {
  unsigned inside;
  asm("{ .reg .pred p; isspacep.param p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(inside) : "l"(p));
  return inside;
}
DRYWARP_DEVICE size_t __cvta_generic_to_grid_constant(const void* p) {
  size_t address;
  asm("cvta.to.param.u64 %0, %1;" : "=l"(address) : "l"(p));
  return address;
}
DRYWARP_DEVICE void* __cvta_grid_constant_to_generic(size_t p) {
  void* address;
  asm("cvta.param.u64 %0, %1;" : "=l"(address) : "l"(p));
  return address;
}
// Properties of an access to global memory (cuda::access_property) are hints.
DRYWARP_DEVICE void* __nv_associate_access_property(const void* p, unsigned long long) { return const_cast<void*>(p); }
DRYWARP_DEVICE void __nv_memcpy_async_shared_global_4(void* to, const void* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from));
}
DRYWARP_DEVICE void __nv_memcpy_async_shared_global_8(void* to, const void* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from));
}
DRYWARP_DEVICE void __nv_memcpy_async_shared_global_16(void* to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from));
}

// Clusters of sm_90. Every block is its own cluster: see cooperative_groups.h.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
DRYWARP_DEVICE void __cluster_barrier_arrive() { asm volatile("barrier.cluster.arrive;" ::: "memory"); }
DRYWARP_DEVICE void __cluster_barrier_arrive_relaxed() { asm volatile("barrier.cluster.arrive.relaxed;"); }
DRYWARP_DEVICE void __cluster_barrier_wait() { asm volatile("barrier.cluster.wait;" ::: "memory"); }
DRYWARP_DEVICE void __cluster_sync() {
  __cluster_barrier_arrive();
  __cluster_barrier_wait();
}
DRYWARP_DEVICE void* __cluster_map_shared_rank(const void* p, unsigned rank) {
  void* there;
  asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(p), "r"(rank));
  return there;
}
DRYWARP_DEVICE unsigned __cluster_query_shared_rank(const void* p) {
  unsigned rank;
  asm("getctarank.u32 %0, %1;" : "=r"(rank) : "l"(p));
  return rank;
}
#define DRYWARP_CLUSTER_REGISTER(name, reg)      \
  DRYWARP_DEVICE unsigned name() {               \
    unsigned value;                              \
    asm("mov.u32 %0, %%" reg ";" : "=r"(value)); \
    return value;                                \
  }
DRYWARP_CLUSTER_REGISTER(__clusterRelativeBlockRank, "cluster_ctarank")
DRYWARP_CLUSTER_REGISTER(__clusterSizeInBlocks, "cluster_nctarank")
#define DRYWARP_CLUSTER_INDEX(name, reg)          \
  DRYWARP_DEVICE dim3 name() {                    \
    dim3 at;                                      \
    asm("mov.u32 %0, %%" reg ".x;" : "=r"(at.x)); \
    asm("mov.u32 %0, %%" reg ".y;" : "=r"(at.y)); \
    asm("mov.u32 %0, %%" reg ".z;" : "=r"(at.z)); \
    return at;                                    \
  }
DRYWARP_CLUSTER_INDEX(__clusterDim, "cluster_nctaid")
DRYWARP_CLUSTER_INDEX(__clusterRelativeBlockIdx, "cluster_ctaid")
DRYWARP_CLUSTER_INDEX(__clusterGridDimInClusters, "nclusterid")
DRYWARP_CLUSTER_INDEX(__clusterIdx, "clusterid")
DRYWARP_DEVICE unsigned __clusterDimIsSpecified() {
  unsigned is;
  asm("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }" : "=r"(is));
  return is;
}
#undef DRYWARP_CLUSTER_REGISTER
#undef DRYWARP_CLUSTER_INDEX
#endif

DRYWARP_DEVICE void __trap() { asm volatile("trap;"); }
DRYWARP_DEVICE void __brkpt() { asm volatile("brkpt;"); }
DRYWARP_DEVICE void __brkpt(int) { asm volatile("brkpt;"); }
DRYWARP_DEVICE void __nanosleep(unsigned nanoseconds) { asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds)); }
#define __prof_trigger(event) asm volatile("pmevent %0;" ::"i"(event))
DRYWARP_DEVICE unsigned __pm0() { return __nvvm_read_ptx_sreg_pm0(); }
DRYWARP_DEVICE unsigned __pm1() { return __nvvm_read_ptx_sreg_pm1(); }
DRYWARP_DEVICE unsigned __pm2() { return __nvvm_read_ptx_sreg_pm2(); }
DRYWARP_DEVICE unsigned __pm3() { return __nvvm_read_ptx_sreg_pm3(); }

// Device overloads of the host's clock().
DRYWARP_DEVICE int clock() { return __nvvm_read_ptx_sreg_clock(); }
DRYWARP_DEVICE long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }

#ifndef __assume
#define __assume(condition) __builtin_assume(condition)
#endif
#define __builtin_assume_noalias(p) (p)

#endif
