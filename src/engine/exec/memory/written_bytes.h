// Which bytes of the device's memory have been written since they were allocated: a bit each, in pages that exist once
// one is set. Thread-safe.
#pragma once

#include <cstdint>

#include "base/access/access_pattern.h"

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
  // Of the lanes those of whose bytes some are not written.
  [[nodiscard]] LaneMask unwritten(const uint64_t* addresses, LaneMask lanes, uint64_t bytes) const;

 private:
  // Runs of bytes that are known to be written whole, so that a look at one of them need not look at its bits. The
  // lowest bit of a run's word says so, the others count how often bytes of it were forgotten.
  static constexpr uint64_t kRunBytes = 1024;
  [[nodiscard]] bool whole_run(uint64_t run) const;
  [[nodiscard]] bool holds(uint64_t address, uint64_t bytes) const {
    return bits_ && address >= base_ && address - base_ <= size_ && bytes <= size_ - (address - base_);
  }
  uint64_t base_, size_;
  uint64_t* bits_ = nullptr;  // null: no room for them
  uint32_t* runs_ = nullptr;  // likewise
};

}  // namespace drywarp::exec
