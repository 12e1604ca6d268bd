// Which bytes of the memory of a block have been written since the block began.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "base/access/access_pattern.h"

namespace drywarp::check {

// Of `lanes` memories that are accessed side by side: 1 of a block's shared memory, 32 of a warp's local ones. Places
// far from what a block has are another check's, and count as written.
class BlockBytes {
 public:
  explicit BlockBytes(uint32_t lanes) : lanes_(lanes) {}

  [[nodiscard]] bool written(uint64_t place, uint32_t lane) const {
    const uint64_t at = place * lanes_ + lane;
    return place >= kMost || (at < written_.size() && written_[at] != 0);
  }
  [[nodiscard]] bool written(uint64_t place, uint32_t bytes, uint32_t lane) const {
    for (uint32_t b = 0; b < bytes; ++b)
      if (!written(place + b, lane)) return false;
    return true;
  }
  void write(uint64_t place, uint32_t bytes, uint32_t lane) {
    if (!reach(place, bytes)) return;
    for (uint32_t b = 0; b < bytes; ++b) written_[(place + b) * lanes_ + lane] = 1;
  }
  void forget(uint64_t place, uint32_t lane) {
    if (reach(place, 1)) written_[place * lanes_ + lane] = 0;
  }
  // The same of all memories.
  [[nodiscard]] bool all_written(uint64_t place, uint64_t bytes) const {
    if (place >= kMost) return true;
    const uint64_t at = place * lanes_, size = bytes * lanes_;
    return at + size <= written_.size() && std::memchr(written_.data() + at, 0, size) == nullptr;
  }
  void write_all(uint64_t place, uint64_t bytes) {
    if (reach(place, bytes)) std::memset(written_.data() + place * lanes_, 1, bytes * lanes_);
  }

 private:
  static constexpr uint64_t kMost = uint64_t{1} << 20;  // bytes; more than any GPU's

  bool reach(uint64_t place, uint64_t bytes) {
    if (place >= kMost) return false;
    if (written_.size() < (place + bytes) * lanes_) written_.resize((place + bytes) * lanes_);
    return true;
  }

  const uint32_t lanes_;
  std::vector<uint8_t> written_;  // by place, then by lane
};

}  // namespace drywarp::check
