// thread_block_tile of 64 to 512 threads: whole warps, which synchronize through a word of shared memory and exchange
// values through one slot a warp. From compute capability 8.0 on, these are in the reserved shared memory of every
// block; before, in the block_tile_memory that the program provides.
#ifndef DRYWARP_GROUPS_WIDE_TILE_H
#define DRYWARP_GROUPS_WIDE_TILE_H
#pragma GCC system_header

#include "drywarp/groups/tile.h"

namespace cooperative_groups {

namespace details {

template <unsigned Size>
class wide_tile {
  enum : unsigned { warps = Size / 32, meeting = Size == 64 ? 0 : Size == 128 ? 1 : Size == 256 ? 2 : 3 };
  typedef thread_block_tile<warps, void> warp_results;  // one lane for each warp of the tile

 public:
  template <class Group>
  __device__ wide_tile(const Group& parent, unsigned meta_rank, unsigned meta_size)
      : memory_(parent.tile_memory()), meta_rank_(meta_rank), meta_size_(meta_size) {
    parent.sync();
  }
  template <class Parent>
  __device__ explicit wide_tile(const thread_block_tile<Size, Parent>& other)
      : memory_(other.tile_memory()), meta_rank_(other.meta_group_rank()), meta_size_(other.meta_group_size()) {}

  __device__ void sync() const {
    meet([] {});
  }
  static __device__ unsigned thread_rank() { return rank_in_block() & (Size - 1); }
  static constexpr __device__ unsigned size() { return Size; }
  static constexpr __device__ unsigned num_threads() { return Size; }
  __device__ unsigned meta_group_rank() const { return meta_rank_; }
  __device__ unsigned meta_group_size() const { return meta_size_; }
  __device__ unsigned tile_memory() const { return memory_; }

  template <class T>
  __device__ T shfl(T value, unsigned source_rank) const {
    return exchange(value, source_rank % 32, [=](const warp_results& tile, T given) {
      return tile.shfl(given, static_cast<int>(source_rank / 32));
    });
  }
  __device__ int any(int predicate) const {
    return exchange(__any_sync(0xffffffffu, predicate), 0,
                    [](const warp_results& tile, int some) { return tile.any(some); });
  }
  __device__ int all(int predicate) const {
    return exchange(__all_sync(0xffffffffu, predicate), 0,
                    [](const warp_results& tile, int every) { return tile.all(every); });
  }

  // Every warp contributes the value of its lane `giver`. `combine` gets these values in one lane for each warp, in
  // order; its result in a warp's lane is that warp's result.
  template <class T, class Combine>
  __device__ T exchange(T value, unsigned giver, Combine combine) const {
    static_assert(sizeof(T) <= tile_slot_bytes, "values of tiles larger than a warp have up to 8 bytes");
    __syncwarp();
    if (lane() == giver) slot<T>(thread_rank() / 32) = value;
    meet([&] {
      if (lane() >= warps) return;
      T& result = slot<T>(lane());
      result = combine(warp_results(), result);
    });
    return slot<T>(thread_rank() / 32);
  }

 private:
  // Synchronizes the tile's warps. The last one to arrive runs `then` before the others continue.
  template <class Then>
  __device__ void meet(Then then) const {
    __syncwarp();
    const unsigned warp = rank_in_block() / 32, mine = 1u << warp;
    const unsigned all = ((1u << warps) - 1) << (warp & ~(warps - 1));
    const unsigned word = memory_ + 4 * meeting;
    bool last = false;
    if (lane() == 0) {
      __threadfence_block();
      unsigned before;
      asm volatile("atom.shared.or.b32 %0, [%1], %2;" : "=r"(before) : "r"(word), "r"(mine) : "memory");
      last = ((before | mine) & all) == all;
    }
    if (__any_sync(0xffffffffu, last)) {
      __threadfence_block();
      then();
      __syncwarp();
      if (lane() == 0) {
        __threadfence_block();
        asm volatile("red.shared.and.b32 [%0], %1;" ::"r"(word), "r"(~all) : "memory");
      }
    } else if (lane() == 0) {
      unsigned waiting = mine;
      while ((waiting & mine) != 0)
        asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(waiting) : "r"(word) : "memory");
      __threadfence_block();
    }
    __syncwarp();
  }
  template <class T>
  __device__ T& slot(unsigned warp_of_tile) const {
    const unsigned warp = (rank_in_block() & ~(Size - 1)) / 32 + warp_of_tile;
    return *static_cast<T*>(__cvta_shared_to_generic(memory_ + tile_header_bytes + warp * tile_slot_bytes));
  }

  unsigned memory_;  // address in shared memory
  unsigned meta_rank_, meta_size_;
};

}  // namespace details

#define DRYWARP_WIDE_TILE(threads)                                                                                  \
  template <class Parent>                                                                                           \
  class thread_block_tile<threads, Parent> : public details::wide_tile<threads> {                                   \
   public:                                                                                                          \
    template <class Group>                                                                                          \
    __device__ thread_block_tile(const Group& parent, unsigned meta_rank, unsigned meta_size)                       \
        : details::wide_tile<threads>(parent, meta_rank, meta_size) {}                                              \
    template <class Other>                                                                                          \
    __device__ thread_block_tile(const thread_block_tile<threads, Other>& other) : details::wide_tile<threads>(other) {} \
  };
DRYWARP_WIDE_TILE(64)
DRYWARP_WIDE_TILE(128)
DRYWARP_WIDE_TILE(256)
DRYWARP_WIDE_TILE(512)
#undef DRYWARP_WIDE_TILE

}  // namespace cooperative_groups

#endif
