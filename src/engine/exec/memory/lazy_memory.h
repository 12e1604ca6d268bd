// Zeroed host memory that costs nothing until it is touched.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace drywarp::exec {

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
    void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    data_ = static_cast<uint8_t*>(memory);
    size_ = bytes;
    return true;
  }
  [[nodiscard]] uint8_t* data() const { return data_; }

 private:
  void release() {
    if (data_) ::munmap(std::exchange(data_, nullptr), std::exchange(size_, 0));
  }
  uint8_t* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace drywarp::exec
