// Walks a warp's trace through the machine code: the instructions that this warp issues, in order, each with what it
// did to memory.
#pragma once

#include <span>

#include "base/events/warp_trace.h"
#include "model/sm/units/decode.h"

namespace drywarp::sm {

class WarpCursor {
 public:
  WarpCursor() = default;
  WarpCursor(const DecodedKernel& kernel, const WarpTrace& trace);

  // The instruction that comes next; nullptr: the warp has ended.
  [[nodiscard]] const Decoded* current() const { return at_; }
  // How many lanes run it.
  [[nodiscard]] unsigned lanes() const { return lanes_; }
  [[nodiscard]] LaneMask mask() const { return mask_; }
  // What it does to memory; nullptr: nothing, because its guard let no lane pass.
  [[nodiscard]] const TraceAccess* access() const { return access(at_->access, at_->access_place); }
  // ... of another access in the same step: a load that was merged into this one.
  [[nodiscard]] const TraceAccess* merged(unsigned i) const { return access(at_->merged[i], at_->merged_place[i]); }
  // The access that a barrier has: its number and how many threads it waits for.
  [[nodiscard]] const TraceAccess* barrier() const;
  [[nodiscard]] std::span<const TraceLine> lines(const TraceAccess& access) const {
    return {lines_ + access.first_line, access.line_count};
  }
  void next();
  // Where the current instruction's access most likely is.
  [[nodiscard]] const TraceAccess* upcoming() const { return accesses_ + access_ + (at_ ? at_->access_place : 0); }
  // Whether the next instruction is another block's.
  [[nodiscard]] bool leaves_block() const { return at_ + 1 == end_; }
  // Where the trace goes on behind the current block.
  [[nodiscard]] const WarpStep* behind() const { return steps_ + next_step_; }
  // Whether the instruction is run by other lanes than the one before: those wait until they meet.
  [[nodiscard]] bool parted() const { return parted_; }

 private:
  // The access of the current instruction for which `is`, which most likely stands at that place among the block's.
  template <typename Is>
  [[nodiscard]] const TraceAccess* find(uint32_t place, Is is) const;
  [[nodiscard]] const TraceAccess* access(uint32_t number, uint32_t place) const;
  bool matches(const DecodedBlock& block);
  void enter();  // finds the machine block for the step that the trace is at

  // Thousands of warps take turns, so that what a warp looks at comes from the host's memory each time: it is little,
  // and what an instruction needs within a block lies together.
  const Decoded *at_ = nullptr, *end_ = nullptr;
  LaneMask mask_ = 0;
  unsigned lanes_ = 0;
  bool parted_ = false;
  uint32_t executed_ = 0;  // steps before the current block's first, counted one by one
  uint32_t access_ = 0;    // the first access that no block before this one took
  uint32_t access_count_ = 0;
  // The steps of the current path that the trace shows, a bit each; the others are sides that no lane took.
  uint64_t shown_ = 0;
  static_assert(machine::kLongestPath <= 64);
  const TraceAccess* accesses_ = nullptr;
  const TraceLine* lines_ = nullptr;
  // From block to block.
  const DecodedKernel* kernel_ = nullptr;
  const WarpStep* steps_ = nullptr;
  uint32_t step_count_ = 0;
  uint32_t step_ = 0, done_ = 0;  // place in the trace: steps[step_], of which so many repeats are done
  uint32_t path_steps_ = 0;       // steps of the trace that the current block covers
  uint32_t next_step_ = 0, next_done_ = 0;
};

}  // namespace drywarp::sm
