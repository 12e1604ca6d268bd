// Simulates the recorded blocks of a launch. See timing.h.
#pragma once

#include "model/sm/timing.h"
#include "model/sm/units/event_queue.h"
#include "model/sm/units/sm.h"

namespace drywarp::sm {

class Simulator {
 public:
  Simulator(const machine::MachineModel& model, const DecodedKernel& code, const LaunchTrace& trace,
            const SimulatedLaunch& launch);
  bool run(const Watch& watch);  // false: `watch` stopped it

  [[nodiscard]] Cycles end() const { return end_; }
  // Busy cycles of DRAM's channels, in the mean.
  [[nodiscard]] Cycles dram_busy() const { return memory_.l2().dram().mean_channel(); }
  // When each block started, in order; the extrapolation of a sampled launch uses it.
  [[nodiscard]] const std::vector<Cycles>& block_starts() const { return block_starts_; }
  void report(KernelTiming& timing) const;

 private:
  struct Choice {
    Cycles at = kNever;
    uint32_t index = 0;  // in SubPartition::warps
  };

  // ---- dispatch.cpp: starts and ends of blocks
  void dispatch_first();
  bool start_block(uint32_t sm, Cycles now);
  void end_warp(uint32_t warp, Cycles now);

  // ---- simulator.cpp: schedulers
  [[nodiscard]] Choice choose(const SubPartition& part) const;
  void run_part(uint32_t part, Cycles at);  // starting with the warp in chosen_
  void wake(uint32_t part);
  void schedule(uint32_t part, const Choice& next);
  void issue(uint32_t part, uint32_t warp, Cycles now, bool second = false);
  [[nodiscard]] bool can_dual_issue(const SubPartition& part, uint32_t warp, Cycles now) const;
  void account_stalls(const SubPartition& part, Warp& warp, Cycles now);
  Cycles fetch_code(Sm& sm, const Decoded& next, const Decoded* from, Cycles now);
  Cycles fetch_line(Sm& sm, uint32_t line, Cycles now, bool first);
  // When the warp's next instruction and its constant operands are ready. Sets the stall reason if that is later.
  Cycles fetch_next(uint32_t part, const Decoded& next, const Decoded* from, Cycles now, Stall& reason);
  Cycles fetch_constants(uint32_t part, const Decoded& in, Cycles now);
  void make_ready(uint32_t warp, Cycles not_before, Stall reason);
  void release_all_barriers();

  // ---- prefetch.cpp: prefetches into the host's cache
  void prefetch_ahead() const;
  void prefetch_ahead(const Sm& sm) const;                           // for requests that wait for its load-store unit
  static void prefetch_following(std::span<const TraceLine> lines);  // the lines of the warp's next access
  void prefetch_warp(uint32_t warp) const;
  [[nodiscard]] std::span<const TraceLine> global_lines(uint32_t warp) const;

  // ---- effects.cpp: effects of instructions
  struct Effect {
    Cycles result = 0;                 // when the result is ready
    Stall stall_reason = Stall::Wait;  // stall reason of its consumers
    Cycles next = 0;                   // the warp's next issue, if later than usual
    Stall next_reason = Stall::Wait;
  };
  Effect run_instruction(uint32_t part, uint32_t warp, const Decoded& in, Cycles now);
  Cycles arrive_at_barrier(uint32_t warp, Cycles now);  // the last warp to arrive continues at the time returned
  Cycles complete_barrier(ResidentBlock& block, uint32_t barrier, Cycles now);
  void queue_for_adu(SubPartition& part, Cycles taken_out);

  // ---- load_store.cpp: the load-store unit
  // Serves the instruction at once if the unit is free; else queues it, and its result is kNever until it is served.
  Effect submit(uint32_t part, uint32_t warp, const Decoded& in, Cycles now);
  [[nodiscard]] Cycles wavefronts(const Warp& warp, const TraceAccess& access, const Decoded& in) const;
  Cycles serve(const Request& request, Cycles start);  // returns when its result is ready
  Cycles serve_shared(const Request& request, Cycles start);
  Cycles serve_global(const Request& request, Cycles start);
  void wake_unit(uint32_t sm);
  void run_unit(uint32_t sm, Cycles now);  // serves queued requests
  void serve_oldest(uint32_t sm);

  [[nodiscard]] RegisterLine* registers_of(uint32_t warp) {
    return registers_.data() + size_t{warp} * code_.scoreboard_lines;
  }
  [[nodiscard]] const RegisterLine* registers_of(uint32_t warp) const {
    return registers_.data() + size_t{warp} * code_.scoreboard_lines;
  }
  [[nodiscard]] uint32_t sm_of(uint32_t part) const { return parts_[part].sm; }

  const machine::MachineModel& model_;
  const DecodedKernel& code_;
  const uint32_t code_lines_ = code_.code.empty() ? 0 : code_.code.back().code_line + 1;
  const LaunchTrace& trace_;
  const SimulatedLaunch launch_;
  const std::array<Cycles, kExtraLatencies> extra_latency_{
      // by ExtraLatency
      0, static_cast<float>(model_.branch_predicate_cycles), model_.other_pipe_cycles};
  uint32_t warps_per_block_;
  memory::MemorySystem memory_;
  ZeroedArena arena_;  // of the instruction caches
  std::pmr::vector<Warp> warps_{huge_pages()};
  std::pmr::vector<RegisterLine> registers_{huge_pages()};  // of all warps, code_.scoreboard_lines each
  std::vector<uint32_t> free_warps_;
  std::vector<SubPartition> parts_;
  std::vector<Sm> sms_;
  std::vector<ResidentBlock> blocks_;
  std::vector<uint32_t> free_blocks_;
  std::vector<Cycles> block_starts_;
  // Buffers of single calls, kept to reuse their memory.
  std::vector<TraceLine> local_lines_;
  std::vector<TraceLine> frame_lines_;  // of a warp's local memory, by the word of its threads' frames
  std::vector<uint32_t> released_;
  EventQueue events_;  // units of an SM: its sub-partitions, then its load-store unit
  struct Chosen {
    uint32_t index = 0, warp = 0;  // in SubPartition::warps; in warps_
  };
  std::vector<Chosen> chosen_;  // by sub-partition: the warp that issues at its event
  Server dispatcher_;           // processes ends of blocks
  size_t next_block_ = 0;       // of the trace
  Cycles end_ = 0, now_ = 0;
  // Counters of a machine instruction, by its index in the code.
  struct Tally {
    uint64_t issued = 0, lanes = 0;
    StallCycles stalls{};
  };
  [[nodiscard]] Tally& tally_of(const Decoded& in) { return tallies_[static_cast<size_t>(&in - code_.code.data())]; }
  std::vector<Tally> tallies_;
  uint64_t paired_ = 0;  // second instructions of dual issues
  KernelTiming sums_;    // counters that belong to no instruction
};

}  // namespace drywarp::sm
