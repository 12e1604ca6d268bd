// Which bytes of the device's memory have been written since they were allocated: a bit each, in pages that exist once
// one is set. Thread-safe.
#pragma once

#include <cstdint>

namespace drywarp::exec {

class WrittenBytes {
 public:
  WrittenBytes(uint64_t base, uint64_t size);
  ~WrittenBytes();
  WrittenBytes(const WrittenBytes&) = delete;
  WrittenBytes& operator=(const WrittenBytes&) = delete;

  void mark(uint64_t address, uint64_t bytes);
  void forget(uint64_t address, uint64_t bytes);
  // Bytes outside the range count as written.
  [[nodiscard]] bool written(uint64_t address, uint64_t bytes) const;

 private:
  [[nodiscard]] bool holds(uint64_t address, uint64_t bytes) const {
    return bits_ && address >= base_ && address - base_ <= size_ && bytes <= size_ - (address - base_);
  }
  uint64_t base_, size_;
  uint64_t* bits_ = nullptr;  // null: no room for them
};

}  // namespace drywarp::exec
