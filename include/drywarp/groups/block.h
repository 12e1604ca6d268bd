// thread_group (any group, its kind known at run time) and thread_block.
#ifndef DRYWARP_GROUPS_BLOCK_H
#define DRYWARP_GROUPS_BLOCK_H
#pragma GCC system_header

#include "drywarp/groups/shuffle.h"

namespace cooperative_groups {

enum class thread_scope { block, device };

class thread_group {
 public:
  __device__ unsigned long long size() const {
    return kind_ == kind::warp ? __popc(mask_) : details::threads_in_block();
  }
  __device__ unsigned long long num_threads() const { return size(); }
  __device__ unsigned long long thread_rank() const {
    return kind_ == kind::warp ? __popc(mask_ & details::lanes_below()) : details::rank_in_block();
  }
  __device__ void sync() const {
    if (kind_ == kind::warp) {
      __syncwarp(mask_);
    } else {
      __syncthreads();
    }
  }
  __device__ bool is_valid() const { return true; }

 protected:
  enum class kind { block, warp };
  __device__ thread_group(kind k, unsigned mask) : kind_(k), mask_(mask) {}
  kind kind_;
  unsigned mask_;  // the lanes of a group within a warp

  friend __device__ thread_group tiled_partition(const thread_group& parent, unsigned size);
};

// A group of `size` adjacent threads of a warp; size is a power of two up to 32.
__device__ inline thread_group tiled_partition(const thread_group& parent, unsigned size) {
  if (parent.kind_ == thread_group::kind::warp) {
    const unsigned rank = static_cast<unsigned>(parent.thread_rank()), first = rank & ~(size - 1);
    unsigned mask = 0, rest = parent.mask_;
    for (unsigned i = 0; rest != 0; ++i, rest &= rest - 1)
      if (i >= first && i < first + size) mask |= rest & -rest;
    return thread_group(thread_group::kind::warp, mask);
  }
  const unsigned lanes = size >= 32 ? 0xffffffffu : (1u << size) - 1u;
  const unsigned first_of_warp = details::rank_in_block() & ~31u, threads = details::threads_in_block() - first_of_warp;
  const unsigned present = threads >= 32 ? 0xffffffffu : (1u << threads) - 1u;
  return thread_group(thread_group::kind::warp, (lanes << (details::lane() & ~(size - 1))) & present);
}

// Shared memory for tiles larger than a warp to synchronize and exchange values: a word for each tile size, and a slot
// for each warp of the block. From compute capability 8.0 on, it is in the system's reserved part of every block.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define DRYWARP_RESERVED_SHARED 1
#else
#define DRYWARP_RESERVED_SHARED 0
#endif

namespace details {
enum : unsigned { tile_header_bytes = 32, tile_slot_bytes = 8 };
}

template <unsigned MaxThreads = 1024>
struct __align__(8) block_tile_memory {
#if !DRYWARP_RESERVED_SHARED
  char bytes[details::tile_header_bytes + MaxThreads / 32 * details::tile_slot_bytes];
#endif
};

class thread_block : public thread_group {
 public:
  __device__ thread_block() : thread_group(kind::block, 0) {}
  template <unsigned MaxThreads>
  __device__ explicit thread_block(block_tile_memory<MaxThreads>& memory) : thread_group(kind::block, 0) {
#if !DRYWARP_RESERVED_SHARED
    memory_ = memory.bytes;
    if (thread_rank() < details::tile_header_bytes) memory_[thread_rank()] = 0;
#endif
    sync();
  }
  // Its address in shared memory.
  __device__ unsigned tile_memory() const {
#if DRYWARP_RESERVED_SHARED
    unsigned address;
    asm("mov.u32 %0, %%reserved_smem_offset_1;" : "=r"(address));
    return address;
#else
    if (memory_ == nullptr) __trap();  // the program provided none
    return static_cast<unsigned>(__cvta_generic_to_shared(memory_));
#endif
  }
  static __device__ void sync() { __syncthreads(); }
  static __device__ unsigned thread_rank() { return details::rank_in_block(); }
  static __device__ unsigned size() { return details::threads_in_block(); }
  static __device__ unsigned num_threads() { return size(); }
  static __device__ dim3 group_index() { return blockIdx; }
  static __device__ dim3 thread_index() { return threadIdx; }
  static __device__ dim3 group_dim() { return blockDim; }
  static __device__ dim3 dim_threads() { return blockDim; }
  struct arrival_token {};
  static __device__ arrival_token barrier_arrive() { return arrival_token(); }
  static __device__ void barrier_wait(arrival_token&&) { __syncthreads(); }

#if !DRYWARP_RESERVED_SHARED
 private:
  char* memory_ = nullptr;
#endif
};

__device__ inline thread_block this_thread_block() { return thread_block(); }
template <unsigned MaxThreads>
__device__ inline thread_block this_thread_block(block_tile_memory<MaxThreads>& memory) {
  return thread_block(memory);
}

template <class Group>
__device__ void sync(const Group& group) {
  group.sync();
}
template <class Group>
__device__ auto thread_rank(const Group& group) -> decltype(group.thread_rank()) {
  return group.thread_rank();
}
template <class Group>
__device__ auto group_size(const Group& group) -> decltype(group.size()) {
  return group.size();
}

}  // namespace cooperative_groups

#endif
