// Memory for what is looked at all over, in huge pages where the system has them: of tens of megabytes in pages of 4
// KiB, a host's TLB holds a part, and in a virtual machine a miss of it costs more than one of its caches.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <type_traits>
#include <vector>

namespace drywarp {

// Each allocation from half a huge page on lies in pages of its own, the others where all others do. Thread-safe.
// Throws std::bad_alloc.
[[nodiscard]] std::pmr::memory_resource* huge_pages();

// Zeroed memory that is handed out piece by piece and goes back as a whole. What nobody writes to costs nothing.
class ZeroedArena {
 public:
  ZeroedArena() = default;
  ~ZeroedArena();
  ZeroedArena(ZeroedArena&&) = default;
  ZeroedArena& operator=(ZeroedArena&&) = delete;

  // For `count` objects of a type that zeros are a value of, at the start of a cache line of the host's. Throws
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
