#include "model/sm/units/simulator.h"

#include <algorithm>
#include <bit>

namespace drywarp::sm {
namespace {

// How far a sub-partition may run ahead of the others with instructions that affect only itself.
constexpr Cycles kAhead = 8;

// When an instruction can read its operands.
Cycles banks_free(const SubPartition& part, const IssueNeeds& needs) {
  return std::max(part.bank_free[0] + needs.bank_lead[0], part.bank_free[1] + needs.bank_lead[1]);
}

Cycles units_free(const SubPartition& part, const IssueNeeds& needs) {
  const Cycles unit = std::max(part.pipe_free[unsigned(needs.pipe)], part.queue_free[unsigned(needs.queue)]);
  return std::max(unit, banks_free(part, needs));
}

}  // namespace

Simulator::Simulator(const machine::MachineModel& model, const DecodedKernel& code, const LaunchTrace& trace,
                     const SimulatedLaunch& launch)
    : model_(model),
      code_(code),
      trace_(trace),
      launch_(launch),
      warps_per_block_((launch.threads_per_block + kWarpSize - 1) / kWarpSize),
      memory_([&] {
        memory::Parameters p = model.memory;
        p.l1.bytes = model.l1_bytes > launch.shared_capacity ? model.l1_bytes - launch.shared_capacity : 0;
        return p;
      }()),
      events_(model.sms, model.sub_partitions + 1) {
  parts_.resize(size_t{model.sms} * model.sub_partitions);
  chosen_.resize(parts_.size());
  for (uint32_t i = 0; i < parts_.size(); ++i) {
    parts_[i].sm = i / model.sub_partitions, parts_[i].place = i % model.sub_partitions;
    parts_[i].adu_queue.resize(std::max(1u, model.memory_queue));
  }
  size_t frame_words = 0;
  for (const Decoded& d : code.code)
    if (d.frame_word != machine::kNone) frame_words = std::max<size_t>(frame_words, d.frame_word + d.words);
  constexpr unsigned kAllSectors = (1u << kLineBytes / kSectorBytes) - 1;
  for (size_t word = 0; word < frame_words; ++word)
    frame_lines_.push_back(TraceLine::of(word * kLineBytes, kAllSectors));
  sms_.reserve(model.sms);
  for (uint32_t sm = 0; sm < model.sms; ++sm) sms_.emplace_back(model, arena_);
  for (Sm& sm : sms_) {
    sm.constants.assign(size_t{code.constant_lines} * model.sub_partitions, kNever);
    if (code_lines_ <= sm.code.lines()) sm.code_ready.assign(code_lines_, kNever);
  }
  for (Sm& sm : sms_)
    for (uint32_t slot = launch.blocks_per_sm * warps_per_block_; slot-- > 0;) sm.free_slots.push_back(slot);
  tallies_.resize(code.code.size());
  const size_t most = std::min<size_t>(size_t{model.sms} * launch.blocks_per_sm, launch.simulated) * warps_per_block_;
  warps_.reserve(most);
  registers_.reserve(most * code.scoreboard_lines);
}

// Of the warps that can issue first, the one that Candidates::next() prefers.
Simulator::Choice Simulator::choose(const SubPartition& part) const {
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

void Simulator::schedule(uint32_t number, const Choice& next) {
  const SubPartition& part = parts_[number];
  if (next.at < kNever) chosen_[number] = {next.index, part.warps[next.index].warp};
  events_.set(part.sm, part.place, next.at);
}

void Simulator::wake(uint32_t number) { schedule(number, choose(parts_[number])); }

void Simulator::run_part(uint32_t number, Cycles at) {
  SubPartition& part = parts_[number];
  // The choice is still valid: whatever could change it wakes the sub-partition.
  Choice next = {at, chosen_[number].index};
  for (;;) {
    if (next.at >= kNever) return schedule(number, next);
    if (next.at > events_.quiet_until() + (part.warps[next.index].needs.local_only ? kAhead : 0))
      return schedule(number, next);
    now_ = std::max(now_, next.at);
    issue(number, part.warps[next.index].warp, next.at);
    next = choose(part);
  }
}

bool Simulator::run(const Watch& watch) {
  constexpr uint64_t kTurnsToWatch = 4096;
  uint64_t turns = 0;
  dispatch_first();
  for (;;) {
    while (events_.next_turn()) {
      if (watch && ++turns % kTurnsToWatch == 0 && !watch(block_starts_.size(), launch_.simulated)) return false;
      const uint32_t sm = events_.sm();
      for (EventQueue::Event event; (event = events_.take()).at < kNever;) {
        prefetch_ahead();
        if (event.unit == model_.sub_partitions)
          run_unit(sm, event.at);
        else
          run_part(sm * model_.sub_partitions + event.unit, event.at);
      }
    }
    // No warp can issue: done, unless warps wait at barriers that others never reach (bar.arrive is not modelled).
    bool waiting = false;
    for (const ResidentBlock& b : blocks_) waiting |= b.warps_left != 0;
    if (!waiting) break;
    release_all_barriers();
  }
  // No warp waits for write-backs, but DRAM must take them by the end of the kernel.
  end_ = std::max(end_, model_.launch_cycles + dram_busy());
  return true;
}

void Simulator::release_all_barriers() {
  for (ResidentBlock& block : blocks_) {
    if (block.warps_left == 0) continue;
    for (uint32_t b = 0; b < block.barriers.size(); ++b)
      if (!block.barriers[b].waiting.empty()) complete_barrier(block, b, now_);
  }
}

// Attributes the cycles since the warp's last issue to stall reasons.
void Simulator::account_stalls(const SubPartition& part, Warp& warp, Cycles now) {
  const Decoded& in = *warp.cursor.current();
  StallCycles& here = tally_of(in).stalls;
  const auto add = [&](Stall stall, Cycles cycles) {
    if (cycles > 0) here[unsigned(stall)] += cycles;
  };
  sums_.eligible_warp_cycles += 1;
  Cycles at = warp.last_issue + 1;
  here[unsigned(Stall::Selected)] += 1;
  const Cycles ready = part.warps.ready(warp.place);
  const Cycles waited = std::max(0.0, ready - at);
  // The stall belongs to the instruction that cannot issue; at a barrier, to the barrier and not to the next
  // instruction.
  (warp.reason == Stall::Barrier ? tally_of(*warp.last).stalls : here)[unsigned(warp.reason)] += waited;
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
  blocked(Stall::Dispatch, banks_free(part, in), in.bank_share);
  add(Stall::NotSelected, others);
  sums_.eligible_warp_cycles += std::max(0.0, others);
}

void Simulator::make_ready(uint32_t index, Cycles not_before, Stall reason) {
  Warp& warp = warps_[index];
  const Decoded* in = warp.cursor.current();
  warp.earliest = not_before, warp.earliest_reason = reason;
  if (in) {
    const Cycles spaced = warp.spacing[unsigned(in->spaced_after)];
    reason = spaced > not_before ? Stall::Wait : reason;
    not_before = std::max(not_before, spaced);
    // A warp ends, or passes a fence, only after the load-store unit has taken all its instructions.
    const bool ends = in->action == Action::Exit;
    if (warp.pending != 0 && (ends || in->action == Action::Fence || in->action == Action::CopyWait))
      not_before = kNever, reason = ends ? Stall::Drain : Stall::Membar;
    else if (ends && warp.stores_sent > not_before)
      not_before = warp.stores_sent, reason = Stall::Drain;
    const RegisterLine* registers = registers_of(index);
    for (unsigned i = 0; i < in->both; ++i) {
      const auto [line, place, extra] = in->registers[i];
      const RegisterLine& r = registers[line];
      const Cycles at = r.at[place] + extra_latency_[unsigned(extra)];
      const Stall stall_reason = r.stall_reason[place];
      reason = at > not_before ? stall_reason : reason;
      not_before = at > not_before ? at : not_before;
    }
    Candidates& candidates = parts_[warp.part].warps;
    candidates.set_ready(warp.place, warp.waits ? kNever : not_before);
    candidates[warp.place].needs = *in;
  }
  warp.reason = reason;
}

// When the warp's next instruction is ready. Only a step to another line of code can miss.
Cycles Simulator::fetch_code(Sm& sm, const Decoded& next, const Decoded* from, Cycles now) {
  if (from && from->code_line == next.code_line) return now;
  if (model_.code_cache_bytes == 0 || model_.code_line_cycles <= 0) return now;
  const Cycles ready = std::max(now, fetch_line(sm, next.code_line, now, from == nullptr));
  // The following line is prefetched.
  if (next.code_line + 1 < code_lines_) fetch_line(sm, next.code_line + 1, now, false);
  return ready;
}

// Fetches a line of code. Returns when it arrives. Nsight Compute runs a kernel before it measures, so code that fits
// into the second level is there, but the first line of a warp still takes the full latency.
Cycles Simulator::fetch_line(Sm& sm, uint32_t line, Cycles now, bool first) {
  if (!sm.code_ready.empty()) {
    if (sm.code_ready[line] < kNever) return sm.code_ready[line];
  } else if (const memory::Cache::Found found = sm.code.access(line, 1, now); found.hits != 0) {
    return found.ready;
  }
  Cycles cost = first ? model_.code_line_cycles : model_.next_code_line_cycles;
  if (uint64_t{code_lines_} * kLineBytes > model_.second_code_cache_bytes) {
    if (sm.second_code.access(line, 1, now).hits == 0) {
      cost = model_.code_line_cycles;
      sm.second_code.fill(1, now);
    }
  }
  const Cycles ready = sm.code_port.take(now, cost) + cost;
  if (!sm.code_ready.empty())
    sm.code_ready[line] = static_cast<float>(ready);
  else
    sm.code.fill(1, ready);
  return ready;
}

// Constant operands have a cache in each sub-partition. LDC's constants have one in the SM.
Cycles Simulator::fetch_constants(uint32_t part, const Decoded& in, Cycles now) {
  if (in.constants == machine::kNone) return now;
  Sm& sm = sms_[sm_of(part)];
  Cycles& ready = sm.constants[in.constants * model_.sub_partitions + (in.adu ? 0 : parts_[part].place)];
  if (ready >= kNever) {
    const Cycles requested = sm.constant_port.take(now, model_.constant_line_cycles);
    ready = requested + (in.far_constants ? model_.constant_far_cycles : model_.constant_miss_cycles);
  }
  return std::max(now, ready);
}

// LDC issues before its constant arrives. An instruction with a constant operand issues only afterwards.
Cycles Simulator::fetch_next(uint32_t part, const Decoded& next, const Decoded* from, Cycles now, Stall& reason) {
  if (from && from->code_line == next.code_line && next.constants == machine::kNone) return now;
  const Cycles fetched = fetch_code(sms_[sm_of(part)], next, from, now);
  if (fetched > now) reason = Stall::NoInstruction;
  const Cycles ready = next.adu ? fetched : fetch_constants(part, next, fetched);
  if (ready > fetched) reason = Stall::ImcMiss;
  return ready;
}

// Whether the warp's next instruction can issue together with the one that has just issued.
bool Simulator::can_dual_issue(const SubPartition& part, uint32_t index, Cycles now) const {
  const Decoded& in = *warps_[index].cursor.current();
  if (in.action == Action::Branch || in.action == Action::Barrier || in.action == Action::Exit) return false;
  const RegisterLine* registers = registers_of(index);
  for (unsigned i = 0; i < in.both; ++i)
    if (Cycles{registers[in.registers[i].line].at[in.registers[i].place]} > now) return false;
  return std::max(part.pipe_free[unsigned(in.pipe)], part.queue_free[unsigned(in.queue)]) < now + 1;
}

// `second`: the second instruction of a dual issue.
void Simulator::issue(uint32_t number, uint32_t index, Cycles now, bool second) {
  SubPartition& part = parts_[number];
  Warp& warp = warps_[index];
  const Decoded& in = *warp.cursor.current();
  if (second)
    ++paired_;
  else
    account_stalls(part, warp, now);
  Tally& tally = tally_of(in);
  ++tally.issued;
  tally.lanes += warp.cursor.lanes();
  part.next_slot = now + in.slots;
  if (Cycles{in.slots} > model_.issue_interval) part.held_share = in.slots_share, part.held_until = part.next_slot;
  Cycles& pipe_free = part.pipe_free[unsigned(in.pipe)];
  pipe_free = std::max(pipe_free, now) + in.issue;
  for (unsigned b = 0; b < kRegisterBanks; ++b)
    if (in.bank_reads[b] != 0) part.bank_free[b] = std::max(part.bank_free[b], now) + in.bank_reads[b];
  warp.last_issue = now;
  part.warps.issues(warp.place);
  warp.last = &in;
  if (in.spacing_kind != machine::Spacing::None)
    warp.spacing[unsigned(in.spacing_kind)] = now + model_.spacing[unsigned(in.spacing_kind)];
  Effect effect = run_instruction(number, index, in, now);
  RegisterLine* registers = registers_of(index);
  for (unsigned i = in.reads; i < in.both; ++i) {
    const auto [line, place, extra] = in.registers[i];
    registers[line].at[place] = static_cast<float>(effect.result);
    registers[line].stall_reason[place] = effect.stall_reason;
  }
  const LaneMask before = warp.cursor.mask();
  const unsigned lanes = warp.cursor.lanes();
  warp.cursor.next();
  if (!warp.cursor.current()) return end_warp(index, now);
  if (in.action == Action::Branch && warp.cursor.current() == &in + 1)
    effect.next = now + model_.branch_not_taken_cycles;
  if (in.is_table_jump) {
    effect.next = now + model_.table_jump_latency;
    warp.table_lanes |= before & ~warp.cursor.mask();
  }
  if (warp.cursor.diverged()) {  // the lanes that now wait have issued a BSYNC
    ++sums_.issued;
    sums_.thread_instructions += lanes;
    part.next_slot += model_.issue_interval;
    const bool by_table = (warp.table_lanes & warp.cursor.mask()) != 0;
    warp.table_lanes &= ~warp.cursor.mask();
    effect.next =
        std::max(effect.next, now + 1) + (by_table ? model_.table_divergence_cycles : model_.divergence_cycles);
    effect.next_reason = Stall::BranchResolving;
  }
  // If the next instruction uses the same pipe, the compiler delays it while the pipe is busy: see Decoded::known_pipe.
  const Cycles earliest = now + in.next_issue[unsigned(warp.cursor.current()->pipe) == in.known_pipe ? 1 : 0];
  Stall reason = effect.next > earliest ? effect.next_reason : Stall::Wait;
  const Cycles ready = fetch_next(number, *warp.cursor.current(), &in, std::max(earliest, effect.next), reason);
  make_ready(index, ready, reason);
  if (model_.dual_issue && !second && ready <= now + 1 && can_dual_issue(part, index, now))
    issue(number, index, now, true);
}

void Simulator::report(KernelTiming& timing) const {
  const double seconds = timing.seconds, cycles = timing.cycles;
  timing = sums_;
  timing.instructions.resize(launch_.instructions);
  for (size_t i = 0; i < tallies_.size(); ++i) {
    const Decoded& in = code_.code[i];
    const Tally& tally = tallies_[i];
    timing.issued += tally.issued;
    timing.thread_instructions += tally.lanes;
    timing.pipe_busy[unsigned(in.pipe)] += static_cast<double>(tally.issued) * in.issue;
    for (unsigned s = 0; s < kStalls; ++s) timing.stalls[s] += tally.stalls[s];
    if (in.ptx >= launch_.instructions) continue;  // it belongs to no PTX instruction
    InstructionTiming& ptx = timing.instructions[in.ptx];
    ptx.issued += tally.issued;
    for (unsigned s = 0; s < kStalls; ++s) ptx.stalls[s] += tally.stalls[s];
  }
  timing.issue_active_cycles = static_cast<double>(timing.issued - paired_);
  timing.seconds = seconds, timing.cycles = cycles;
  timing.simulated_cycles = end_;
  timing.l1 = memory_.l1_counts();
  timing.l1_busy = memory_.l1_busy();
  timing.l2 = memory_.l2().counts();
  timing.dram = memory_.l2().dram().counts();
  timing.l2_busiest = memory_.l2().busiest_slice(), timing.l2_mean = memory_.l2().mean_slice();
  timing.dram_busiest = memory_.l2().dram().busiest_channel(), timing.dram_mean = memory_.l2().dram().mean_channel();
  for (const Sm& sm : sms_) {
    timing.shared_wavefronts += sm.shared.busy() * model_.shared_wavefronts_per_cycle;
    timing.lsu_busy += sm.issue_port.busy();
    timing.adu_busy += sm.adu.busy();
    timing.active_cycles += sm.active;
  }
  for (const double s : timing.stalls) timing.warp_cycles += s;
}

}  // namespace drywarp::sm
