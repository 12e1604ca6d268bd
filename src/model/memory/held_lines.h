// What an L2 holds between the launches of a program. ncu empties the caches before a launch; in a program a launch
// finds what earlier ones, and copies, have left. (Measured on an H100: kernels on 64 KB to 12 MB, one behind the
// other, take 8 to 40 % less time than with cold caches.)
//
// The least recently used go first, by blocks of four kilobytes: which lines of a launch came last is not known. Each
// partition of the L2 counts as having a copy.
#pragma once

#include <cstdint>
#include <list>
#include <unordered_map>
#include <vector>

#include "base/events/warp_trace.h"
#include "model/memory/parameters.h"

namespace drywarp::memory {

class HeldLines {
 public:
  explicit HeldLines(const L2Parameters& l2);

  // The numbers of the lines of global memory that a launch touches, as far as they are recorded; in ascending order.
  [[nodiscard]] static std::vector<uint64_t> touched(const LaunchTrace& trace);
  // Those of `lines` that the L2 holds.
  [[nodiscard]] std::vector<uint64_t> find(const std::vector<uint64_t>& lines) const;
  void touch(const std::vector<uint64_t>& lines);  // in ascending order
  // A copy or a fill has written these bytes. Addresses are a trace's.
  void write(uint64_t address, uint64_t bytes);
  // Nothing is known any more.
  void forget() { blocks_.clear(), order_.clear(), lines_ = 0; }

 private:
  static constexpr uint64_t kBlockLines = 32;
  struct Block {
    uint32_t held = 0;                    // lines, as a mask
    std::list<uint64_t>::iterator place;  // in order_
  };
  void touch(uint64_t block, uint32_t lines);

  uint64_t capacity_, lines_ = 0;
  std::unordered_map<uint64_t, Block> blocks_;
  std::list<uint64_t> order_;  // of blocks, the last used first
};

}  // namespace drywarp::memory
