#include "model/sm/units/schedulers.h"

namespace drywarp::sm {

// Of the warps that can issue first, the one that Candidates::next() prefers.
Choice choose(const SubPartition& part) {
  const auto next_of = [&](Cycles at) {
    return part.warps.next(at, [&](const Candidate& c) { return units_free(part, c.needs) <= at; });
  };
  // Usually a warp can issue at the next slot.
  if (const uint32_t place = next_of(part.next_slot); place != Candidates::kNone) return {part.next_slot, place};
  const Cycles soonest = part.warps.soonest();
  if (soonest >= kNever) return {};
  if (soonest > part.next_slot)
    if (const uint32_t place = next_of(soonest); place != Candidates::kNone) return {soonest, place};
  Cycles first = kNever;
  for (uint32_t place = 0; place < part.warps.size(); ++place)
    first = std::min(first, std::max(part.warps.ready(place), units_free(part, part.warps[place].needs)));
  return first < kNever ? Choice{first, next_of(first)} : Choice{};
}

void schedule(Simulation& s, uint32_t number, const Choice& next) {
  const SubPartition& part = s.parts[number];
  if (next.at < kNever) s.chosen[number] = {next.index, part.warps[next.index].warp};
  s.events.set(part.sm, part.place, next.at);
}

void wake(Simulation& s, uint32_t number) { schedule(s, number, choose(s.parts[number])); }

void settle(Simulation& s, uint32_t index, uint32_t serial, const Decoded& in, Cycles result) {
  Warp& warp = s.warps[index];
  if (warp.serial != serial) return;
  RegisterLine* registers = s.registers_of(index);
  for (unsigned i = in.reads; i < in.both; ++i) {
    const auto [line, place, extra] = in.registers[i];
    registers[line].at[place] = static_cast<float>(result);
  }
  if (warp.waits || s.parts[warp.part].warps.ready(warp.place) < kNever) return;
  make_ready(s, index, warp.earliest, warp.earliest_reason);
  wake(s, warp.part);
}

void make_ready(Simulation& s, uint32_t index, Cycles not_before, Stall reason) {
  Warp& warp = s.warps[index];
  const Decoded* in = warp.cursor.current();
  warp.earliest = not_before, warp.earliest_reason = reason;
  if (in) {
    const Cycles spaced = warp.spacing[unsigned(in->spaced_after)];
    reason = spaced > not_before ? Stall::Wait : reason;
    not_before = std::max(not_before, spaced);
    if (in->action == Action::Reconverge && warp.settled > not_before) not_before = warp.settled, reason = Stall::Wait;
    // A warp ends, or passes a fence, only after the load-store unit has taken all its instructions.
    const bool ends = in->action == Action::Exit;
    if (warp.pending != 0 && (ends || in->action == Action::Fence || in->action == Action::CopyWait))
      not_before = kNever, reason = ends ? Stall::Drain : Stall::Membar;
    else if (ends && warp.stores_sent > not_before)
      not_before = warp.stores_sent, reason = Stall::Drain;
    const RegisterLine* registers = s.registers_of(index);
    for (unsigned i = 0; i < in->both; ++i) {
      const auto [line, place, extra] = in->registers[i];
      const RegisterLine& r = registers[line];
      const Cycles at = r.at[place] + s.extra_latency[unsigned(extra)];
      const Stall stall_reason = r.stall_reason[place];
      reason = at > not_before ? stall_reason : reason;
      not_before = at > not_before ? at : not_before;
    }
    Candidates& candidates = s.parts[warp.part].warps;
    candidates.set_ready(warp.place, warp.waits ? kNever : not_before);
    candidates[warp.place].needs = *in;
  }
  warp.reason = reason;
}

}  // namespace drywarp::sm
