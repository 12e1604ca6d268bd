// thread_block_tile of 64 to 512 threads: whole warps, which meet at a named barrier and exchange values through the
// block's block_tile_memory.
#ifndef DRYWARP_GROUPS_WIDE_TILE_H
#define DRYWARP_GROUPS_WIDE_TILE_H
#pragma GCC system_header

#include "drywarp/groups/tile.h"

namespace cooperative_groups {

namespace details {

class wide_tile {
 public:
  __device__ wide_tile(const thread_block& block, unsigned size, unsigned meta_rank, unsigned meta_size)
      : slots_(block.slots()), size_(size), meta_rank_(meta_rank), meta_size_(meta_size) {
    if (slots_ == nullptr || meta_rank >= 15) __trap();  // no memory to exchange through, or no named barrier left
    slots_ += meta_rank * (size / 32) * block_tile_memory<32>::slot_bytes;
  }
  // Barrier 0 is __syncthreads'.
  __device__ void sync() const { __nvvm_barrier_sync_cnt(meta_rank_ + 1, size_); }
  __device__ unsigned thread_rank() const { return rank_in_block() & (size_ - 1); }
  __device__ unsigned meta_group_rank() const { return meta_rank_; }
  __device__ unsigned meta_group_size() const { return meta_size_; }
  template <class T>
  __device__ T& slot(unsigned warp) const {
    static_assert(sizeof(T) <= block_tile_memory<32>::slot_bytes,
                  "values of tiles larger than a warp have up to 32 bytes");
    return *reinterpret_cast<T*>(slots_ + warp * block_tile_memory<32>::slot_bytes);
  }
  template <class T>
  __device__ T shfl(T value, int source_rank) const {
    if (thread_rank() == static_cast<unsigned>(source_rank)) slot<T>(0) = value;
    sync();
    const T result = slot<T>(0);
    sync();
    return result;
  }
  __device__ int any(int predicate) const { return votes(predicate) != 0; }
  __device__ int all(int predicate) const { return votes(!predicate) == 0; }

 private:
  // In how many warps somebody votes yes.
  __device__ unsigned votes(int predicate) const {
    const int mine = __any_sync(0xffffffffu, predicate);
    if (lane() == 0) slot<int>(thread_rank() / 32) = mine;
    sync();
    unsigned count = 0;
    for (unsigned warp = 0; warp < size_ / 32; ++warp) count += slot<int>(warp) != 0;
    sync();
    return count;
  }

  char* slots_;
  unsigned size_, meta_rank_, meta_size_;
};

}  // namespace details

#define DRYWARP_WIDE_TILE(threads)                                                                  \
  template <class Parent>                                                                           \
  class thread_block_tile<threads, Parent> : public details::wide_tile {                            \
   public:                                                                                          \
    __device__ thread_block_tile(const thread_block& block, unsigned meta_rank, unsigned meta_size) \
        : details::wide_tile(block, threads, meta_rank, meta_size) {}                               \
    static constexpr __device__ unsigned size() { return threads; }                                 \
    static constexpr __device__ unsigned num_threads() { return threads; }                          \
  };
DRYWARP_WIDE_TILE(64)
DRYWARP_WIDE_TILE(128)
DRYWARP_WIDE_TILE(256)
DRYWARP_WIDE_TILE(512)
#undef DRYWARP_WIDE_TILE

}  // namespace cooperative_groups

#endif
