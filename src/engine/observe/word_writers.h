// Which store or atomic of a launch has written a word of global memory last. Thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/access/access_pattern.h"
#include "base/events/warp_trace.h"

namespace drywarp::observe {

class WordWriters {
 public:
  // Lanes write `bytes` each, at `places`.
  void write(const WriteId& id, const uint64_t* places, LaneMask lanes, uint32_t bytes);
  // The last write of each lane's word; nothing: nobody has written there.
  void find(const uint64_t* places, LaneMask lanes, std::optional<WriteId>* found) const;

 private:
  static constexpr uint32_t kWordBytes = 4, kWords = kLineBytes / kWordBytes;
  using Line = std::array<uint32_t, kWords>;  // by word: index into `writes_` and 1; 0: not written

  mutable std::mutex mutex_;
  std::vector<WriteId> writes_;
  std::unordered_map<uint64_t, Line> lines_;
};

}  // namespace drywarp::observe
