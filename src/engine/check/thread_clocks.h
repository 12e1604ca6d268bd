// Which accesses of a launch happen before which: a vector clock for each thread. Time is counted by the warp, lanes
// that synchronize together share what they know, and of other blocks a thread knows only what it has learned, so a
// barrier costs a number a warp.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/access/access_pattern.h"

namespace drywarp::check {

using Time = uint32_t;  // of a warp: grows with each synchronization of one of its lanes

// The time up to which the accesses of each lane of one warp are known.
class WarpTimes {
 public:
  [[nodiscard]] Time least() const { return least_; }
  // The lanes that are known up to a time.
  [[nodiscard]] LaneMask reached(Time time) const;
  [[nodiscard]] bool reached(uint32_t lane, Time time) const {
    return least_ >= time || (each_ && (*each_)[lane] >= time);
  }
  void raise(LaneMask lanes, Time time);
  void join(const WarpTimes& o);
  // Known to be the same: equal ones may have arrays of their own.
  [[nodiscard]] bool shares(const WarpTimes& o) const { return least_ == o.least_ && each_ == o.each_; }
  // Known to be no earlier.
  [[nodiscard]] bool covers(const WarpTimes& o) const { return shares(o) || (!o.each_ && o.least_ <= least_); }

 private:
  using Lanes = std::array<Time, kWarpSize>;
  [[nodiscard]] Lanes all() const;
  void set(const Lanes& lanes);

  Time least_ = 0;
  std::shared_ptr<const Lanes> each_;  // null: all lanes have the least. It does not change while others have it.
};
// Of a block, by warp; then, by warp, of its asynchronous copies, which run beside the thread that issues them. Those
// that are missing are not known at all.
using BlockTimes = std::vector<WarpTimes>;
void join(BlockTimes& times, const BlockTimes& more);

// What of a block a thread knows; null: nothing.
struct Clock;
[[nodiscard]] const BlockTimes* times_of(const Clock& known, uint64_t block, uint64_t own);

// By number of the block, ascending.
using OtherBlocks = std::vector<std::pair<uint64_t, std::shared_ptr<const BlockTimes>>>;
void join(OtherBlocks& blocks, const OtherBlocks& more);

// Those that a thread knows, and more. What it knows already costs no copy.
class GrowingBlocks {
 public:
  explicit GrowingBlocks(std::shared_ptr<const OtherBlocks> known) : known_(std::move(known)) {}
  void join(const std::shared_ptr<const OtherBlocks>& more);
  // Removes a block; null: it is not there.
  std::shared_ptr<const BlockTimes> take(uint64_t block);
  [[nodiscard]] std::shared_ptr<const OtherBlocks> result();

 private:
  [[nodiscard]] const OtherBlocks* now() const { return grown_ ? grown_.get() : known_.get(); }
  OtherBlocks& mine();
  std::shared_ptr<const OtherBlocks> known_;
  std::shared_ptr<OtherBlocks> grown_;       // null: no more than `known_`
  std::shared_ptr<const OtherBlocks> last_;  // joined: many say the same
};

// What a thread knows.
struct Clock {
  BlockTimes own;                             // of its block
  std::shared_ptr<const OtherBlocks> others;  // null: none
};
using Known = std::shared_ptr<const Clock>;
void join(Clock& clock, const Clock& more);

// A Clock that grows.
class Moment {
 public:
  [[nodiscard]] bool empty() const { return !any_; }
  void join(const Known& known);
  void join(const Moment& more);
  void raise(uint32_t row, LaneMask lanes, Time time);
  void clear() { *this = {}; }
  [[nodiscard]] Known known() const { return std::make_shared<Clock>(clock_); }

 private:
  Clock clock_;
  Known last_;  // joined already
  bool any_ = false;
};

// The clocks of a block's threads.
class ThreadClocks {
 public:
  // `absent`: lanes of the last warp that there are none of.
  void begin(uint32_t warps, LaneMask absent);
  [[nodiscard]] uint32_t warps() const { return static_cast<uint32_t>(warps_.size()); }
  // The rows of a warp and of its copies in BlockTimes.
  [[nodiscard]] uint32_t copies_of(uint32_t warp) const { return warps() + warp; }

  // The time of what a warp's lanes do now.
  [[nodiscard]] Time now(uint32_t warp) const { return warps_[warp].now; }
  [[nodiscard]] const Known& known(uint32_t warp, uint32_t lane) const {
    const Warp& w = warps_[warp];
    return w.each ? (*w.each)[lane] : w.common;
  }
  // Visits lanes in parts that know the same.
  template <class Visit>
  void for_knowing(uint32_t warp, LaneMask lanes, Visit visit) const {
    const Warp& w = warps_[warp];
    if (!w.each) {
      visit(w.common, lanes);
      return;
    }
    while (lanes != 0) {
      const Known& first = (*w.each)[static_cast<unsigned>(std::countr_zero(lanes))];
      LaneMask same = 0;
      for (LaneMask left = lanes; left != 0; left &= left - 1)
        if ((*w.each)[static_cast<unsigned>(std::countr_zero(left))] == first) same |= left & -left;
      visit(first, same);
      lanes &= ~same;
    }
  }

  // What the lanes know and have done. It happens before whatever learns the moment.
  void collect(Moment& moment, uint32_t warp, LaneMask lanes) const;
  void learn(uint32_t warp, LaneMask lanes, const Known& known);       // which includes all that the lanes know
  void learn_more(uint32_t warp, LaneMask lanes, const Clock& clock);  // beside what they know
  void tick(uint32_t warp) { ++warps_[warp].now; }                     // what its lanes do later is not collected yet
  // Lanes that have accessed no memory since the block's last barrier end: others need not wait to know of them.
  void end(uint32_t warp, LaneMask lanes) { warps_[warp].absent |= lanes; }
  [[nodiscard]] LaneMask absent(uint32_t warp) const { return warps_[warp].absent; }

 private:
  struct Warp {
    Time now = 1;
    LaneMask absent = 0;
    Known common;                                        // of all lanes
    std::unique_ptr<std::array<Known, kWarpSize>> each;  // not null: of each
  };
  std::vector<Warp> warps_;
};

}  // namespace drywarp::check
