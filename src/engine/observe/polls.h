// Takes iterations that polled in vain out of a warp's trace: how often a loop polls depends on the order in which
// warps run here. Two kinds of loops poll. Those that wait for a barrier object: an iteration goes if its wait did not
// pass and nothing else happened in it. Those that read what other blocks write (PollingCode): an iteration goes if it
// went through blocks alone that change nothing, and the same lanes begin the next one.
#pragma once

#include <span>

#include "base/events/poll_loop.h"
#include "base/events/warp_trace.h"
#include "engine/observe/observer.h"

namespace drywarp::observe {

// The loops of a kernel, to look up by block.
class PollLoops {
 public:
  explicit PollLoops(PollingCode code);
  [[nodiscard]] bool any() const { return !loops_.empty(); }
  [[nodiscard]] const PollLoop* starting_at(uint32_t block) const {
    return block < at_.size() && at_[block] != kNone ? &loops_[at_[block]] : nullptr;
  }
  [[nodiscard]] bool reads(uint32_t access) const { return access < reads_.size() && reads_[access]; }
  [[nodiscard]] bool changes_nothing(uint32_t access) const {
    return access < unchanging_.size() && unchanging_[access];
  }

 private:
  static constexpr uint32_t kNone = ~0u;
  std::vector<PollLoop> loops_;
  std::vector<uint32_t> at_;              // by block
  std::vector<bool> reads_, unchanging_;  // by access
};

// Of one warp.
class Polls {
 public:
  // Call before the step is added to the trace. `executed`: its instructions; `steps`: how many the trace has, repeats
  // included; `dropped`: the instructions of iterations that were taken out.
  void step(WarpTrace& trace, const PollLoops& loops, const Step& next, uint64_t executed, uint32_t& steps,
            uint64_t& dropped);
  // A wait of the last step did not pass.
  void in_vain() { failed_ = true; }
  // The warp has written, or met others: the iteration at hand was not in vain.
  void acts() { acted_ = true; }
  // Lanes begin to poll, in an iteration that may be in vain.
  [[nodiscard]] bool polling() const { return loop_ != nullptr; }

 private:
  struct Place {
    size_t steps = 0, accesses = 0, lines = 0, objects = 0, awaited = 0;
    uint32_t repeats = 0;   // of the last step
    uint32_t executed = 0;  // steps, repeats included
    uint64_t instructions = 0;
  };
  void go_back(WarpTrace& trace, const Place& place, uint32_t& steps, uint64_t& dropped);

  Place last_;  // before the last step
  Step last_step_;
  bool failed_ = false;  // a wait of the last step
  // A step whose wait was in vain; none: the iteration has done something else since.
  bool polled_ = false;
  Place poll_;
  Step poll_step_;
  uint64_t instructions_ = 0;  // of all steps so far, those that were taken out included
  // The iteration of a loop that reads what others write; null: none goes on.
  const PollLoop* loop_ = nullptr;
  Place begin_;
  LaneMask lanes_ = 0;
  bool acted_ = false;
};

}  // namespace drywarp::observe
