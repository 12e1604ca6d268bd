#include "engine/check/object_phases.h"

#include <fmt/format.h>

#include <algorithm>

namespace drywarp::check {

// Those of its lanes that the thread knows, or is itself.
LaneMask ObjectPhases::Thread::knows(const Arrival& a) const {
  const BlockTimes& known = clocks.known(warp, lane)->own;
  const uint32_t row = a.copies ? clocks.copies_of(a.warp) : a.warp;
  LaneMask lanes = row < known.size() ? a.lanes & known[row].reached(a.time) : 0;
  if (a.warp == warp && (!a.copies || waited >= a.time)) lanes |= a.lanes & LaneMask{1} << lane;
  return lanes;
}

bool ObjectPhases::Thread::knows_all(const std::vector<Arrival>& phase) const {
  return std::ranges::all_of(phase, [&](const Arrival& a) { return knows(a) == a.lanes; });
}
bool ObjectPhases::Thread::knows_any(const std::vector<Arrival>& phase) const {
  return std::ranges::any_of(phase, [&](const Arrival& a) { return knows(a) != 0; });
}

// So many phases are complete in every run in which the thread comes so far: it has waited for the last of them, or
// knows all its arrivals, or one of the next.
uint32_t ObjectPhases::certain_phases(const Object& object, const Lane& lane, const Thread& thread) {
  uint32_t least = std::max(lane.awaited, lane.last_arrival == 0 ? 0 : lane.last_arrival - 1);
  if (thread.knows_any(object.now)) return object.phases;
  uint32_t phase = object.phases;
  for (auto arrivals = object.before.rbegin(); arrivals != object.before.rend() && phase > least; ++arrivals) {
    if (thread.knows_all(*arrivals)) return phase;
    --phase;
    if (thread.knows_any(*arrivals)) least = std::max(least, phase);
  }
  return phase > least ? object.phases : least;  // what is not known any more counts as complete
}

// A wait by parity lets through in the phase behind the one with that parity, and in each second one behind that. Of
// those that may run when the thread comes, it may come in the first.
uint32_t ObjectPhases::learned(const Object& object, const Lane& lane, const Thread& thread) {
  // It waited for the phase before, or arrived behind that.
  if (std::max(lane.awaited + 1, lane.last_arrival) >= object.phases) return object.phases;
  const uint32_t certain = certain_phases(object, lane, thread);
  return (object.phases - certain) % 2 == 0 ? certain : certain + 1;
}

void ObjectPhases::add(Object& object, const Arrival& a) {
  Arrival* const last = object.now.empty() ? nullptr : &object.now.back();
  if (last && last->warp == a.warp && last->time == a.time && last->copies == a.copies)
    last->lanes |= a.lanes;
  else
    object.now.push_back(a);
}

void ObjectPhases::copies(uint64_t address, uint32_t warp, LaneMask lanes, Time time) {
  add(objects_[address], {warp, lanes, time, true});
}

ObjectPhases::Judged ObjectPhases::use(const observe::Mbarrier& u, const ThreadClocks& clocks, Time waited) {
  using Use = observe::Mbarrier::Use;
  Object& object = objects_[u.address];
  if (u.use == Use::Init) {
    object = {};
    object.ever = true, object.last = u.after;
    object.init = Arrival{u.warp, LaneMask{1} << u.lane, clocks.now(u.warp)};
    return {};
  }
  object.of_others |= object.ever && u.before != object.last;
  object.ever = true, object.last = u.after;
  Judged judged;
  if (object.of_others || !u.before.valid) return judged;
  Lane& lane = object.lanes[u.warp * kWarpSize + u.lane];
  const Thread thread{u.warp, u.lane, clocks, waited};
  std::string& wrong = judged.wrong;
  // Blocks of a cluster may order it by a fence and a relaxed arrival, which no clock has.
  const bool of_program = u.instruction != InstructionInfo::kNone && !u.in_cluster;
  if (of_program && object.init && thread.knows(*object.init) == 0) {
    wrong =
        "nothing orders it behind the object's initialization by another thread: there may be no barrier object yet";
    object.init.reset();  // once
  }
  const auto unknown = [&] {
    return !object.before.empty() && lane.awaited != object.phases && !thread.knows_all(object.before.back());
  };
  if (u.use == Use::Arrive) {
    if (wrong.empty() && unknown())
      wrong = fmt::format(
          "it arrives in phase {}, and nothing orders that behind all arrivals of phase {}: there it would count for "
          "one "
          "that is then missing in the next",
          object.phases, object.phases - 1);
    lane.arrived = lane.last_arrival = object.phases + 1;
    add(object, {u.warp, LaneMask{1} << u.lane, clocks.now(u.warp)});
  }
  if (u.use == Use::Wait) {
    // The parity of the phase behind its own, which is that of the one before its own, too.
    if (wrong.empty() && !u.tokens && lane.arrived != 0 && lane.arrived == object.phases &&
        u.count == (object.last.phase & 1) && unknown())
      wrong = fmt::format(
          "it arrived in phase {}, and parity {} waits for phase {}: as long as phase {} runs, which nothing orders "
          "before "
          "that, it waits for nothing",
          object.phases - 1, u.count, object.phases, object.phases - 1);
    if (!wrong.empty() || u.passed) lane.arrived = 0;
    if (u.passed) {
      const uint32_t seen = u.tokens ? object.phases : learned(object, lane, thread);
      judged.learns = seen == 0 ? std::nullopt : std::optional(object.phases - seen);
      lane.awaited = std::max(lane.awaited, seen);
    }
  }
  if (u.ends_phase()) {
    ++object.phases;
    object.before.push_back(std::exchange(object.now, {}));
    if (object.before.size() > kKept) object.before.pop_front();
  }
  return judged;
}

}  // namespace drywarp::check
