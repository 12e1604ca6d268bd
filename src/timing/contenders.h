// The warps of a sub-partition, the oldest block's first: all that choosing one to issue looks at, packed.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "timing/decode.h"

namespace drywarp::timing {

using memsys::Cycles;

inline constexpr Cycles kNever = 0x1p60;  // a float holds it exactly

// What a warp's next instruction needs, beside its operands.
struct Contender {
  uint32_t warp = 0;
  uint32_t block = 0;  // tells the warps of one from the others'
  uint32_t turn = 0;   // who has a lower one issued longer ago
  machine::Pipe pipe : 5 {};
  Queue queue : 2 {};
  bool alone : 1 = false;  // nobody outside of the sub-partition sees what it does
  int8_t bank_lead[kRegisterBanks] = {};
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
    if (ready_.size() < warps_.size()) ready_.resize(ready_.size() + kStep, kNever);
    ready_[warps_.size() - 1] = 0;
  }
  void remove(uint32_t place) {
    warps_.erase(warps_.begin() + place);
    std::copy(ready_.begin() + place + 1, ready_.end(), ready_.begin() + place);
    ready_.back() = kNever;
  }

  // When the first has its operands.
  [[nodiscard]] Cycles soonest() const {
    std::array<Cycles, kStep> least;
    least.fill(kNever);
    for (size_t i = 0; i < ready_.size(); i += kStep)
      for (size_t k = 0; k < kStep; ++k) least[k] = std::min(least[k], ready_[i + k]);
    return std::min(std::min(least[0], least[1]), std::min(least[2], least[3]));
  }
  // Of those that have their operands by then and `can`, the one to issue: of the oldest block that has any, the one
  // that issued longest ago. kNone: there is none. So an H200 does: warps of a block that do the same come equally far,
  // and of blocks that together fill a multiprocessor the oldest are through first.
  template <typename Can>
  [[nodiscard]] uint32_t next(Cycles by, Can can) const {
    uint32_t best = kNone;
    for (uint32_t i = 0; i < ready_.size(); i += kStep) {
      unsigned set = 0;
      for (uint32_t k = 0; k < kStep; ++k) set |= unsigned{ready_[i + k] <= by} << k;
      for (; set != 0; set &= set - 1) {
        const uint32_t place = i + static_cast<uint32_t>(std::countr_zero(set));
        if (best != kNone && warps_[place].block != warps_[best].block) return best;
        if ((best == kNone || warps_[place].turn < warps_[best].turn) && can(place)) best = place;
      }
    }
    return best;
  }
  void issues(uint32_t place) { warps_[place].turn = ++turns_; }

  // One behind it that has its operands by then, if there is one near by.
  [[nodiscard]] uint32_t after(uint32_t place, Cycles by) const {
    const uint32_t i = place / kStep * kStep;
    unsigned set = 0;
    for (uint32_t k = 0; k < kStep; ++k) set |= unsigned{ready_[i + k] <= by} << k;
    set &= ~1u << (place - i);
    return set != 0 ? i + static_cast<uint32_t>(std::countr_zero(set)) : kNone;
  }

  // Brings it into the host's cache.
  void prefetch() const {
    for (size_t i = 0; i < ready_.size(); i += 64 / sizeof(Cycles)) __builtin_prefetch(ready_.data() + i);
    for (size_t i = 0; i < warps_.size(); i += 64 / sizeof(Contender)) __builtin_prefetch(warps_.data() + i);
  }

 private:
  static constexpr uint32_t kStep = 4;
  std::vector<Contender> warps_;
  uint32_t turns_ = 0;
  std::vector<Cycles> ready_;  // kNever behind the last, up to a multiple of kStep
};

}  // namespace drywarp::timing
