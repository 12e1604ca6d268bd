// Block dispatch: starts and ends blocks on SMs.
#pragma once

#include <vector>

#include "model/sm/units/barriers.h"
#include "model/sm/units/fetch.h"
#include "model/sm/units/polls.h"

namespace drywarp::sm {

class BlockDispatch {
 public:
  BlockDispatch(Simulation& simulation, InstructionFetch& fetch, BarrierUnits& barriers, PollUnits& polls)
      : s(simulation), fetch_(fetch), barriers_(barriers), polls_(polls) {}

  void start_first();
  void end_warp(uint32_t warp, Cycles now);
  // When each block started, in order; the extrapolation of a sampled launch uses it.
  [[nodiscard]] const std::vector<Cycles>& starts() const { return block_starts_; }

 private:
  bool start_block(uint32_t sm, Cycles now);
  uint32_t next_part(Sm& sm, uint32_t number, uint32_t warps_per_block);  // the next warp's sub-partition
  uint32_t place_block();
  uint32_t place_warp();

  Simulation& s;
  InstructionFetch& fetch_;
  BarrierUnits& barriers_;
  PollUnits& polls_;
  std::vector<uint32_t> free_warps_, free_blocks_;  // in Simulation
  std::vector<Cycles> block_starts_;
  Server dispatcher_;      // processes ends of blocks
  size_t next_block_ = 0;  // of the trace
};

}  // namespace drywarp::sm
