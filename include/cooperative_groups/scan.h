// inclusive_scan and exclusive_scan over a group's threads in order of rank.
#ifndef DRYWARP_COOPERATIVE_GROUPS_SCAN_H
#define DRYWARP_COOPERATIVE_GROUPS_SCAN_H

#include "cooperative_groups.h"

#if defined(__CUDA__)
#include "drywarp/groups/operations.h"

namespace cooperative_groups {

namespace details {

// Operators get the later value first, as in CUDA's scans.
template <class Group, class T, class Operation>
__device__ T scan_group(const Group& group, T value, Operation&& operation, const void*) {
  for (unsigned distance = 1; distance < group.size(); distance *= 2) {
    const T other = group.shfl_up(value, distance);
    if (group.thread_rank() >= distance) value = operation(value, other);
  }
  return value;
}
// Rank 0 gets T().
template <class Group, class T, class Operation>
__device__ T scan_before(const Group& group, T value, Operation&& operation, const void*) {
  const T before = group.shfl_up(scan_group(group, value, operation, static_cast<const void*>(nullptr)), 1);
  return group.thread_rank() == 0 ? T() : before;
}

// A tile of several warps: each warp scans its values; then one lane for each warp scans the warps' sums.
template <class Tile, class T, class Operation, unsigned Size>
__device__ T scan_group(const Tile& tile, T value, Operation&& operation, const wide_tile<Size>*) {
  const void* const narrow = nullptr;
  const T sum = scan_group(thread_block_tile<32, void>(), value, operation, narrow);
  const T before = tile.exchange(sum, 31, [&](const thread_block_tile<Size / 32, void>& warps, T total) {
    return scan_before(warps, total, operation, narrow);
  });
  return tile.thread_rank() < 32 ? sum : operation(sum, before);
}
template <class Tile, class T, class Operation, unsigned Size>
__device__ T scan_before(const Tile& tile, T value, Operation&& operation, const wide_tile<Size>*) {
  const void* const narrow = nullptr;
  const thread_block_tile<32, void> warp;
  const T sum = scan_group(warp, value, operation, narrow), mine = warp.shfl_up(sum, 1);
  const T before = tile.exchange(sum, 31, [&](const thread_block_tile<Size / 32, void>& warps, T total) {
    return scan_before(warps, total, operation, narrow);
  });
  if (warp.thread_rank() == 0) return before;
  return tile.thread_rank() < 32 ? mine : operation(mine, before);
}

template <class Atomic, class T, class Operation>
__device__ T update_atomic(Atomic& target, T value, Operation&& operation) {
  T before = target.load();
  while (!target.compare_exchange_weak(before, operation(before, value))) {
  }
  return before;
}

// The last thread adds the group's total to a target. Every thread gets the target's value as if the threads had
// updated it in order: before its own update, or after it if Inclusive.
template <bool Inclusive, class Group, class Atomic, class T, class Operation>
__device__ T scan_update(const Group& group, Atomic& target, T value, Operation&& operation, const void*) {
  const T sum = scan_group(group, value, operation, static_cast<const void*>(nullptr));
  T before{};
  if (group.thread_rank() + 1 == group.size()) before = update_atomic(target, sum, operation);
  before = group.shfl(before, static_cast<int>(group.size()) - 1);
  if (Inclusive) return operation(before, sum);
  const T mine = group.shfl_up(sum, 1);
  return group.thread_rank() == 0 ? before : operation(before, mine);
}
template <bool Inclusive, class Tile, class Atomic, class T, class Operation, unsigned Size>
__device__ T scan_update(const Tile& tile, Atomic& target, T value, Operation&& operation, const wide_tile<Size>*) {
  const thread_block_tile<32, void> warp;
  const T sum = scan_group(warp, value, operation, static_cast<const void*>(nullptr)), mine = warp.shfl_up(sum, 1);
  const T before = tile.exchange(sum, 31, [&](const thread_block_tile<Size / 32, void>& warps, T total) {
    return scan_update<false>(warps, target, total, operation, static_cast<const void*>(nullptr));
  });
  if (Inclusive) return operation(sum, before);
  return warp.thread_rank() == 0 ? before : operation(mine, before);
}

}  // namespace details

template <class Group, class T, class Operation>
__device__ auto inclusive_scan(const Group& group, T&& value, Operation&& operation) -> details::bare<T> {
  return details::scan_group(group, static_cast<details::bare<T>>(value), operation, &group);
}
template <class Group, class T>
__device__ auto inclusive_scan(const Group& group, T&& value) -> details::bare<T> {
  return inclusive_scan(group, value, plus<details::bare<T>>());
}
template <class Group, class T, class Operation>
__device__ auto exclusive_scan(const Group& group, T&& value, Operation&& operation) -> details::bare<T> {
  return details::scan_before(group, static_cast<details::bare<T>>(value), operation, &group);
}
template <class Group, class T>
__device__ auto exclusive_scan(const Group& group, T&& value) -> details::bare<T> {
  return exclusive_scan(group, value, plus<details::bare<T>>());
}

template <class Group, class Atomic, class T, class Operation>
__device__ auto inclusive_scan_update(const Group& group, Atomic& target, T&& value, Operation&& operation)
    -> details::bare<T> {
  return details::scan_update<true>(group, target, static_cast<details::bare<T>>(value), operation, &group);
}
template <class Group, class Atomic, class T>
__device__ auto inclusive_scan_update(const Group& group, Atomic& target, T&& value) -> details::bare<T> {
  return inclusive_scan_update(group, target, value, plus<details::bare<T>>());
}
template <class Group, class Atomic, class T, class Operation>
__device__ auto exclusive_scan_update(const Group& group, Atomic& target, T&& value, Operation&& operation)
    -> details::bare<T> {
  return details::scan_update<false>(group, target, static_cast<details::bare<T>>(value), operation, &group);
}
template <class Group, class Atomic, class T>
__device__ auto exclusive_scan_update(const Group& group, Atomic& target, T&& value) -> details::bare<T> {
  return exclusive_scan_update(group, target, value, plus<details::bare<T>>());
}

}  // namespace cooperative_groups
#endif

#endif
