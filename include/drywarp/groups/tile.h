// thread_block_tile<Size>: Size neighbouring threads of a warp, with Size known at compile time.
#ifndef DRYWARP_GROUPS_TILE_H
#define DRYWARP_GROUPS_TILE_H
#pragma GCC system_header

#include "drywarp/groups/coalesced.h"

namespace cooperative_groups {

template <unsigned Size, class Parent = void>
class thread_block_tile : public thread_group {
  static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0, "a tile's size is a power of two up to 512");

 public:
  __device__ thread_block_tile() : thread_group(kind::warp, lanes()), meta_rank_(0), meta_size_(1) {}
  template <class Group>
  __device__ thread_block_tile(const Group&, unsigned meta_rank, unsigned meta_size)
      : thread_block_tile(meta_rank, meta_size) {}
  __device__ thread_block_tile(unsigned meta_rank, unsigned meta_size)
      : thread_group(kind::warp, lanes()), meta_rank_(meta_rank), meta_size_(meta_size) {}
  // Parent: the type of the group that the tile divides; void after conversion.
  template <class Other>
  __device__ thread_block_tile(const thread_block_tile<Size, Other>& other)
      : thread_group(kind::warp, lanes()), meta_rank_(other.meta_group_rank()), meta_size_(other.meta_group_size()) {}

  __device__ void sync() const { __syncwarp(lanes()); }
  __device__ unsigned thread_rank() const { return details::lane() & (Size - 1); }
  static constexpr __device__ unsigned size() { return Size; }
  static constexpr __device__ unsigned num_threads() { return Size; }
  __device__ unsigned meta_group_rank() const { return meta_rank_; }
  __device__ unsigned meta_group_size() const { return meta_size_; }
  __device__ unsigned mask() const { return lanes(); }

  template <class T>
  __device__ T shfl(T value, int source_rank) const {
    return details::shuffle::call(lanes(), value, source_rank, Size);
  }
  template <class T>
  __device__ T shfl_up(T value, unsigned delta) const {
    return details::shuffle_up::call(lanes(), value, delta, Size);
  }
  template <class T>
  __device__ T shfl_down(T value, unsigned delta) const {
    return details::shuffle_down::call(lanes(), value, delta, Size);
  }
  template <class T>
  __device__ T shfl_xor(T value, unsigned lane_mask) const {
    return details::shuffle_xor::call(lanes(), value, static_cast<int>(lane_mask), Size);
  }

  __device__ int any(int predicate) const { return __any_sync(lanes(), predicate); }
  __device__ int all(int predicate) const { return __all_sync(lanes(), predicate); }
  __device__ unsigned ballot(int predicate) const { return own(__ballot_sync(lanes(), predicate)); }
  template <class T>
  __device__ unsigned match_any(T value) const {
    return own(__match_any_sync(lanes(), value));
  }
  template <class T>
  __device__ unsigned match_all(T value, int& predicate) const {
    return own(__match_all_sync(lanes(), value, &predicate));
  }

 private:
  static __device__ unsigned first_lane() { return details::lane() & ~(Size - 1); }
  static __device__ unsigned lanes() {
    return Size == 32 ? 0xffffffffu : static_cast<unsigned>((1ull << Size) - 1) << first_lane();
  }
  static __device__ unsigned own(unsigned bits) { return Size == 32 ? bits : (bits & lanes()) >> first_lane(); }

  unsigned meta_rank_, meta_size_;
};

}  // namespace cooperative_groups

#include "drywarp/groups/wide_tile.h"

namespace cooperative_groups {

template <unsigned Size>
__device__ inline thread_block_tile<Size, thread_block> tiled_partition(const thread_block& block) {
  return thread_block_tile<Size, thread_block>(block, details::rank_in_block() / Size,
                                               (details::threads_in_block() + Size - 1) / Size);
}
template <unsigned Size, unsigned ParentSize, class GrandParent>
__device__ inline thread_block_tile<Size, thread_block_tile<ParentSize, GrandParent>> tiled_partition(
    const thread_block_tile<ParentSize, GrandParent>& parent) {
  static_assert(Size <= ParentSize, "a tile cannot be larger than the group it divides");
  return thread_block_tile<Size, thread_block_tile<ParentSize, GrandParent>>(parent, parent.thread_rank() / Size,
                                                                             ParentSize / Size);
}
template <unsigned Size>
__device__ inline thread_block_tile<Size, void> tiled_partition(const thread_group& parent) {
  return thread_block_tile<Size, void>(static_cast<unsigned>(parent.thread_rank()) / Size,
                                       static_cast<unsigned>(parent.size() + Size - 1) / Size);
}
__device__ inline coalesced_group tiled_partition(const coalesced_group& parent, unsigned size) {
  const unsigned first = parent.thread_rank() & ~(size - 1);
  unsigned mask = 0, rest = parent.mask();
  for (unsigned i = 0; rest != 0; ++i, rest &= rest - 1)
    if (i >= first && i < first + size) mask |= rest & -rest;
  return coalesced_group(mask, parent.thread_rank() / size, (parent.size() + size - 1) / size);
}

namespace experimental {
using cooperative_groups::block_tile_memory;
using cooperative_groups::this_thread_block;
template <unsigned Size, class Parent>
__device__ auto tiled_partition(const Parent& parent) -> decltype(cooperative_groups::tiled_partition<Size>(parent)) {
  return cooperative_groups::tiled_partition<Size>(parent);
}
}  // namespace experimental

}  // namespace cooperative_groups

#endif
