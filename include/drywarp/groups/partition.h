// labeled_partition, binary_partition and invoke_one.
#ifndef DRYWARP_GROUPS_PARTITION_H
#define DRYWARP_GROUPS_PARTITION_H
#pragma GCC system_header

#include "drywarp/groups/tile.h"

namespace cooperative_groups {

namespace details {
// The groups are numbered by their lowest lane.
__device__ inline coalesced_group labeled(unsigned mask, unsigned same) {
  const bool leads = (same & lanes_below()) == 0;
  const unsigned leaders = __ballot_sync(mask, leads);
  const unsigned lowest = same & -same;
  return coalesced_group(same, __popc(leaders & (lowest - 1)), __popc(leaders));
}
// Two groups: threads whose predicate is false, and threads whose predicate is true.
__device__ inline coalesced_group halved(unsigned mask, bool predicate) {
  const unsigned yes = __ballot_sync(mask, predicate);
  if (yes == mask || yes == 0) return coalesced_group(mask, 0, 1);
  return predicate ? coalesced_group(yes, 1, 2) : coalesced_group(mask & ~yes, 0, 2);
}
template <class Label>
__device__ inline coalesced_group by_label(unsigned mask, Label label) {
  return labeled(mask, __match_any_sync(mask, label));
}
__device__ inline coalesced_group by_label(unsigned mask, bool label) { return halved(mask, label); }
template <class T>
__device__ inline coalesced_group by_label(unsigned mask, T* label) {
  return by_label(mask, reinterpret_cast<unsigned long long>(label));
}
}  // namespace details

template <class Label>
__device__ inline coalesced_group labeled_partition(const coalesced_group& group, Label label) {
  return details::by_label(group.mask(), label);
}
template <class Label, unsigned Size, class Parent>
__device__ inline coalesced_group labeled_partition(const thread_block_tile<Size, Parent>& tile, Label label) {
  static_assert(Size <= 32, "labeled_partition takes tiles of up to 32 threads");
  return details::by_label(tile.mask(), label);
}
__device__ inline coalesced_group binary_partition(const coalesced_group& group, bool predicate) {
  return details::halved(group.mask(), predicate);
}
template <unsigned Size, class Parent>
__device__ inline coalesced_group binary_partition(const thread_block_tile<Size, Parent>& tile, bool predicate) {
  static_assert(Size <= 32, "binary_partition takes tiles of up to 32 threads");
  return details::halved(tile.mask(), predicate);
}

// Runs the function in the group's first thread.
template <class Group, class Function, class... Arguments>
__device__ void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) {
  if (group.thread_rank() == 0) function(static_cast<Arguments&&>(arguments)...);
}
template <class Group, class Function, class... Arguments>
__device__ auto invoke_one_broadcast(const Group& group, Function&& function, Arguments&&... arguments)
    -> decltype(function(static_cast<Arguments&&>(arguments)...)) {
  decltype(function(static_cast<Arguments&&>(arguments)...)) result{};
  if (group.thread_rank() == 0) result = function(static_cast<Arguments&&>(arguments)...);
  return group.shfl(result, 0);
}

}  // namespace cooperative_groups

#endif
