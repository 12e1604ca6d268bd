// Issue: a sub-partition sends the chosen warp's instruction to its unit.
#pragma once

#include "base/events/rare_cases.h"
#include "model/sm/units/bulk_copies.h"
#include "model/sm/units/dispatch.h"
#include "model/sm/units/load_store.h"
#include "model/sm/units/matrix_groups.h"
#include "model/sm/units/swap_loops.h"

namespace drywarp::sm {

// Where asynchronous instructions go.
struct AsynchronousUnits {
  BarrierObjects& objects;
  CopyGroups& copy_groups;
  BulkCopyUnits& copies;
  MatrixGroups& groups;
};

class Issue {
 public:
  Issue(Simulation& simulation, InstructionFetch& fetch, LoadStoreUnits& load_store, BarrierUnits& barriers,
        AsynchronousUnits asynchronous, BlockDispatch& dispatch, PollUnits& polls)
      : s(simulation),
        fetch_(fetch),
        load_store_(load_store),
        barriers_(barriers),
        asynchronous_(asynchronous),
        dispatch_(dispatch),
        polls_(polls) {}

  void run(uint32_t part, Cycles at);                        // starting with the warp in Simulation::chosen
  [[nodiscard]] uint64_t paired() const { return paired_; }  // second instructions of dual issues

 private:
  void issue(uint32_t part, uint32_t warp, Cycles now, bool second = false);
  // What the subroutine for rare cases adds to a warp with such lanes; nothing: it has none.
  RareCaseCost run_rare_cases(SubPartition& part, const Warp& warp);
  // For how long an instruction keeps its SM's address divergence unit, and what it takes beyond its latency.
  struct AduWork {
    double interval = 0, more_latency = 0;  // cycles
  };
  [[nodiscard]] AduWork adu_work(const Decoded& in, const Warp& warp) const;
  Effect call_system(uint32_t sm, const Decoded& in, const Warp& warp, Cycles now);
  Cycles fence(Sm& sm, const Warp& warp, Cycles now) const;
  Effect run_instruction(uint32_t part, uint32_t warp, const Decoded& in, Cycles now);
  [[nodiscard]] bool can_dual_issue(const SubPartition& part, uint32_t warp, Cycles now) const;
  template <bool kRecorded>
  void account_stalls(const SubPartition& part, Warp& warp, Cycles now);
  static void queue_for_adu(SubPartition& part, Cycles taken_out);

  Simulation& s;
  InstructionFetch& fetch_;
  LoadStoreUnits& load_store_;
  BarrierUnits& barriers_;
  AsynchronousUnits asynchronous_;
  BlockDispatch& dispatch_;
  PollUnits& polls_;
  SwapLoops swap_loops_{s};
  uint64_t paired_ = 0;
};

}  // namespace drywarp::sm
