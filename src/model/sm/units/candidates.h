// The warps of a sub-partition as candidates for issue, those of the oldest block first, with packed data for choosing.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "model/sm/units/decode.h"
#include "model/sm/units/times.h"

namespace drywarp::sm {

struct Candidate {
  uint64_t order = 0;  // priority, lowest first: the number of its block, then the number of its last issue
  uint32_t warp = 0;
  IssueNeeds needs{};  // of its next instruction
  [[nodiscard]] uint32_t block() const { return static_cast<uint32_t>(order >> kBlockAt); }
  static constexpr unsigned kBlockAt = 32;
};
static_assert(sizeof(Candidate) == 16);

class Candidates {
 public:
  static constexpr uint32_t kNone = ~0u;
  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(warps_.size()); }
  [[nodiscard]] Candidate& operator[](uint32_t place) { return warps_[place]; }
  [[nodiscard]] const Candidate& operator[](uint32_t place) const { return warps_[place]; }
  // When the operands of its next instruction are ready; kNever: it waits at a barrier.
  [[nodiscard]] Cycles ready(uint32_t place) const { return ready_[place]; }
  void set_ready(uint32_t place, Cycles at) { set_time(ready_.data(), place, at); }

  void add(uint32_t warp, uint32_t block) {
    warps_.push_back({.order = uint64_t{block} << Candidate::kBlockAt, .warp = warp});
    if (ready_.size() < warps_.size()) ready_.resize(ready_.size() + kTimes, kNever);
    ready_[warps_.size() - 1] = 0;
  }
  void remove(uint32_t place) {
    warps_.erase(warps_.begin() + place);
    std::copy(ready_.begin() + place + 1, ready_.end(), ready_.begin() + place);
    ready_.back() = kNever;
  }

  // When the first warp has its operands.
  [[nodiscard]] Cycles soonest() const { return least(ready_.data(), ready_.size()); }
  // The warp to issue, of those that have their operands by then and for which `can` is true: of the oldest block that
  // has any, the least recently issued; kNone: none. An H200 shows this policy: equal warps of a block progress
  // equally, and the oldest of the resident blocks end first.
  template <typename Can>
  [[nodiscard]] uint32_t next(Cycles by, Can can) const {
    for (uint32_t from = 0; from < ready_.size(); from += kScanned) {
      const uint32_t count = std::min(static_cast<uint32_t>(ready_.size()) - from, kScanned);
      uint64_t ready = 0;
      for (uint32_t i = 0; i < count; i += kTimes) ready |= uint64_t{not_later(&ready_[from + i], by)} << i;
      while (ready != 0) {  // usually the first one can
        const uint32_t place = first_of(&warps_[from], ready);
        if (can(warps_[from + place])) return from + place;
        ready &= ~(uint64_t{1} << place);
      }
    }
    return kNone;
  }
  void issues(uint32_t place) {
    uint64_t& order = warps_[place].order;
    order = order >> Candidate::kBlockAt << Candidate::kBlockAt | ++turns_;
  }

 private:
  static constexpr uint32_t kScanned = 64;  // one bit each; no sub-partition so far has more warps

  // The first in the order among those places, one bit each. There is at least one.
  [[nodiscard]] static uint32_t first_of(const Candidate* warps, uint64_t places) {
    uint32_t first = static_cast<uint32_t>(std::countr_zero(places));
    uint64_t order = warps[first].order;
    for (const uint32_t block = warps[first].block(); (places &= places - 1) != 0;) {
      const uint32_t place = static_cast<uint32_t>(std::countr_zero(places));
      const Candidate& other = warps[place];
      if (other.block() != block) break;  // older blocks precede
      first = other.order < order ? place : first;
      order = std::min(other.order, order);
    }
    return first;
  }

  std::vector<Candidate> warps_;
  uint32_t turns_ = 0;
  std::vector<Cycles> ready_;  // kNever behind the last, up to a multiple of kTimes
};

}  // namespace drywarp::sm
