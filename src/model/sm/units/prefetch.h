// Prefetches simulation state into the host's cache. The warps of a whole GPU and their traces do not fit there, and
// nearly every event is another warp's, so nearly every read would miss. But the next events are known some events
// ahead.
#pragma once

#include <deque>
#include <span>

#include "model/sm/units/simulation.h"

namespace drywarp::sm {

struct Request;

class HostPrefetch {
 public:
  explicit HostPrefetch(const Simulation& simulation) : s(simulation) {}

  void ahead() const;                                       // of the events
  void ahead_of(const std::deque<Request>& waiting) const;  // of requests that wait for a load-store unit
  static void following(std::span<const TraceLine> lines);  // the lines of the warp's next access

 private:
  void warp(uint32_t warp) const;
  [[nodiscard]] std::span<const TraceLine> global_lines(uint32_t warp) const;

  const Simulation& s;
};

}  // namespace drywarp::sm
