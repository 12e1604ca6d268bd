// reduce(group, value, operation): every thread gets the result.
#ifndef DRYWARP_COOPERATIVE_GROUPS_REDUCE_H
#define DRYWARP_COOPERATIVE_GROUPS_REDUCE_H

#include "cooperative_groups.h"

#if defined(__CUDA__)
#include "drywarp/groups/operations.h"

namespace cooperative_groups {

namespace details {

// From compute capability 8.0 on, 32-bit integers have an instruction for the usual operators.
template <class T, class Operation>
struct warp_reduction {
  static constexpr bool exists = false;
};
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define DRYWARP_REDUCTION(type, operation, function)                                                            \
  template <>                                                                                                   \
  struct warp_reduction<type, operation<type>> {                                                                \
    static constexpr bool exists = true;                                                                        \
    static __device__ type call(unsigned mask, type value) { return static_cast<type>(function(mask, value)); } \
  };
#define DRYWARP_REDUCTIONS(type)                   \
  DRYWARP_REDUCTION(type, plus, __reduce_add_sync) \
  DRYWARP_REDUCTION(type, less, __reduce_min_sync) \
  DRYWARP_REDUCTION(type, greater, __reduce_max_sync)
DRYWARP_REDUCTIONS(int)
DRYWARP_REDUCTIONS(unsigned)
DRYWARP_REDUCTION(unsigned, bit_and, __reduce_and_sync)
DRYWARP_REDUCTION(unsigned, bit_or, __reduce_or_sync)
DRYWARP_REDUCTION(unsigned, bit_xor, __reduce_xor_sync)
#undef DRYWARP_REDUCTIONS
#undef DRYWARP_REDUCTION
#endif

template <bool Exists>
struct reduction {
  template <class Group, class T, class Operation>
  static __device__ T call(const Group& group, T value, Operation&&) {
    return warp_reduction<T, bare<Operation>>::call(group.mask(), value);
  }
};
template <>
struct reduction<false> {
  template <unsigned Size, class Parent, class T, class Operation>
  static __device__ T call(const thread_block_tile<Size, Parent>& tile, T value, Operation&& operation) {
#pragma unroll
    for (unsigned distance = Size / 2; distance > 0; distance /= 2)
      value = operation(value, tile.shfl_xor(value, distance));
    return value;
  }
  // Each round doubles the number of ranks that a thread's value covers; rank 0 ends with all.
  template <class T, class Operation>
  static __device__ T call(const coalesced_group& group, T value, Operation&& operation) {
    for (unsigned distance = 1; distance < group.size(); distance *= 2) {
      const T other = group.shfl_down(value, distance);
      if (group.thread_rank() + distance < group.size()) value = operation(value, other);
    }
    return group.shfl(value, 0);
  }
};

template <class Group, class T, class Operation>
__device__ T reduce_group(const Group& group, T value, Operation&& operation, const void*) {
  return reduction<warp_reduction<T, bare<Operation>>::exists>::call(group, value, operation);
}
// A tile of several warps: each warp reduces its values; then one lane for each warp reduces the warps' results.
template <class Tile, class T, class Operation, unsigned Size>
__device__ T reduce_group(const Tile& tile, T value, Operation&& operation, const wide_tile<Size>*) {
  const void* const narrow = nullptr;
  value = reduce_group(thread_block_tile<32, void>(), value, operation, narrow);
  return tile.exchange(value, 0, [&](const thread_block_tile<Size / 32, void>& warps, T result) {
    return reduce_group(warps, result, operation, narrow);
  });
}

}  // namespace details

template <class Group, class T, class Operation>
__device__ auto reduce(const Group& group, T&& value, Operation&& operation) -> details::bare<T> {
  typedef details::bare<T> type;
  return details::reduce_group(group, static_cast<type>(value), static_cast<Operation&&>(operation), &group);
}

// The group's first thread updates an atomic object with the result, or stores it.
template <class Group, class Atomic, class T, class Operation>
__device__ void reduce_update_async(const Group& group, Atomic& target, T&& value, Operation&& operation) {
  const auto result = reduce(group, value, operation);
  if (group.thread_rank() == 0) {
    auto before = target.load();
    while (!target.compare_exchange_weak(before, operation(before, result))) {
    }
  }
}
template <class Group, class Target, class T, class Operation>
__device__ void reduce_store_async(const Group& group, Target& target, T&& value, Operation&& operation) {
  const auto result = reduce(group, value, operation);
  if (group.thread_rank() == 0) target = result;
}
template <class Group, class Value, class T, class Operation>
__device__ void reduce_store_async(const Group& group, Value* target, T&& value, Operation&& operation) {
  reduce_store_async(group, *target, value, operation);
}

}  // namespace cooperative_groups
#endif

#endif
