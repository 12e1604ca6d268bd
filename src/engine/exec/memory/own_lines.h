// Memory that shares no cache line with anything else: what one worker writes all the time must not slow another down.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#include "base/support/round_up.h"

namespace drywarp::exec {

inline constexpr std::size_t kLinePair = 128;  // hosts fetch cache lines of 64 bytes in pairs

template <class T>
struct PaddedAllocator {
  using value_type = T;
  PaddedAllocator() = default;
  template <class U>
  PaddedAllocator(const PaddedAllocator<U>&) {}
  static std::size_t bytes(std::size_t count) { return round_up(count * sizeof(T), kLinePair); }
  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(bytes(count), std::align_val_t{kLinePair})); }
  void deallocate(T* memory, std::size_t count) noexcept {
    ::operator delete(memory, bytes(count), std::align_val_t{kLinePair});
  }
  bool operator==(const PaddedAllocator&) const { return true; }
};

template <class T>
using PaddedVector = std::vector<T, PaddedAllocator<T>>;

}  // namespace drywarp::exec
