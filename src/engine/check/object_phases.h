// The phases of a block's barrier objects, by what orders their uses: what counts for one phase in this run, and for
// another one in another order.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/check/thread_clocks.h"
#include "engine/observe/observer.h"

namespace drywarp::check {

class ObjectPhases {
 public:
  struct Judged {
    std::string wrong;  // what is wrong with the use; empty: nothing
    // Of a wait that has passed: the thread learns what the completion of the last phase tells, or of the one so many
    // before that; nothing: it may have waited for nothing.
    std::optional<uint32_t> learns = 0;
  };
  // Before the clocks learn of the use. `waited`: up to which time the lane has waited for its own copies.
  [[nodiscard]] Judged use(const observe::Mbarrier& use, const ThreadClocks& clocks, Time waited);
  // The object's phase waits for copies, too: of lanes of a warp, up to a time.
  void copies(uint64_t address, uint32_t warp, LaneMask lanes, Time time);
  static constexpr uint32_t kKept = 16;  // phases of an object of which arrivals are known

 private:
  struct Arrival {
    uint32_t warp = 0;
    LaneMask lanes = 0;
    Time time = 0;
    bool copies = false;  // of the warp's asynchronous copies
  };
  struct Lane {
    uint32_t awaited = 0;       // so many phases it has certainly seen complete
    uint32_t arrived = 0;       // in this phase, from 1, last; 0: it has waited since
    uint32_t last_arrival = 0;  // likewise, whatever it has waited for
  };
  struct Object {
    uint32_t phases = 0;  // that have completed
    std::optional<Arrival> init;
    bool ever = false;
    bool of_others = false;  // other blocks use it: what they do is not told
    observe::Mbarrier::State last;
    std::vector<Arrival> now;                 // in the phase that runs
    std::deque<std::vector<Arrival>> before;  // in the last ones that have completed
    std::map<uint32_t, Lane> lanes;           // by warp and lane
  };
  struct Thread {
    uint32_t warp = 0, lane = 0;
    const ThreadClocks& clocks;
    Time waited = 0;
    // Whether an arrival happens before what it does now.
    [[nodiscard]] LaneMask knows(const Arrival& a) const;
    [[nodiscard]] bool knows_all(const std::vector<Arrival>& phase) const;
    [[nodiscard]] bool knows_any(const std::vector<Arrival>& phase) const;
  };
  static void add(Object& object, const Arrival& arrival);
  static uint32_t certain_phases(const Object& object, const Lane& lane, const Thread& thread);
  static uint32_t learned(const Object& object, const Lane& lane, const Thread& thread);

  std::map<uint64_t, Object> objects_;  // by address
};

}  // namespace drywarp::check
