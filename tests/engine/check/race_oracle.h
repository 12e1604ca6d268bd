// Which accesses of a trace race, by brute force: a node for each lane of each event, an edge for each way in which the
// PTX memory consistency model orders two of them, and the closure of that.
#pragma once

#include <set>
#include <tuple>

#include "race_trace.h"

namespace drywarp::check {

// Two accesses by their instructions, the earlier one first.
struct OracleRace {
  uint32_t earlier = 0, later = 0;
  uint32_t later_event = 0;
  bool write_write = false;
  bool one_warp = false;  // lanes of one warp, neither in a copy
  bool read = false;      // no race: ordered, by a read of the earlier one's value alone
  bool settled = false;   // a race, if one likes: what reads a later write of its word comes before the other one
  // The other way, the lock in whose sections both are would not order them: that of number `loose` lacks a fence
  // behind taking it, or before giving it back. `optional`: it has one for its block, and another thread of that block
  // may stand for it; another lock orders them too, which would have to pass the other way as well; or a write outside
  // of the lock stands for the earlier one.
  bool by_lock = false;
  uint32_t loose = 0;
  bool given = false, optional = false;
  auto operator<=>(const OracleRace&) const = default;
};
[[nodiscard]] std::set<OracleRace> races_of(const Trace& trace);
// The arrivals at barrier objects, by event, that nothing orders behind all arrivals of the phase before, and behind
// all copies that it waited for.
[[nodiscard]] std::set<uint32_t> early_arrivals_of(const Trace& trace);

}  // namespace drywarp::check
