// Which accesses of a block's threads happen before which: a vector clock for each thread. Lanes that synchronize
// together share one, so a barrier costs one number a thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/access/access_pattern.h"

namespace drywarp::check {

class ThreadClocks {
 public:
  explicit ThreadClocks(uint32_t warps);

  // What is known of every thread: the time up to which its accesses happened before.
  struct Clock {
    std::vector<uint32_t> of;     // by thread: warp * 32 + lane
    std::vector<uint32_t> least;  // of each warp's lanes
  };
  using Known = std::shared_ptr<const Clock>;
  // A Clock that grows.
  class Moment {
   public:
    [[nodiscard]] bool empty() const { return of_.empty(); }
    void join(const Known& known);
    void join(const Moment& other);
    void raise(uint32_t thread, uint32_t time) { of_[thread] = std::max(of_[thread], time); }
    void clear() { of_.clear(), last_ = nullptr; }
    [[nodiscard]] Known known() const;

   private:
    std::vector<uint32_t> of_;
    Known last_;  // joined already
  };

  // The time of what a thread does now.
  [[nodiscard]] uint32_t now(uint32_t thread) const { return own_[thread]; }
  // Whether what lanes of a warp did at `when` happens before what the thread does now.
  [[nodiscard]] bool ordered(uint32_t thread, uint32_t warp, LaneMask lanes, uint32_t when) const;

  // What the threads know and have done. It happens before whatever learns the moment.
  void collect(Moment& moment, uint32_t warp, LaneMask lanes) const;
  void learn(uint32_t warp, LaneMask lanes, const Known& known);  // which includes all that the lanes know
  void learn_more(uint32_t thread, const Moment& moment);         // beside what it knows
  void tick(uint32_t warp, LaneMask lanes);                       // what they do later is not collected yet

 private:
  std::vector<Known> known_;
  std::vector<uint32_t> own_;
};

}  // namespace drywarp::check
