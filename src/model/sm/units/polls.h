// Loops that poll a word which another warp writes. A trace has the iteration that saw the write and whose write it
// was; this unit repeats that iteration until the write has reached the L2, and all that it builds on: of a counter,
// the additions of all others, in whatever order they arrive here.
//
// A write that is not simulated has happened: that of a block outside the simulated part of the grid, or of one that
// has not started. On a GPU the poll would wait for that block; here its time is not known.
#pragma once

#include <span>
#include <vector>

#include "model/sm/units/simulation.h"

namespace drywarp::sm {

class PollUnits {
 public:
  explicit PollUnits(Simulation& simulation);

  [[nodiscard]] bool any() const { return !writes_.empty(); }
  // The warp starts: number `warp` of a block of the trace.
  void start(uint32_t index, const BlockTrace& block, uint32_t warp);
  // The warp issues an access to global memory.
  void issues(uint32_t index, const TraceAccess& access);
  // The load-store unit has served an access to global memory: when it was at the L2.
  void served(uint32_t index, const TraceAccess& access, bool writes, Cycles at_l2);
  // The warp has issued the last instruction of a machine block. Whether it polled there in vain, and repeats the
  // block.
  [[nodiscard]] bool repeats(uint32_t index);
  void end(uint32_t index, Cycles now);  // the warp ends

 private:
  static constexpr uint32_t kNone = ~0u;
  struct Write {
    WriteId id;
    Cycles at = kNever;        // when it has reached the L2
    uint32_t before = kNone;   // on which it builds: in `writes_`
    Cycles complete = kNever;  // when all of these have, too
    uint32_t missing = kNone;  // one that had not when it was looked up last
  };
  struct WarpPolls {
    const WarpTrace* trace = nullptr;
    uint32_t next_write = 0, end_writes = 0;  // of the warp, not yet done: in `writes_`
    uint32_t next_poll = 0;                   // in WarpTrace::awaited: before it, polls have seen what they await
    uint32_t poll = kNone;                    // of the machine block at hand: its access that awaits writes
    Cycles polled = kNever;                   // when that was at the L2
  };
  // The number of an access in the warp's trace.
  [[nodiscard]] static uint32_t number_of(const WarpPolls& warp, const TraceAccess& access);
  void done(WarpPolls& warp, uint32_t access, Cycles at);
  [[nodiscard]] bool has_happened(const WriteId& write, Cycles at);
  [[nodiscard]] bool is_simulated(const WriteId& write) const;
  [[nodiscard]] bool has_come(const Write& write) const { return write.at < kNever || !is_simulated(write.id); }
  // When a write, and all that it builds on, have come; kNever: not yet.
  Cycles complete(Write& write);

  Simulation& s;
  std::vector<Write> writes_;     // that polls await, ascending
  std::vector<WarpPolls> warps_;  // as Simulation::warps
  uint64_t started_ = 0;          // blocks
  uint64_t in_vain_ = 0;          // polls since the last write that one awaits
};

}  // namespace drywarp::sm
