// Walks through the machine code along a warp's trace: the instructions that the warp issues, with their accesses.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/events/warp_trace.h"
#include "model/sm/units/decode.h"

namespace drywarp::sm {

class WarpCursor {
 public:
  WarpCursor() = default;
  WarpCursor(const DecodedKernel& kernel, const WarpTrace& trace);

  // The next instruction; nullptr: the warp has ended.
  [[nodiscard]] const Decoded* current() const { return at_; }
  // The number of lanes that run it.
  [[nodiscard]] unsigned lanes() const { return lanes_; }
  [[nodiscard]] LaneMask mask() const { return mask_; }
  // Its memory access; nullptr: none, as its guard let no lane pass.
  [[nodiscard]] const TraceAccess* access() const {
    if (at_->acts_in == machine::ActsIn::PartsOfWarps && is_whole()) return nullptr;
    if (at_->ahead) return later_access(at_->access);
    return access(at_->access, at_->access_place, at_->step);
  }
  // The access of a load that was merged into this one.
  [[nodiscard]] const TraceAccess* merged(unsigned i) const {
    return access(at_->merged[i], at_->merged_place[i], at_->merged_step[i]);
  }
  // A barrier's record: its number, and how many threads it waits for.
  [[nodiscard]] const TraceAccess* barrier() const;
  // Whether its lanes wait there for others of the warp, which come later: only with the last ones the warp arrives.
  [[nodiscard]] bool other_lanes_come() const;
  // Of a branch to a subroutine for rare cases: the lanes that take it, and their cases; of MATCH: the lanes and how
  // many values they have. nullptr: none take it, or all have one value.
  [[nodiscard]] const TraceAccess* of_instruction() const;
  // Its uses of barrier objects; none: its guard let no lane pass, or no lane went on behind its wait.
  [[nodiscard]] std::span<const ObjectUse> objects() const;
  [[nodiscard]] std::span<const TraceLine> lines(const TraceAccess& access) const {
    return {lines_ + access.first_line, access.line_count};
  }
  void next();
  [[nodiscard]] bool ends_block() const { return at_ + 1 == end_; }
  void repeat_block() { at_ = begin_; }  // the same step of the trace again
  // Whether other lanes run the instruction than the one before: those wait for reconvergence.
  [[nodiscard]] bool diverged() const { return diverged_; }

 private:
  [[nodiscard]] bool is_whole() const { return mask_ == ~LaneMask{0}; }
  // The access in this step of the current block for which `is` returns true; probably at index `place` of the block's.
  // The index of a step of the current path, repeats included; nothing: no lane took that side.
  [[nodiscard]] std::optional<uint32_t> step_of(uint32_t at) const;
  template <typename Is>
  [[nodiscard]] const TraceAccess* find(uint32_t place, uint32_t at, Is is) const;
  [[nodiscard]] const TraceAccess* access(uint32_t number, uint32_t place, uint32_t step) const;
  // The first one in this step or a later one.
  [[nodiscard]] const TraceAccess* later_access(uint32_t number) const;
  bool matches(const DecodedBlock& block);
  void enter();  // finds the machine block for the step that the trace is at
  void begin(const DecodedBlock& block, LaneMask lanes);
  // Where lanes leave an unrolled loop after different numbers of iterations, all copies of it run that any lane needs:
  // of lanes with 8 and 7 iterations those of four twice, of two and of one. The trace has eight iterations.
  void note_copies_owed();
  bool run_copy_owed();

  // Thousands of warps take turns, so a warp's state comes from the host's memory each time. It is small, and the
  // fields that an instruction within a block needs are adjacent.
  const Decoded *at_ = nullptr, *end_ = nullptr;
  LaneMask mask_ = 0;
  unsigned lanes_ = 0;
  bool diverged_ = false;
  uint32_t executed_ = 0;  // steps before the current block's first, repeats included
  uint32_t access_ = 0;    // the current block's first access
  uint32_t access_count_ = 0;
  // The steps of the current path that are in the trace, one bit each; the others are sides that no lane took.
  uint64_t shown_ = 0;
  static_assert(machine::kLongestPath <= 64);
  const TraceAccess* accesses_ = nullptr;
  const TraceLine* lines_ = nullptr;
  // Needed only from block to block, and by instructions that use barrier objects.
  std::span<const ObjectUse> objects_;
  size_t object_ = 0;  // the current block's first
  const DecodedKernel* kernel_ = nullptr;
  const WarpStep* steps_ = nullptr;
  uint32_t step_count_ = 0;
  uint32_t step_ = 0, done_ = 0;  // position in the trace: steps_[step_], after `done_` of its repeats
  uint32_t path_steps_ = 0;       // steps of the trace that the current block covers
  uint32_t next_step_ = 0, next_done_ = 0;
  const Decoded* begin_ = nullptr;  // of the current block
  // Where the trace came to the unrolled loop that the current block is of.
  static constexpr uint32_t kNowhere = ~0u;
  uint32_t loop_step_ = kNowhere;
  struct Copy {
    const DecodedBlock* block;
    LaneMask lanes;
  };
  std::vector<Copy> owed_;  // last first
};

}  // namespace drywarp::sm
