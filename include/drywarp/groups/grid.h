// grid_group, whose barrier is in a workspace that a cooperative launch provides, and cluster_group.
#ifndef DRYWARP_GROUPS_GRID_H
#define DRYWARP_GROUPS_GRID_H
#pragma GCC system_header

#include "drywarp/groups/block.h"

namespace cooperative_groups {

namespace details {

// The workspace's address is in %envreg1 (upper half) and %envreg2; 0 if the launch was not cooperative.
DRYWARP_DEVICE unsigned long long grid_workspace() {
  unsigned high, low;
  asm("mov.u32 %0, %%envreg1;" : "=r"(high));
  asm("mov.u32 %0, %%envreg2;" : "=r"(low));
  return (static_cast<unsigned long long>(high) << 32) | low;
}
DRYWARP_DEVICE unsigned* grid_barrier() { return reinterpret_cast<unsigned*>(grid_workspace() + 4); }

DRYWARP_DEVICE bool first_of_block() { return threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0; }

// Every block adds one, block 0 the difference to 2^31: the top bit of the word flips when all blocks have arrived.
DRYWARP_DEVICE unsigned grid_arrive() {
  __syncthreads();
  unsigned before = 0;
  if (first_of_block()) {
    const unsigned expected = gridDim.x * gridDim.y * gridDim.z;
    const bool first_block = blockIdx.x == 0 && blockIdx.y == 0 && blockIdx.z == 0;
    __threadfence();
    before = atomicAdd(grid_barrier(), first_block ? 0x80000000u - (expected - 1) : 1u);
  }
  return before;
}
DRYWARP_DEVICE void grid_wait(unsigned before) {
  if (first_of_block()) {
    while (((before ^ *static_cast<volatile unsigned*>(grid_barrier())) & 0x80000000u) == 0) {
    }
    __threadfence();
  }
  __syncthreads();
}

}  // namespace details

class grid_group {
 public:
  __device__ bool is_valid() const { return details::grid_workspace() != 0; }
  __device__ void sync() const {
    if (!is_valid()) __trap();  // the kernel was not launched cooperatively
    details::grid_wait(details::grid_arrive());
  }
  struct arrival_token {
    unsigned before;
  };
  __device__ arrival_token barrier_arrive() const {
    if (!is_valid()) __trap();
    return arrival_token{details::grid_arrive()};
  }
  __device__ void barrier_wait(arrival_token&& token) const { details::grid_wait(token.before); }

  __device__ unsigned long long size() const { return num_blocks() * details::threads_in_block(); }
  __device__ unsigned long long num_threads() const { return size(); }
  __device__ unsigned long long thread_rank() const {
    return block_rank() * details::threads_in_block() + details::rank_in_block();
  }
  __device__ unsigned long long num_blocks() const {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  __device__ unsigned long long block_rank() const {
    return (static_cast<unsigned long long>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  __device__ dim3 group_dim() const { return gridDim; }
  __device__ dim3 dim_blocks() const { return gridDim; }
  __device__ dim3 block_index() const { return blockIdx; }
};
__device__ inline grid_group this_grid() { return grid_group(); }

// A cluster's functions use its PTX instructions, so that the engine detects kernels that need clusters.
class cluster_group {
 public:
  struct arrival_token {};
  static __device__ void sync() {
    barrier_arrive();
    barrier_wait();
  }
  static __device__ arrival_token barrier_arrive() {
    __nvvm_barrier_cluster_arrive();
    return arrival_token();
  }
  static __device__ void barrier_wait(arrival_token&& = arrival_token()) { __nvvm_barrier_cluster_wait(); }
  static __device__ unsigned block_rank() { return __nvvm_read_ptx_sreg_cluster_ctarank(); }
  static __device__ unsigned num_blocks() { return __nvvm_read_ptx_sreg_cluster_nctarank(); }
  static __device__ unsigned thread_rank() {
    return block_rank() * details::threads_in_block() + details::rank_in_block();
  }
  static __device__ unsigned num_threads() { return num_blocks() * details::threads_in_block(); }
  static __device__ unsigned size() { return num_threads(); }
  static __device__ dim3 dim_threads() {
    const dim3 blocks = dim_blocks();
    return dim3(blocks.x * blockDim.x, blocks.y * blockDim.y, blocks.z * blockDim.z);
  }
  static __device__ dim3 thread_index() {
    const dim3 block = block_index();
    return dim3(block.x * blockDim.x + threadIdx.x, block.y * blockDim.y + threadIdx.y,
                block.z * blockDim.z + threadIdx.z);
  }
  static __device__ unsigned query_shared_rank(const void* address) {
    return __nvvm_getctarank(const_cast<void*>(address));
  }
  static __device__ dim3 block_index() {
    return dim3(__nvvm_read_ptx_sreg_cluster_ctaid_x(), __nvvm_read_ptx_sreg_cluster_ctaid_y(),
                __nvvm_read_ptx_sreg_cluster_ctaid_z());
  }
  static __device__ dim3 dim_blocks() {
    return dim3(__nvvm_read_ptx_sreg_cluster_nctaid_x(), __nvvm_read_ptx_sreg_cluster_nctaid_y(),
                __nvvm_read_ptx_sreg_cluster_nctaid_z());
  }
  template <class T>
  static __device__ T* map_shared_rank(T* address, unsigned rank) {
    return (T*)__nvvm_mapa((void*)address, rank);
  }
};
__device__ inline cluster_group this_cluster() { return cluster_group(); }

}  // namespace cooperative_groups

#endif
