#include "engine/check/object_phases.h"

#include <fmt/format.h>

#include <algorithm>

namespace drywarp::check {

// Whether all arrivals of the phase that is over happen before the use.
bool ObjectPhases::knows_last_phase(const Object& object, const observe::Mbarrier& u, const ThreadClocks& clocks) {
  const BlockTimes& known = clocks.known(u.warp, u.lane)->own;
  return std::ranges::all_of(object.before, [&](const Arrival& a) {
    const LaneMask others = a.lanes & ~(a.warp == u.warp ? LaneMask{1} << u.lane : 0);
    return others == 0 || (a.warp < known.size() && (others & ~known[a.warp].reached(a.time)) == 0);
  });
}

std::string ObjectPhases::use(const observe::Mbarrier& u, const ThreadClocks& clocks) {
  using Use = observe::Mbarrier::Use;
  Object& object = objects_[u.address];
  if (u.use == Use::Init) {
    object = {};
    object.ever = true, object.last = u.after;
    return {};
  }
  object.of_others |= object.ever && u.before != object.last;
  object.ever = true, object.last = u.after;
  if (object.of_others || !u.before.valid) return {};
  Lane& lane = object.lanes[u.warp * kWarpSize + u.lane];
  std::string wrong;
  const auto unknown = [&] {
    return object.phases != 0 && lane.awaited != object.phases && !knows_last_phase(object, u, clocks);
  };
  if (u.use == Use::Arrive) {
    if (unknown())
      wrong = fmt::format(
          "it arrives in phase {}, and nothing orders that behind all arrivals of phase {}: there it would count for "
          "one "
          "that is then missing in the next",
          object.phases, object.phases - 1);
    lane.arrived = object.phases + 1;
    const Time time = clocks.now(u.warp);
    if (!object.now.empty() && object.now.back().warp == u.warp && object.now.back().time == time)
      object.now.back().lanes |= LaneMask{1} << u.lane;
    else
      object.now.push_back({u.warp, LaneMask{1} << u.lane, time});
  }
  if (u.use == Use::Wait) {
    // The parity of the phase behind its own, which is that of the one before its own, too.
    if (!u.tokens && lane.arrived != 0 && lane.arrived == object.phases && u.count == (object.last.phase & 1) &&
        unknown())
      wrong = fmt::format(
          "it arrived in phase {}, and parity {} waits for phase {}: as long as phase {} runs, which nothing orders "
          "before "
          "that, it waits for nothing",
          object.phases - 1, u.count, object.phases, object.phases - 1);
    if (!wrong.empty() || u.passed) lane.arrived = 0;
    if (u.passed) lane.awaited = object.phases;
  }
  if (u.ends_phase()) {
    ++object.phases;
    object.before = std::exchange(object.now, {});
  }
  return wrong;
}

}  // namespace drywarp::check
