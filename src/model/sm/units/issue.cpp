#include "model/sm/units/issue.h"

#include <algorithm>
#include <bit>

namespace drywarp::sm {
namespace {

// How far a sub-partition may run ahead of the others with instructions that affect only itself.
constexpr Cycles kAhead = 8;

}  // namespace

void Issue::run(uint32_t number, Cycles at) {
  SubPartition& part = s.parts[number];
  // The choice is still valid: whatever could change it wakes the sub-partition.
  Choice next = {at, s.chosen[number].index};
  for (;;) {
    if (next.at >= kNever) return schedule(s, number, next);
    if (next.at > s.events.quiet_until() + (part.warps[next.index].needs.local_only ? kAhead : 0))
      return schedule(s, number, next);
    s.now = std::max(s.now, next.at);
    issue(number, part.warps[next.index].warp, next.at);
    next = choose(part);
  }
}

// Attributes the cycles since the warp's last issue to stall reasons, and records them in this order.
template <bool kRecorded>
void Issue::account_stalls(const SubPartition& part, Warp& warp, Cycles now) {
  const Decoded& in = *warp.cursor.current();
  StallCycles& here = s.tally_of(in).stalls;
  const auto add_to = [&](StallCycles& sums, Stall stall, Cycles cycles) {
    if (cycles <= 0) return;
    sums[unsigned(stall)] += cycles;
    if constexpr (kRecorded) s.recorder->warp_waits(warp.slot, stall, cycles);
  };
  const auto add = [&](Stall stall, Cycles cycles) { add_to(here, stall, cycles); };
  s.sums.eligible_warp_cycles += 1;
  Cycles at = warp.last_issue + 1;
  here[unsigned(Stall::Selected)] += 1;
  const Cycles ready = part.warps.ready(warp.place);
  const Cycles waited = std::max(0.0, ready - at);
  // The stall belongs to the instruction that cannot issue; at a barrier, to the barrier and not to the next
  // instruction.
  add_to(warp.reason == Stall::Barrier ? s.tally_of(*warp.last).stalls : here, warp.reason, waited);
  at = std::max(at, ready);
  if (now <= at) return;
  const Cycles queue = std::min(part.queue_free[unsigned(in.queue)], now);
  add(in.throttle, queue - at);
  at = std::max(at, queue);
  // Other warps occupied the pipe or the operands' banks. In cycles in which they issued, this warp was not selected;
  // in the rest of their time no warp could issue.
  Cycles others = now - at;
  const auto blocked = [&](Stall stall, Cycles until, double share) {
    if (until <= at || share <= 0) return;
    const Cycles cycles = std::min(until - at, others) * share;
    add(stall, cycles);
    others -= cycles;
  };
  blocked(in.throttle, part.pipe_free[unsigned(in.pipe)], in.pipe_share);
  blocked(Stall::Dispatch, part.held_until, part.held_share);
  blocked(Stall::Dispatch, banks_free(part, in), part.bank_share());
  add(Stall::NotSelected, others);
  s.sums.eligible_warp_cycles += std::max(0.0, others);
}

// Whether the warp's next instruction can issue together with the one that has just issued.
bool Issue::can_dual_issue(const SubPartition& part, uint32_t index, Cycles now) const {
  const Decoded& in = *s.warps[index].cursor.current();
  if (in.action == Action::Branch || in.action == Action::Barrier || in.action == Action::Exit) return false;
  const RegisterLine* registers = s.registers_of(index);
  for (unsigned i = 0; i < in.both; ++i)
    if (Cycles{registers[in.registers[i].line].at[in.registers[i].place]} > now) return false;
  return std::max(part.pipe_free[unsigned(in.pipe)], part.queue_free[unsigned(in.queue)]) < now + 1;
}

// `second`: the second instruction of a dual issue.
void Issue::issue(uint32_t number, uint32_t index, Cycles now, bool second) {
  SubPartition& part = s.parts[number];
  Warp& warp = s.warps[index];
  const Decoded& in = *warp.cursor.current();
  const bool recorded = number < s.recorded_parts;
  if (second)
    ++paired_;
  else if (recorded)
    account_stalls<true>(part, warp, now);
  else
    account_stalls<false>(part, warp, now);
  if (recorded) s.recorder->warp_issues(warp.slot, static_cast<uint32_t>(&in - s.code.code.data()), now, second);
  Tally& tally = s.tally_of(in);
  ++tally.issued;
  tally.lanes += warp.cursor.lanes();
  part.next_slot = now + in.slots;
  if (Cycles{in.slots} > s.model.issue_interval) part.held_share = in.slots_share, part.held_until = part.next_slot;
  Cycles& pipe_free = part.pipe_free[unsigned(in.pipe)];
  pipe_free = std::max(pipe_free, now) + in.issue;
  for (unsigned b = 0; b < kRegisterBanks; ++b)
    if (in.bank_reads[b] != 0) part.bank_free[b] = std::max(part.bank_free[b], now) + in.bank_reads[b];
  ++part.issues, part.bank_waits += in.bank_waits;
  warp.last_issue = now;
  part.warps.issues(warp.place);
  warp.last = &in;
  if (in.spacing_kind != machine::Spacing::None)
    warp.spacing[unsigned(in.spacing_kind)] = now + s.model.spacing[unsigned(in.spacing_kind)];
  if (in.settles != 0) warp.settled = std::max(warp.settled, now + in.settles);
  Effect effect = run_instruction(number, index, in, now);
  RegisterLine* registers = s.registers_of(index);
  for (unsigned i = in.reads; i < in.both; ++i) {
    const auto [line, place, extra] = in.registers[i];
    registers[line].at[place] = static_cast<float>(effect.result);
    registers[line].stall_reason[place] = effect.stall_reason;
  }
  if (in.repeats_swap) {
    const SwapLoops::Iterations more = swap_loops_.iterate(index, in, now);
    part.next_slot += more.issue_cycles;
    effect.next = std::max(effect.next, more.end);
    if (more.again) return make_ready(s, index, effect.next, effect.next_reason);
  }
  if (polls_.any() && warp.cursor.ends_block() && polls_.repeats(index)) {
    warp.cursor.repeat_block();
    pipe_free = std::max(pipe_free, now + s.model.taken_branch_interval);
    Stall reason = effect.next_reason;
    const Cycles ready =
        fetch_.next(number, *warp.cursor.current(), &in, std::max(now + in.next_issue[0], effect.next), reason);
    return make_ready(s, index, ready, reason);
  }
  const LaneMask before = warp.cursor.mask();
  const bool ends_block = warp.cursor.ends_block();
  warp.cursor.next();
  if (!warp.cursor.current()) return dispatch_.end_warp(index, now);
  if (in.action == Action::Branch && in.system == machine::SystemCall::None) {
    // The branch around the subroutine of rare cases is taken.
    const bool taken = in.rare_path || in.calls || warp.cursor.current() != &in + 1;
    // The next block begins later where results of this one are still to come.
    const Cycles late = std::max(0.0, warp.settled - (now + s.model.branch_not_taken_cycles));
    if (taken)
      pipe_free = std::max(pipe_free, now + s.model.taken_branch_interval);
    else if (!in.repeats_swap)
      effect.next = now + s.model.branch_not_taken_cycles;
    effect.next += late + (in.rare_path ? effect.result - now : 0);
  } else if (ends_block && warp.settled > effect.next) {
    effect.next = warp.settled, effect.next_reason = Stall::Wait;
  }
  if (in.is_table_jump) {
    effect.next = std::max(in.by_pointer ? effect.next : 0, now + s.model.table_jump_latency);
    warp.table_lanes |= before & ~warp.cursor.mask();
  }
  // Each group of lanes issues the BSYNC where it waits for the others; the one in the code counts for the last group.
  const LaneMask after = warp.cursor.mask();
  const bool by_table = (warp.table_lanes & after) != 0;
  if ((after & ~before) != 0) warp.table_lanes &= ~after;
  if (((in.reconverges || in.by_pointer) && after != before && (after & ~before) == 0) ||
      (by_table && warp.cursor.diverged() && warp.table_lanes != 0)) {
    ++s.sums.issued;
    part.next_slot += s.model.issue_interval;
  }
  if (warp.cursor.diverged()) {
    effect.next =
        std::max(effect.next, now + 1) + (by_table ? s.model.table_divergence_cycles : s.model.divergence_cycles);
    effect.next_reason = Stall::BranchResolving;
  }
  // Within a block the compiler says how long the warp waits. Behind it, the next instruction waits for the same pipe:
  // see Decoded::known_pipe.
  const bool same_pipe = unsigned(warp.cursor.current()->pipe) == in.known_pipe;
  const Cycles earliest = now + (ends_block ? in.next_issue[same_pipe ? 1 : 0] : Cycles{in.stall});
  Stall reason = effect.next > earliest ? effect.next_reason : Stall::Wait;
  const Cycles ready = fetch_.next(number, *warp.cursor.current(), &in, std::max(earliest, effect.next), reason);
  make_ready(s, index, ready, reason);
  if (s.model.dual_issue && !second && ready <= now + 1 && can_dual_issue(part, index, now))
    issue(number, index, now, true);
}

void Issue::queue_for_adu(SubPartition& part, Cycles taken_out) {
  part.adu_queue[part.adu_at] = taken_out;
  part.adu_at = part.adu_at + 1 == part.adu_queue.size() ? 0 : part.adu_at + 1;
  Cycles& room = part.queue_free[unsigned(Queue::Shared)];
  room = std::max(room, part.adu_queue[part.adu_at]);
}

// The system's code is not simulated: its time is measured, and warps of the whole device take turns.
Effect Issue::call_system(uint32_t number, const Decoded& in, const Warp& warp, Cycles now) {
  const unsigned which = unsigned(in.system);
  const auto& cost = s.model.system_calls[which];
  const double others = warp.cursor.lanes() - 1.0;
  // A slice of the machine shares this with the rest.
  const double turn = (cost.device_cycles + others * cost.device_lane_cycles) / s.model.memory.l2.atomic_unit_share;
  const Cycles start = s.system_turns[which].take(now, turn);
  bool& known = s.sms[number].called_before[which];
  Effect effect;
  effect.result = effect.next = start + cost.cycles + others * cost.lane_cycles + (known ? 0 : cost.first_cycles);
  effect.next_reason = Stall::LongScoreboard;
  known = true;
  const double instructions =
      cost.instructions + others * cost.lane_instructions + (start - now) * cost.waiting_instructions;
  s.sums.issued += static_cast<uint64_t>(instructions);
  s.sums.thread_instructions += static_cast<uint64_t>(instructions * warp.cursor.lanes());
  return effect;
}

// Its code is not simulated either: what it takes is measured.
RareCaseCost Issue::run_rare_cases(SubPartition& part, const Warp& warp) {
  RareCaseCost sum;
  const TraceAccess* const rare = warp.cursor.of_instruction();
  if (!rare) return sum;
  for (unsigned left = rare->units; left != 0; left &= left - 1) {
    const RareCaseCost& cost = kRareCaseCosts[std::countr_zero(left)];
    sum.instructions += cost.instructions, sum.cycles += cost.cycles, sum.issue_cycles += cost.issue_cycles;
  }
  s.sums.issued += static_cast<uint64_t>(sum.instructions);
  s.sums.thread_instructions += static_cast<uint64_t>(sum.instructions) * rare->lanes;
  part.next_slot += sum.issue_cycles;
  return sum;
}

// Lanes that load different constants, or match different values, are served one word or value after the other. A value
// of 64 bits takes the unit twice.
Issue::AduWork Issue::adu_work(const Decoded& in, const Warp& warp) const {
  const double interval = s.model.adu_interval;
  if (in.matched_words != 0) {
    const TraceAccess* const values = warp.cursor.of_instruction();
    const double more = values ? values->units - 1.0 : 0, more_words = in.matched_words - 1.0;
    return {(more + 1) * in.matched_words * interval,
            more * (s.model.match_value_cycles + more_words * interval) + more_words * interval};
  }
  const TraceAccess* const words = in.access == machine::kNone ? nullptr : warp.cursor.access();
  const double more = words ? words->units - 1.0 : 0;
  return {interval + more * s.model.constant_word_interval, more * s.model.constant_word_latency};
}

// A fence for the device. It begins when the warp has the values that its atomics return (measured on an H200: 723
// cycles for both; behind loads, and atomics without results, it does not wait).
Cycles Issue::fence(Sm& sm, const Warp& warp, Cycles now) const {
  const Cycles begin = std::max(now, warp.values_back);
  const FenceCost cost{s.model.fence_idle, s.model.fence_behind, s.memory.l2().far_latency(), s.model.fence_interval};
  return std::max(sm.fences.issue(begin, sm.stores_done > begin, cost), sm.stores_done);
}

Effect Issue::run_instruction(uint32_t number, uint32_t index, const Decoded& in, Cycles now) {
  SubPartition& part = s.parts[number];
  Warp& warp = s.warps[index];
  Effect effect;
  effect.result = now + in.latency;
  switch (in.action) {
    case Action::Compute:
      warp.frame_word += static_cast<uint32_t>(in.frame_step);
      if (in.invalidates_l1) s.memory.invalidate_l1(s.sm_of(number));
      if (in.pipe == machine::Pipe::Lsu) return load_store_.submit(number, index, in, now);  // shuffles and the like
      if (in.adu) {
        Sm& sm = s.sms[s.sm_of(number)];
        const AduWork work = adu_work(in, warp);
        const Cycles start = sm.adu.take(now, work.interval);
        // A constant that misses blocks the instructions behind it.
        const Cycles ready = fetch_.constants(number, in, start);
        sm.adu.hold(ready);
        queue_for_adu(part, std::max(start + work.interval, ready));
        effect.result = std::max(start + in.latency + work.more_latency, ready);
      }
      if (in.variable) effect.stall_reason = Stall::ShortScoreboard;
      return effect;
    case Action::Branch:
      if (in.system != machine::SystemCall::None) return call_system(s.sm_of(number), in, warp, now);
      effect.next = now + (in.calls ? s.model.call_latency : s.model.branch_latency);
      if (in.rare_path) effect.result = now + run_rare_cases(part, warp).cycles;
      effect.next_reason = Stall::BranchResolving;
      if (in.by_pointer) {
        const Cycles start = s.sms[s.sm_of(number)].pointer_calls.take(now, s.model.pointer_call_interval);
        effect.next += start - now;
      }
      return effect;
    case Action::Reconverge:
      effect.next = now + s.model.branch_latency;
      effect.next_reason = Stall::BranchResolving;
      return effect;
    case Action::Yield:
      effect.next = std::max(effect.next, now + s.model.yield_latency);
      effect.next_reason = Stall::BranchResolving;
      return effect;
    case Action::Barrier:
      if (warp.cursor.other_lanes_come()) {  // a WARPSYNC in ptxas's code: others of the warp go on
        effect.next = now + std::max(s.model.branch_latency, s.model.yield_latency);
        effect.next_reason = Stall::BranchResolving;
        return effect;
      }
      effect.next = barriers_.arrive(index, now);
      effect.next_reason = Stall::Barrier;
      return effect;
    case Action::Fence:
      effect.next =
          in.for_device ? fence(s.sms[s.sm_of(number)], warp, now) : std::max(now + in.latency, warp.stores_done);
      effect.next_reason = Stall::Membar;
      return effect;
    case Action::CopyCommit:
      asynchronous_.copy_groups.commit(index);
      return effect;
    case Action::CopyWait:
      effect = asynchronous_.copy_groups.wait(index, in, now);
      // Of loads that nothing reads, too (whatif's hidden loads).
      if (in.pending == 0) effect.next = std::max(effect.next, warp.copies_done);
      return effect;
    case Action::Object:
      return asynchronous_.objects.use(index, in, now);
    case Action::BulkCopy:
      return asynchronous_.copies.submit(index, in, now);
    case Action::BulkCommit:
      return asynchronous_.copies.commit(index, in, now);
    case Action::BulkWait:
      return asynchronous_.copies.wait(index, in, now);
    case Action::GroupProduct:
      return asynchronous_.groups.multiply(number, index, in, now);
    case Action::GroupWait:
      return asynchronous_.groups.wait(index, in, now);
    case Action::Exit:
    case Action::Sleep:
      return effect;
    default:
      return load_store_.submit(number, index, in, now);
  }
}

}  // namespace drywarp::sm
