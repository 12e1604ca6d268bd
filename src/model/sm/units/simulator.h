// Simulates the recorded blocks of a launch. See timing.h.
#pragma once

#include "model/sm/timing.h"
#include "model/sm/units/event_queue.h"
#include "model/sm/units/sm.h"

namespace drywarp::sm {

class Simulator {
 public:
  Simulator(const machine::MachineModel& model, const DecodedKernel& code, const LaunchTrace& trace,
            const SimulatedLaunch& shape);
  bool run(const Watch& watch);  // false: `watch` stopped it

  [[nodiscard]] Cycles end() const { return end_; }
  // Cycles that the mean channel of DRAM was in use.
  [[nodiscard]] Cycles dram_busy() const { return memory_.l2().dram().mean_channel(); }
  // When each block began, in order: what the extrapolation of a sampled launch stands on.
  [[nodiscard]] const std::vector<Cycles>& block_starts() const { return block_starts_; }
  void report(KernelTiming& timing) const;

 private:
  struct Candidate {
    Cycles at = kNever;
    uint32_t index = 0;  // in SubPartition::warps
  };

  // ---- dispatch.cpp: blocks come and go
  void dispatch_first();
  bool start_block(uint32_t sm, Cycles now);
  void end_warp(uint32_t warp, Cycles now);

  // ---- simulator.cpp: who issues when
  [[nodiscard]] Candidate choose(const SubPartition& part) const;
  void run_part(uint32_t part, Cycles at);  // from the issue on that was chosen for it
  void wake(uint32_t part);
  void schedule(uint32_t part, const Candidate& next);
  void issue(uint32_t part, uint32_t warp, Cycles now, bool second = false);
  [[nodiscard]] bool pairs(const SubPartition& part, uint32_t warp, Cycles now) const;
  void account(const SubPartition& part, Warp& warp, Cycles now);
  Cycles fetch(Sm& sm, const Decoded& next, const Decoded* from, Cycles now);
  Cycles bring_code(Sm& sm, uint32_t line, Cycles now, bool first);
  // When the warp's next instruction and its operands that are constants are there; what it waits for, if it does.
  Cycles bring(uint32_t part, const Decoded& next, const Decoded* from, Cycles now, Stall& reason);
  Cycles constants_there(uint32_t part, const Decoded& in, Cycles now);
  void make_ready(uint32_t warp, Cycles not_before, Stall reason);
  void release_everyone();

  // ---- look_ahead.cpp: the host's cache
  void look_ahead() const;
  void look_ahead(const Sm& sm) const;                        // to what waits for its load-store unit
  static void look_behind(std::span<const TraceLine> lines);  // where the warp's next access has its lines
  void prefetch_warp(uint32_t warp) const;
  [[nodiscard]] std::span<const TraceLine> global_lines(uint32_t warp) const;

  // ---- effects.cpp: what an instruction does
  // When its result is there, and what waits for it.
  struct Effect {
    Cycles result = 0;
    Stall waits_for = Stall::Wait;
    Cycles next = 0;  // the warp's next issue, if later than usual ...
    Stall next_reason = Stall::Wait;
  };
  Effect run_instruction(uint32_t part, uint32_t warp, const Decoded& in, Cycles now);
  Cycles arrive(uint32_t warp, Cycles now);  // the last to come goes on at the time returned, as do the others
  Cycles complete(ResidentBlock& block, uint32_t barrier, Cycles now);
  void take_adu(SubPartition& part, Cycles taken_out);

  // ---- load_store.cpp: the load-store unit
  // At once, if the unit is free; else the instruction waits, and its result is there kNever until the unit takes it.
  Effect ask(uint32_t part, uint32_t warp, const Decoded& in, Cycles now);
  [[nodiscard]] Cycles wavefronts(const Warp& warp, const TraceAccess& access, const Decoded& in) const;
  Cycles serve(const Request& request, Cycles start);  // when its result is there
  Cycles serve_shared(const Request& request, Cycles start);
  Cycles serve_global(const Request& request, Cycles start);
  void wake_unit(uint32_t sm);
  void run_unit(uint32_t sm, Cycles now);  // takes what waits and can be taken
  void serve_first(uint32_t sm);

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
  const SimulatedLaunch shape_;
  const std::array<Cycles, kLates> late_{
      // by Late
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
  // Of the call under way, here for their memory: a local access's lines; warps that waited at a barrier.
  std::vector<TraceLine> local_lines_;
  std::vector<uint32_t> released_;
  EventQueue events_;  // of an SM's sub-partitions, and of its load-store unit, which is behind them
  struct Chosen {
    uint32_t index = 0, warp = 0;  // in SubPartition::warps; in warps_
  };
  std::vector<Chosen> chosen_;  // by sub-partition: who issues at its event
  Server dispatcher_;           // notes the ends of blocks, one after the other
  size_t next_block_ = 0;       // of the trace
  Cycles end_ = 0, now_ = 0;
  // What each machine instruction did, by its place in the code.
  struct Tally {
    uint64_t issued = 0, lanes = 0;
    StallCycles stalls{};
  };
  [[nodiscard]] Tally& tally_of(const Decoded& in) { return tallies_[static_cast<size_t>(&in - code_.code.data())]; }
  std::vector<Tally> tallies_;
  uint64_t paired_ = 0;  // instructions that went together with the one before them
  KernelTiming sums_;    // of what belongs to no instruction
};

}  // namespace drywarp::sm
