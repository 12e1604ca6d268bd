// The phases of a block's barrier objects, by what orders their uses: what counts for one phase in this run, and for
// another one in another order.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/check/thread_clocks.h"
#include "engine/observe/observer.h"

namespace drywarp::check {

class ObjectPhases {
 public:
  // Before the clocks learn of the use. What is wrong with it; empty: nothing.
  [[nodiscard]] std::string use(const observe::Mbarrier& use, const ThreadClocks& clocks);

 private:
  struct Arrival {
    uint32_t warp = 0;
    LaneMask lanes = 0;
    Time time = 0;
  };
  struct Lane {
    uint32_t awaited = 0;  // so many phases it has seen complete
    uint32_t arrived = 0;  // in this phase, from 1, last; 0: it has waited since
  };
  struct Object {
    uint32_t phases = 0;  // that have completed
    bool ever = false;
    bool of_others = false;  // other blocks use it: what they do is not told
    observe::Mbarrier::State last;
    std::vector<Arrival> now, before;  // in the phase that runs, and in the one before
    std::map<uint32_t, Lane> lanes;    // by warp and lane
  };
  [[nodiscard]] static bool knows_last_phase(const Object& object, const observe::Mbarrier& use,
                                             const ThreadClocks& clocks);

  std::map<uint64_t, Object> objects_;  // by address
};

}  // namespace drywarp::check
