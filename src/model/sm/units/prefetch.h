// Prefetches simulation state into the host's cache. The warps of a whole GPU and their traces do not fit there, and
// nearly every event is another warp's, so nearly every read would miss. But the next events are known some events
// ahead.
#pragma once

#include <deque>
#include <span>

#include "model/sm/units/simulation.h"

namespace drywarp::sm {

struct Request;

void prefetch_events(const Simulation& s);                                        // what the next events read
void prefetch_requests(const Simulation& s, const std::deque<Request>& waiting);  // what a unit's next requests read
void prefetch_following(std::span<const TraceLine> lines);                        // the lines of the warp's next access

}  // namespace drywarp::sm
