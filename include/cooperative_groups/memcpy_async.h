// memcpy_async(group, to, from, bytes): the group's threads copy together with cp.async where size and alignment allow,
// and wait(group) waits for the copies.
#ifndef DRYWARP_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define DRYWARP_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "cooperative_groups.h"

#if defined(__CUDA__)
#include "drywarp/groups/async_copy.h"

namespace cooperative_groups {

namespace details {
template <class T>
struct alignment_of {
  static constexpr size_t value = alignof(T);
};
template <>
struct alignment_of<void> {
  static constexpr size_t value = 1;
};
}  // namespace details

template <class Group, class To, class From, class Size>
__device__ void memcpy_async(const Group& group, To* to, const From* from, const Size& bytes) {
  constexpr size_t of_type = details::alignment_of<To>::value, promised = details::promised_alignment<Size>::value;
  details::copy_together<(of_type > promised ? of_type : promised)>(static_cast<unsigned>(group.thread_rank()),
                                                                    static_cast<unsigned>(group.size()), to, from,
                                                                    static_cast<size_t>(bytes));
  details::commit_copies();
}
// With counts of elements instead of bytes; copies the smaller count.
template <class Group, class T, class ToCount, class FromCount>
__device__ void memcpy_async(const Group& group, T* to, const ToCount& to_count, const T* from,
                             const FromCount& from_count) {
  const size_t count = static_cast<size_t>(to_count) < static_cast<size_t>(from_count)
                           ? static_cast<size_t>(to_count)
                           : static_cast<size_t>(from_count);
  memcpy_async(group, to, from, count * sizeof(T));
}
template <class Group>
__device__ void wait(const Group& group) {
  details::wait_for_copies<0>();
  group.sync();
}
// Waits for all but the latest Stages copies.
template <unsigned Stages, class Group>
__device__ void wait_prior(const Group& group) {
  details::wait_for_copies<Stages>();
  group.sync();
}

}  // namespace cooperative_groups
#endif

#endif
