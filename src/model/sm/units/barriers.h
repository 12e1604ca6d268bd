// Barriers of the blocks.
#pragma once

#include <vector>

#include "model/sm/units/schedulers.h"

namespace drywarp::sm {

class BarrierUnits {
 public:
  explicit BarrierUnits(Simulation& simulation) : s(simulation) {}

  Cycles arrive(uint32_t warp, Cycles now);      // the last warp to arrive continues at the time returned
  void leave(ResidentBlock& block, Cycles now);  // a warp of the block has ended: barriers no longer wait for it
  void release_all();

 private:
  Cycles complete(ResidentBlock& block, uint32_t barrier, Cycles now);

  Simulation& s;
  std::vector<uint32_t> released_;  // a buffer of single calls, kept to reuse its memory
};

}  // namespace drywarp::sm
