// cp.async: asynchronous copies of 4, 8 and 16 bytes from global to shared memory.
#ifndef DRYWARP_GROUPS_ASYNC_COPY_H
#define DRYWARP_GROUPS_ASYNC_COPY_H
#pragma GCC system_header

#include "drywarp/device/synchronization.h"

namespace cooperative_groups {
namespace details {

// Reads `source` bytes, and fills the rest of Bytes with zeros.
template <int Bytes>
__device__ inline void start_copy(void* to, const void* from, unsigned source = Bytes) {
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16, "asynchronous copies are of 4, 8 or 16 bytes");
  const unsigned shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
  if (Bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], %2, %3;" ::"r"(shared), "l"(__cvta_generic_to_global(from)),
                 "n"(Bytes), "r"(source)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared), "l"(__cvta_generic_to_global(from)),
                 "n"(Bytes), "r"(source)
                 : "memory");
}
__device__ inline void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <unsigned Pending>
__device__ inline void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}
// ... for a number known at run time: waits for all but the last `pending` groups of copies, at most eight.
template <unsigned Most = 8>
__device__ __forceinline__ void wait_for_copies_but(size_t pending) {
  if constexpr (Most > 0)
    if (pending < Most) return wait_for_copies_but<Most - 1>(pending);
  wait_for_copies<Most>();
}

template <int Bytes>
__device__ inline void copy_chunks(unsigned rank, unsigned threads, char* to, const char* from, size_t bytes) {
  for (size_t at = static_cast<size_t>(rank) * Bytes; at + Bytes <= bytes; at += static_cast<size_t>(threads) * Bytes)
    start_copy<Bytes>(to + at, from + at);
}
// What a program promises by the type of a size, as by cuda::aligned_size_t. A GPU takes its word.
template <class Size, class = void>
struct promised_alignment {
  static constexpr size_t value = 1;
};
template <class Size>
struct promised_alignment<Size, decltype((void)Size::align)> {
  static constexpr size_t value = Size::align;
};
// Returns how many bytes it copies: as many as fill whole chunks, if both addresses are aligned to one, or ought to be.
template <int Bytes, size_t Promised>
__device__ inline size_t copy_aligned(unsigned rank, unsigned threads, char* to, const char* from, size_t bytes) {
  if (Promised < Bytes && (reinterpret_cast<size_t>(to) | reinterpret_cast<size_t>(from)) % Bytes != 0) return 0;
  const size_t whole = bytes - bytes % Bytes;
  copy_chunks<Bytes>(rank, threads, to, from, whole);
  return whole;
}
template <size_t Promised>
__device__ inline void copy_together(unsigned rank, unsigned threads, void* destination, const void* source,
                                     size_t bytes) {
  char* to = static_cast<char*>(destination);
  const char* from = static_cast<const char*>(source);
  size_t whole = 0;
  if (__isShared(to) && __isGlobal(from)) {
    whole += copy_aligned<16, Promised>(rank, threads, to, from, bytes);
    whole += copy_aligned<8, Promised>(rank, threads, to + whole, from + whole, bytes - whole);
    whole += copy_aligned<4, Promised>(rank, threads, to + whole, from + whole, bytes - whole);
  }
  for (size_t at = whole + rank; at < bytes; at += threads) to[at] = from[at];
}

template <class Size>
__device__ inline void copy_sized(unsigned rank, unsigned threads, void* to, const void* from, Size bytes) {
  copy_together<promised_alignment<Size>::value>(rank, threads, to, from, static_cast<size_t>(bytes));
}

}  // namespace details
}  // namespace cooperative_groups

#endif
