// Memory for random access, in huge pages where the system has them: with pages of 4 KiB, tens of megabytes exceed the
// host's TLB, and in a virtual machine a TLB miss costs more than a cache miss.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <type_traits>
#include <vector>

namespace drywarp {

// Allocations of half a huge page and more get pages of their own; smaller ones come from the heap. Thread-safe. Throws
// std::bad_alloc.
[[nodiscard]] std::pmr::memory_resource* huge_pages();

// An arena of zeroed memory that is freed as a whole. Untouched memory costs nothing.
class ZeroedArena {
 public:
  ZeroedArena() = default;
  ~ZeroedArena();
  ZeroedArena(ZeroedArena&&) = default;
  ZeroedArena& operator=(ZeroedArena&&) = delete;

  // Memory for `count` objects for which all zeros is a valid value, aligned to a cache line of the host. Throws
  // std::bad_alloc.
  template <typename T>
  [[nodiscard]] T* take(size_t count) {
    static_assert(std::is_trivially_destructible_v<T>);
    return static_cast<T*>(take_bytes(count * sizeof(T)));
  }

 private:
  [[nodiscard]] void* take_bytes(size_t bytes);
  struct Pages {
    std::byte* memory = nullptr;
    size_t bytes = 0;
  };
  std::vector<Pages> pages_;
  size_t used_ = 0;  // of the last
};

}  // namespace drywarp
