// Barrier objects (mbarrier) of the blocks: arrivals and bytes to come, and the warps that wait for a phase.
#pragma once

#include <span>

#include "model/sm/units/schedulers.h"

namespace drywarp::sm {

class BarrierObjects {
 public:
  explicit BarrierObjects(Simulation& simulation) : s(simulation) {}

  // An instruction uses objects. A wait's result is kNever until its phase is complete.
  Effect use(uint32_t warp, const Decoded& in, Cycles now);
  // Arrivals, and bytes that come or are awaited; they count from `at` on.
  void change(uint32_t block, const ObjectUse& use, Cycles at);
  void release_all();  // lets all warps go on that wait

 private:
  using Object = ResidentBlock::Object;
  [[nodiscard]] Object& object(uint32_t block, uint32_t place);
  void complete(Object& object);

  Simulation& s;
  std::vector<Object::Waiter> released_;  // a buffer of single calls, kept to reuse its memory
};

}  // namespace drywarp::sm
