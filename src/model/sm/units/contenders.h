// The warps of a sub-partition, the oldest block's first: all that choosing one to issue looks at, packed.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "model/sm/units/decode.h"
#include "model/sm/units/times.h"

namespace drywarp::sm {

struct Contender {
  uint64_t order = 0;  // its block, the older, the lower; below that: who has a lower one issued longer ago
  uint32_t warp = 0;
  IssueNeeds needs{};  // of its next instruction
  [[nodiscard]] uint32_t block() const { return static_cast<uint32_t>(order >> kBlockAt); }
  static constexpr unsigned kBlockAt = 32;
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
    warps_.push_back({.order = uint64_t{block} << Contender::kBlockAt, .warp = warp});
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
    for (uint32_t from = 0; from < ready_.size(); from += kTogether) {
      const uint32_t count = std::min(static_cast<uint32_t>(ready_.size()) - from, kTogether);
      uint64_t ready = 0;
      for (uint32_t i = 0; i < count; i += kTimes) ready |= uint64_t{not_later(&ready_[from + i], by)} << i;
      while (ready != 0) {  // mostly the first who would like to can
        const uint32_t place = first_of(&warps_[from], ready);
        if (can(warps_[from + place])) return from + place;
        ready &= ~(uint64_t{1} << place);
      }
    }
    return kNone;
  }
  void issues(uint32_t place) {
    uint64_t& order = warps_[place].order;
    order = order >> Contender::kBlockAt << Contender::kBlockAt | ++turns_;
  }

  // Brings it into the host's cache.
  void prefetch() const {
    for (size_t i = 0; i < ready_.size(); i += 64 / sizeof(Cycles)) __builtin_prefetch(ready_.data() + i);
    for (size_t i = 0; i < warps_.size(); i += 64 / sizeof(Contender)) __builtin_prefetch(warps_.data() + i);
  }

 private:
  static constexpr uint32_t kTogether = 64;  // a bit each: more than any sub-partition so far has warps

  // The first in the order among those places, a bit each, of which there is one.
  [[nodiscard]] static uint32_t first_of(const Contender* warps, uint64_t places) {
    uint32_t first = static_cast<uint32_t>(std::countr_zero(places));
    uint64_t order = warps[first].order;
    for (const uint32_t block = warps[first].block(); (places &= places - 1) != 0;) {
      const uint32_t place = static_cast<uint32_t>(std::countr_zero(places));
      const Contender& other = warps[place];
      if (other.block() != block) break;  // older blocks come first
      first = other.order < order ? place : first;
      order = std::min(other.order, order);
    }
    return first;
  }

  std::vector<Contender> warps_;
  uint32_t turns_ = 0;
  std::vector<Cycles> ready_;  // kNever behind the last, up to a multiple of kTimes
};

}  // namespace drywarp::sm
