// Host memory of blocks and workers.
#pragma once

#include <sys/mman.h>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include "base/support/round_up.h"

namespace drywarp::exec {

// Zeroed host memory that costs nothing until it is touched.
class LazyMemory {
 public:
  LazyMemory() = default;
  ~LazyMemory() { release(); }
  LazyMemory(const LazyMemory&) = delete;
  LazyMemory& operator=(const LazyMemory&) = delete;

  // At least `bytes`, page-aligned; what was there before is gone. False: the system has no more address space.
  bool allocate(size_t bytes) {
    release();
    if (bytes == 0) return true;
    bytes += 2 * kApart;
    void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    data_ = static_cast<uint8_t*>(memory) + kApart;
    size_ = bytes;
    return true;
  }
  [[nodiscard]] uint8_t* data() const { return data_; }

 private:
  void release() {
    if (data_) ::munmap(std::exchange(data_, nullptr) - kApart, std::exchange(size_, 0));
  }
  // Addresses on both sides that nothing else has: an overrun by a generic address does not reach another memory of the
  // block. On a GPU the windows of shared and local memory are 16 MiB each.
  static constexpr size_t kApart = size_t{1} << 20;

  uint8_t* data_ = nullptr;
  size_t size_ = 0;
};

inline constexpr std::size_t kLinePair = 128;  // hosts fetch cache lines of 64 bytes in pairs

// Allocates memory that shares no cache line with anything else: what one worker writes all the time must not slow
// another down.
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
