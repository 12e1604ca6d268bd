#include "engine/check/barrier_objects.h"

#include <fmt/format.h>

#include <bit>
#include <cstdlib>

#include "base/support/plural.h"

namespace drywarp::check {
namespace {

using ObjectUse = observe::Mbarrier::Use;

constexpr uint32_t kMostArrivals = (1u << 20) - 1;  // PTX ISA, mbarrier: of counts of arrivals and of bytes

uint64_t lane_number(const observe::Mbarrier& u) { return uint64_t{u.warp} * kWarpSize + u.lane; }

std::string lacking(const observe::Mbarrier::State& s) {
  std::string text = fmt::format("its phase lacks {} of {}", s.pending, plural(s.expected, "arrival"));
  if (s.transactions > 0) text += fmt::format(" and {}", plural(uint64_t(s.transactions), "byte"));
  if (s.transactions < 0) text += fmt::format(", and {} came unexpected", plural(uint64_t(-s.transactions), "byte"));
  return text;
}

bool too_many_bytes(const observe::Mbarrier::State& s) {
  return std::abs(s.transactions) > static_cast<int32_t>(kMostArrivals);
}

bool in_use(const observe::Mbarrier::State& s) { return s.pending != s.expected || s.transactions != 0; }

const char* name_of_use(ObjectUse use) {
  constexpr const char* kNames[] = {"initializes",      "invalidates",        "arrives at",
                                    "expects bytes at", "completes bytes of", "waits for"};
  return kNames[static_cast<size_t>(use)];
}

}  // namespace

void BarrierObjects::use(const observe::Mbarrier& u) {
  Object& object = objects_[u.address];
  if (u.lane == static_cast<uint32_t>(std::countr_zero(u.lanes))) {
    // A new instruction: objects that its other lanes use begin when they come.
    for (auto& [address, other] : objects_) other.arriving = 0;
  }
  if (u.use == ObjectUse::Init) {
    initialize(object, u);
  } else {
    begins(object, u);
    if (u.use == ObjectUse::Arrive) arrive(object, u);
    if (u.use == ObjectUse::Wait) wait(object, u);
    if (too_many_bytes(u.after) && !too_many_bytes(u.before))
      report_(FindingKind::BarrierCount, u,
              fmt::format("{} are then to come in its phase: the count holds at most {}",
                          plural(uint64_t(std::abs(u.after.transactions)), "byte"), kMostArrivals));
    if (u.use == ObjectUse::Inval && object.live && in_use(u.before))
      report_(FindingKind::BarrierInUse, u, "it is invalidated while " + lacking(u.before));
  }
  if (u.use != ObjectUse::Init && u.use != ObjectUse::Inval && u.before.phase != u.after.phase) ++object.phases;
  if (u.use == ObjectUse::Inval) object.live = false;
  object.last = u.after;
}

// What every use but the initialization needs: an object, as the last use left it.
void BarrierObjects::begins(Object& object, const observe::Mbarrier& u) {
  const bool changed = object.live && u.before != object.last;
  if (changed) object.overwritten = true, object.live = u.before.valid;
  if (changed || (object.overwritten && !u.before.valid))
    report_(FindingKind::BarrierOverwritten, u,
            fmt::format("a thread {} a barrier object that a store has overwritten since its last use",
                        name_of_use(u.use)));
  else if (!object.live && !u.before.valid)
    report_(FindingKind::BarrierNotInitialized, u,
            fmt::format("a thread {} a barrier object that {}", name_of_use(u.use),
                        object.ever ? "mbarrier.inval has ended" : "nothing has initialized"));
}

void BarrierObjects::initialize(Object& object, const observe::Mbarrier& u) {
  if (u.count == 0 || u.count > kMostArrivals)
    report_(FindingKind::BarrierCount, u, fmt::format("a count of {}: it must be 1 to {}", u.count, kMostArrivals));
  if (object.live && in_use(u.before))
    report_(FindingKind::BarrierInUse, u, "it is initialized again while " + lacking(u.before));
  else if (object.live)
    report_(FindingKind::BarrierInitializedAgain, u, "it is initialized again without mbarrier.inval, which ends it");
  object = {};
  object.live = object.ever = true;
}

void BarrierObjects::arrive(Object& object, const observe::Mbarrier& u) {
  if (object.arriving == 0) object.due = u.before.pending;
  object.arriving += u.count;
  object.lanes[lane_number(u)].arrived = object.phases;
  if (!u.before.valid) return;
  // The lanes of an instruction arrive at once.
  if (object.arriving > object.due && object.arriving - u.count <= object.due)
    report_(FindingKind::BarrierOverflow, u,
            fmt::format("{} at once, where the phase lacks {} of {}",
                        object.arriving == u.count ? plural(u.count, "arrival")
                                                   : fmt::format("more than {}", plural(object.due, "arrival")),
                        object.due, u.before.expected));
  if (!u.completes && u.count >= u.before.pending)
    report_(FindingKind::BarrierOverflow, u,
            fmt::format("{} with .noComplete would complete the phase, which lacks {}", plural(u.count, "arrival"),
                        u.before.pending));
}

void BarrierObjects::wait(Object& object, const observe::Mbarrier& u) {
  Lane& lane = object.lanes[lane_number(u)];
  if (!u.before.valid) return;
  u.tokens ? wait_by_token(lane, object, u) : wait_by_parity(lane, object, u);
  lane.in_vain = u.passed ? std::nullopt : std::optional(u);
}

// By the token of its own arrival, whose phase may be over for longer than the object remembers.
void BarrierObjects::wait_by_token(const Lane& lane, const Object& object, const observe::Mbarrier& u) {
  if (u.passed || !lane.arrived || object.phases < *lane.arrived + 2) return;
  report_(
      FindingKind::BarrierPhase, u,
      fmt::format("it waits for phase {}, in which it arrived, when phase {} is over: the object knows the last one "
                  "alone, and the wait is for phase {}",
                  *lane.arrived, object.phases - 1, object.phases));
}

// Of the phases with that parity the object knows the one that runs and the one before. Who arrived in the phase that
// runs knows that the one before is over. Who waits for a phase twice may do so in vain, but not instead of the next.
void BarrierObjects::wait_by_parity(Lane& lane, const Object& object, const observe::Mbarrier& u) {
  const int64_t awaited = object.phases - (u.passed ? 1 : 0);
  if (u.passed && lane.arrived == object.phases)
    report_(FindingKind::BarrierParity, u,
            fmt::format("it arrived in phase {}, and parity {} waits for phase {}, which is over: it waits for nothing",
                        object.phases, u.count, awaited));
  else if (u.passed && lane.awaited == awaited && !lane.in_vain && !lane.repeated)
    lane.repeated = u;
  else if (lane.repeated && lane.repeated->count != u.count)
    lane.repeated.reset();
  lane.awaited = awaited;
}

void BarrierObjects::finish() {
  for (const auto& [address, object] : objects_) {
    if (!object.live) continue;
    const bool begun = in_use(object.last);
    for (const auto& [number, lane] : object.lanes) {
      if (lane.in_vain && lane.awaited == object.phases && object.last.pending != 0 && begun)
        report_(FindingKind::BarrierAbandoned, *lane.in_vain,
                fmt::format("it waits in vain for phase {}: the block's threads have ended, and {}", object.phases,
                            lacking(object.last)));
      // The phase after the one that it has waited for twice is over, or has begun.
      if (lane.repeated && object.phases + (begun ? 1 : 0) >= *lane.awaited + 2)
        report_(FindingKind::BarrierParity, *lane.repeated,
                fmt::format("it waits again for a phase that it has seen complete, and for no phase of the other "
                            "parity, of {} that have completed: its parity stays {}",
                            object.phases, lane.repeated->count));
    }
  }
}

}  // namespace drywarp::check
