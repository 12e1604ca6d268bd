#include "engine/check/barrier_objects.h"

#include <fmt/format.h>

#include <bit>

#include "base/support/plural.h"

namespace drywarp::check {
namespace {

using ObjectUse = observe::Mbarrier::Use;

constexpr uint32_t kMostArrivals = (1u << 20) - 1;  // PTX ISA, mbarrier: of counts of arrivals and of bytes

uint64_t lane_number(const observe::Mbarrier& u) { return uint64_t{u.warp} * kWarpSize + u.lane; }

std::string lacking(const observe::Mbarrier::State& s) {
  std::string text = fmt::format("its phase lacks {} of {}", s.pending, plural(s.expected, "arrival"));
  if (s.transactions != 0) text += fmt::format(" and {}", plural(s.transactions, "byte"));
  return text;
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
    if (u.use == ObjectUse::Wait && !u.passed) wait(object, u);
    if ((u.use == ObjectUse::Expect || u.use == ObjectUse::Complete) && u.count > kMostArrivals)
      report_(FindingKind::BarrierCount, u, fmt::format("{} bytes: a phase has at most {}", u.count, kMostArrivals));
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
  object.arrived[lane_number(u)] = object.phases;
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

// By the token of its own arrival, whose phase may be over for longer than the object remembers.
void BarrierObjects::wait(const Object& object, const observe::Mbarrier& u) {
  const auto arrived = object.arrived.find(lane_number(u));
  if (!u.tokens || arrived == object.arrived.end() || object.phases < arrived->second + 2) return;
  report_(
      FindingKind::BarrierPhase, u,
      fmt::format("it waits for phase {}, in which it arrived, when phase {} is over: the object knows the last one "
                  "alone, and the wait is for phase {}",
                  arrived->second, object.phases - 1, object.phases));
}

}  // namespace drywarp::check
