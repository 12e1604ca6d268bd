// coalesced_group: the threads of a warp in a mask, ranked in lane order.
#ifndef DRYWARP_GROUPS_COALESCED_H
#define DRYWARP_GROUPS_COALESCED_H
#pragma GCC system_header

#include "drywarp/groups/block.h"

namespace cooperative_groups {

class coalesced_group : public thread_group {
 public:
  __device__ explicit coalesced_group(unsigned mask, unsigned meta_rank = 0, unsigned meta_size = 1)
      : thread_group(kind::warp, mask), meta_rank_(meta_rank), meta_size_(meta_size) {}

  __device__ void sync() const { __syncwarp(mask_); }
  __device__ unsigned thread_rank() const { return __popc(mask_ & details::lanes_below()); }
  __device__ unsigned size() const { return __popc(mask_); }
  __device__ unsigned num_threads() const { return size(); }
  __device__ unsigned meta_group_rank() const { return meta_rank_; }
  __device__ unsigned meta_group_size() const { return meta_size_; }
  __device__ unsigned mask() const { return mask_; }

  template <class T>
  __device__ T shfl(T value, int source_rank) const {
    return details::shuffle::call(mask_, value, lane_of(static_cast<unsigned>(source_rank) % size()), 32);
  }
  // If the source is outside the group, a thread keeps its own value.
  template <class T>
  __device__ T shfl_up(T value, unsigned delta) const {
    if (mask_ == 0xffffffffu) return details::shuffle_up::call(mask_, value, delta, 32);
    const unsigned rank = thread_rank();
    return details::shuffle::call(mask_, value,
                                  rank >= delta ? lane_of(rank - delta) : static_cast<int>(details::lane()), 32);
  }
  template <class T>
  __device__ T shfl_down(T value, unsigned delta) const {
    if (mask_ == 0xffffffffu) return details::shuffle_down::call(mask_, value, delta, 32);
    const unsigned rank = thread_rank();
    return details::shuffle::call(
        mask_, value, rank + delta < size() ? lane_of(rank + delta) : static_cast<int>(details::lane()), 32);
  }

  __device__ int any(int predicate) const { return __any_sync(mask_, predicate); }
  __device__ int all(int predicate) const { return __all_sync(mask_, predicate); }
  __device__ unsigned ballot(int predicate) const { return packed(__ballot_sync(mask_, predicate)); }
  template <class T>
  __device__ unsigned match_any(T value) const {
    return packed(__match_any_sync(mask_, value));
  }
  template <class T>
  __device__ unsigned match_all(T value, int& predicate) const {
    return packed(__match_all_sync(mask_, value, &predicate));
  }

 private:
  // The lane of a rank: the position of that set bit.
  __device__ int lane_of(unsigned rank) const {
    if (mask_ == 0xffffffffu) return static_cast<int>(rank);
    unsigned rest = mask_;
    for (unsigned i = 0; i < rank; ++i) rest &= rest - 1;
    return __ffs(static_cast<int>(rest)) - 1;
  }
  __device__ unsigned packed(unsigned bits) const {
    return mask_ == 0xffffffffu ? bits : details::gather_bits(bits, mask_);
  }

  unsigned meta_rank_, meta_size_;
};

__device__ inline coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

}  // namespace cooperative_groups

#endif
