// inclusive_scan and exclusive_scan over a group's threads in order of rank.
#ifndef DRYWARP_COOPERATIVE_GROUPS_SCAN_H
#define DRYWARP_COOPERATIVE_GROUPS_SCAN_H

#include "cooperative_groups.h"

#if defined(__CUDA__)
#include "drywarp/groups/operations.h"

namespace cooperative_groups {

template <class Group, class T, class Operation>
__device__ auto inclusive_scan(const Group& group, T&& value, Operation&& operation) -> details::bare<T> {
  details::bare<T> sum = value;
  for (unsigned distance = 1; distance < group.size(); distance *= 2) {
    const details::bare<T> other = group.shfl_up(sum, distance);
    if (group.thread_rank() >= distance) sum = operation(other, sum);
  }
  return sum;
}
template <class Group, class T>
__device__ auto inclusive_scan(const Group& group, T&& value) -> details::bare<T> {
  return inclusive_scan(group, value, plus<details::bare<T>>());
}
// Rank 0 has nothing before it and gets T().
template <class Group, class T, class Operation>
__device__ auto exclusive_scan(const Group& group, T&& value, Operation&& operation) -> details::bare<T> {
  const details::bare<T> before = group.shfl_up(inclusive_scan(group, value, operation), 1);
  return group.thread_rank() == 0 ? details::bare<T>() : before;
}
template <class Group, class T>
__device__ auto exclusive_scan(const Group& group, T&& value) -> details::bare<T> {
  return exclusive_scan(group, value, plus<details::bare<T>>());
}

// The last thread adds the whole group's value to a target; every thread gets its place in the sequence of such
// updates.
template <class Group, class Atomic, class T, class Operation>
__device__ auto exclusive_scan_update(const Group& group, Atomic& target, T&& value, Operation&& operation)
    -> details::bare<T> {
  typedef details::bare<T> type;
  const type sum = inclusive_scan(group, value, operation);
  type before{};
  if (group.thread_rank() + 1 == group.size()) {
    before = target.load();
    while (!target.compare_exchange_weak(before, operation(before, sum))) {
    }
  }
  before = group.shfl(before, static_cast<int>(group.size()) - 1);
  const type mine = group.shfl_up(sum, 1);
  return group.thread_rank() == 0 ? before : operation(before, mine);
}
template <class Group, class Atomic, class T>
__device__ auto exclusive_scan_update(const Group& group, Atomic& target, T&& value) -> details::bare<T> {
  return exclusive_scan_update(group, target, value, plus<details::bare<T>>());
}

}  // namespace cooperative_groups
#endif

#endif
