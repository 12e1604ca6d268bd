// Fences for the device, of the warps of one multiprocessor: MEMBAR for the device's scope and what follows it.
//
// A fence goes to wherever the multiprocessor's accesses have gone since the last one: to the far half of the L2 if one
// of them has. Behind none it is sooner done. Fences take turns, and where writes are in flight each waits for those
// that others wait for. (Measured on an H200: 266 cycles with nothing to wait for; 387 behind a store, a load or an
// atomic in the near half, done or not, and 486 in the mean over all multiprocessors; 64 warps that do nothing else
// take 10 cycles a fence, and with a store before each 620 cycles and 10 more for each warp.)
#pragma once

#include <algorithm>
#include <vector>

#include "model/memory/memory_system.h"

namespace drywarp::sm {

using memory::Cycles;

// What a fence takes: behind nothing; behind accesses to the near half of the L2, and how much longer to the far one;
// between two of a multiprocessor.
struct FenceCost {
  double idle = 0, behind = 0, farther = 0, interval = 0;
};

class Fences {
 public:
  // The load-store unit serves an access to global memory. `far`: one of its lines has its home in the other half.
  void access(Cycles at, bool far) {
    accessed_ = std::max(accessed_, at);
    if (far) accessed_far_ = std::max(accessed_far_, at);
  }
  // A warp issues a fence. Returns when it goes on.
  Cycles issue(Cycles now, bool writes_in_flight, const FenceCost& cost) {
    std::erase_if(pending_, [&](const Pending& p) {
      if (p.end > now) return false;
      fenced_ = std::max(fenced_, p.begin);
      return true;
    });
    Cycles latency = accessed_ <= fenced_ ? cost.idle : cost.behind + (accessed_far_ > fenced_ ? cost.farther : 0);
    if (writes_in_flight) latency += cost.interval * static_cast<double>(pending_.size());
    const Cycles end = turns_.take(now, cost.interval) + latency;
    pending_.push_back({now, end});
    return end;
  }

 private:
  struct Pending {
    Cycles begin = 0, end = 0;
  };
  std::vector<Pending> pending_;              // whose warps still wait
  Cycles accessed_ = -1, accessed_far_ = -1;  // last
  Cycles fenced_ = 0;                         // accesses until then have been waited for
  memory::Server turns_;
};

}  // namespace drywarp::sm
