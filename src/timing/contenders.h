// The warps of a sub-partition, the oldest block's first: all that choosing one to issue looks at, packed.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "timing/decode.h"
#include "timing/times.h"

namespace drywarp::timing {

struct Contender {
  uint32_t warp = 0;
  uint32_t block = 0;  // the older, the lower
  uint32_t turn = 0;   // who has a lower one issued longer ago
  IssueNeeds needs{};  // of its next instruction
};
static_assert(sizeof(Contender) == 16);

class Contenders {
 public:
  static constexpr uint32_t kNone = ~0u;
  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(warps_.size()); }
  [[nodiscard]] Contender& operator[](uint32_t place) { return warps_[place]; }
  [[nodiscard]] const Contender& operator[](uint32_t place) const { return warps_[place]; }
  // When the operands of its next instruction are there; kNever: it waits at a barrier.
  [[nodiscard]] Cycles ready(uint32_t place) const { return ready_[place]; }
  void set_ready(uint32_t place, Cycles at) { ready_[place] = at; }

  void add(uint32_t warp, uint32_t block) {
    warps_.push_back({.warp = warp, .block = block});
    if (ready_.size() < warps_.size()) ready_.resize(ready_.size() + kTimes, kNever);
    ready_[warps_.size() - 1] = 0;
  }
  void remove(uint32_t place) {
    warps_.erase(warps_.begin() + place);
    std::copy(ready_.begin() + place + 1, ready_.end(), ready_.begin() + place);
    ready_.back() = kNever;
  }

  // When the first has its operands.
  [[nodiscard]] Cycles soonest() const { return least(ready_.data(), ready_.size()); }
  // Of those that have their operands by then and `can`, the one to issue: of the oldest block that has any, the one
  // that issued longest ago. kNone: there is none. So an H200 does: warps of a block that do the same come equally far,
  // and of blocks that together fill a multiprocessor the oldest are through first.
  template <typename Can>
  [[nodiscard]] uint32_t next(Cycles by, Can can) const {
    uint32_t best = kNone, turn = 0, block = 0;
    for (uint32_t i = 0; i < ready_.size(); i += kTimes)
      for (uint32_t set = not_later(ready_.data() + i, by); set != 0; set &= set - 1) {
        const uint32_t place = i + static_cast<uint32_t>(std::countr_zero(set));
        const Contender& warp = warps_[place];
        if (best != kNone && warp.block != block) return best;
        // Nobody could guess where branches go here.
        const bool better = can(warp) & (best == kNone || warp.turn < turn);
        turn = better ? warp.turn : turn;
        best = better ? place : best;
        block = warp.block;
      }
    return best;
  }
  void issues(uint32_t place) { warps_[place].turn = ++turns_; }

  // Brings it into the host's cache.
  void prefetch() const {
    for (size_t i = 0; i < ready_.size(); i += 64 / sizeof(Cycles)) __builtin_prefetch(ready_.data() + i);
    for (size_t i = 0; i < warps_.size(); i += 64 / sizeof(Contender)) __builtin_prefetch(warps_.data() + i);
  }

 private:
  std::vector<Contender> warps_;
  uint32_t turns_ = 0;
  std::vector<Cycles> ready_;  // kNever behind the last, up to a multiple of kTimes
};

}  // namespace drywarp::timing
