// The load-store unit of an SM: shuffles, shared, local and global memory.
//
// It takes instructions in order, and a long one (32 lines, 32 wavefronts) blocks all behind it. The memory system
// resolves a request when it is made, so a request made too early would delay earlier requests. Therefore an
// instruction that the unit cannot take soon waits in its queue.
#include <algorithm>

#include "model/sm/units/simulator.h"

namespace drywarp::sm {
namespace {

constexpr uint64_t kLocalBase = uint64_t{1} << 46;    // local memory is behind all other addresses
constexpr uint64_t kLocalWindow = uint64_t{1} << 22;  // distance of two resident warps' local memories

// What a spill of one to four words moves, if all lanes take part: lanes' words lie side by side.
constexpr TraceAccess spill_access(uint16_t words) {
  return {.line_count = words, .space = AddressSpace::Local, .lanes = 32, .units = words, .ideal_units = words};
}
constexpr TraceAccess kSpillAccess[] = {{}, spill_access(1), spill_access(2), spill_access(3), spill_access(4)};

// A request is made up to this much too early instead of at its own event: little compared with its latency.
constexpr Cycles kSoon = 16;

}  // namespace

// In a merged load the words of each part conflict as in the part alone. The parts move at once or, on GPUs that split
// wide loads, one after the other. A wavefront moves at most the banks' width.
Cycles Simulator::wavefronts(const Warp& warp, const TraceAccess& access, const Decoded& in) const {
  uint32_t most = access.units;
  for (unsigned i = 0; i < std::size(in.merged); ++i) {
    const TraceAccess* part = warp.cursor.merged(i);
    if (!part) continue;
    most = model_.shared_splits ? most + part->units : std::max<uint32_t>(most, part->units);
  }
  return std::max({most, in.words / 2u, 1u}) / model_.shared_wavefronts_per_cycle;
}

Simulator::Effect Simulator::submit(uint32_t number, uint32_t index, const Decoded& in, Cycles now) {
  Warp& warp = warps_[index];
  Effect effect;
  effect.result = now + in.latency;
  Request request{.in = &in, .issued = now, .part = number, .warp = index, .serial = warp.serial, .slot = warp.slot};
  if (in.action == Action::Compute) {
    if (in.variable) effect.stall_reason = Stall::ShortScoreboard;
  } else if (in.frame_word != machine::kNone) {
    request.access = &kSpillAccess[in.words];
    request.lines = {&frame_lines_[in.frame_word], in.words};
    blocks_[warp.block].reached_memory = true;
    effect.stall_reason = Stall::LongScoreboard;
  } else if (const TraceAccess* access = warp.cursor.access()) {
    request.access = access;
    blocks_[warp.block].reached_memory = true;
    request.lines = warp.cursor.lines(*access);
    prefetch_following(request.lines);
    effect.stall_reason = access->space == AddressSpace::Shared ? Stall::ShortScoreboard : Stall::LongScoreboard;
    if (access->space == AddressSpace::Shared) request.wavefronts = wavefronts(warp, *access, in);
  } else if (in.queue != Queue::Shared) {
    return effect;  // its guard let no lane pass
  } else {
    request.wavefronts = 1 / model_.shared_wavefronts_per_cycle;  // without lanes it still takes a wavefront
  }
  Sm& sm = sms_[sm_of(number)];
  if (sm.waiting.empty() && sm.unit_free <= now + kSoon) {
    effect.result = serve(request, std::max(now, sm.unit_free));
    return effect;
  }
  if (sm.waiting.empty()) wake_unit(sm_of(number));
  sm.waiting.push_back(request);
  ++warp.pending;
  effect.result = kNever;
  SubPartition& part = parts_[number];
  if (sm.waiting.size() > model_.unit_queue && ++part.waiting[unsigned(in.queue)] >= model_.memory_queue)
    part.queue_free[unsigned(in.queue)] = kNever;
  return effect;
}

void Simulator::wake_unit(uint32_t number) {
  events_.set(number, model_.sub_partitions, sms_[number].unit_free - kSoon);
}

void Simulator::run_unit(uint32_t number, Cycles now) {
  Sm& sm = sms_[number];
  now_ = std::max(now_, now);
  while (!sm.waiting.empty()) {
    if (sm.unit_free > now + kSoon) {
      wake_unit(number);
      return;
    }
    serve_oldest(number);
  }
}

void Simulator::serve_oldest(uint32_t number) {
  Sm& sm = sms_[number];
  const Request request = sm.waiting.front();
  sm.waiting.pop_front();
  prefetch_ahead(sm);
  const Cycles start = std::max(sm.unit_free, request.issued);
  // The next instruction moves from a sub-partition's queue to the unit's own.
  const uint32_t held = model_.unit_queue;
  if (sm.waiting.size() >= held) {
    const Request& moves = held == 0 ? request : sm.waiting[held - 1];
    SubPartition& part = parts_[moves.part];
    const Queue queue = moves.in->queue;
    if (part.waiting[unsigned(queue)]-- >= model_.memory_queue) {
      part.queue_free[unsigned(queue)] = queue == Queue::Shared ? std::max(start, part.adu_queue[part.adu_at]) : start;
      wake(moves.part);
    }
  }
  const Cycles result = serve(request, start);
  Warp& warp = warps_[request.warp];
  if (warp.serial != request.serial) return;
  --warp.pending;
  const Decoded& in = *request.in;
  RegisterLine* registers = registers_of(request.warp);
  for (unsigned i = in.reads; i < in.both; ++i) {
    const auto [line, place, extra] = in.registers[i];
    registers[line].at[place] = static_cast<float>(result);
  }
  if (warp.waits || parts_[warp.part].warps.ready(warp.place) < kNever) return;
  make_ready(request.warp, warp.earliest, warp.earliest_reason);
  wake(request.part);
}

Cycles Simulator::serve(const Request& request, Cycles start) {
  Sm& sm = sms_[sm_of(request.part)];
  const Cycles each = 1 / model_.lsu_instructions_per_cycle;
  sm.issue_port.take(start, each);
  sm.unit_free = start + each;
  if (request.access && request.access->space != AddressSpace::Shared) return serve_global(request, start);
  if (request.wavefronts != 0) return serve_shared(request, start);
  sums_.lane_wavefronts += 1;
  return start + request.in->latency;
}

Cycles Simulator::serve_shared(const Request& request, Cycles start) {
  const uint32_t number = sm_of(request.part);
  Sm& sm = sms_[number];
  Cycles turn = sm.shared.take(start, request.wavefronts);
  if (model_.memory.l1.unified) turn = std::max(turn, memory_.take_data_pipe(number, start, request.wavefronts));
  sm.unit_free = turn + request.wavefronts;
  if (!request.access) return start + request.in->latency;
  const bool atomic = request.in->action == Action::SharedAtomic || request.in->action == Action::Atomic;
  return sm.unit_free - 1 / model_.shared_wavefronts_per_cycle +
         (atomic ? model_.shared_atomic_latency : model_.shared_latency);
}

Cycles Simulator::serve_global(const Request& request, Cycles start) {
  const uint32_t sm = sm_of(request.part);
  const Decoded& in = *request.in;
  const TraceAccess& access = *request.access;
  std::span<const TraceLine> lines = request.lines;
  if (access.space == AddressSpace::Local) {
    const uint64_t base = kLocalBase + (uint64_t{sm} * model_.max_warps_per_sm + request.slot) * kLocalWindow;
    local_lines_.clear();
    for (const TraceLine& l : lines)
      local_lines_.push_back(TraceLine::of(base + l.address(), l.sectors(), l.parts(), l.part_bytes()));
    lines = local_lines_;
  }
  Warp& warp = warps_[request.warp];
  memory::Response response;
  switch (in.action) {
    case Action::Store:
    case Action::LocalStore:
      response = memory_.store(sm, lines, access.units, start, request.slot);
      warp.stores_done = std::max(warp.stores_done, response.ready);
      warp.stores_sent = std::max(warp.stores_sent, response.sent);
      break;
    case Action::Atomic:
      response = memory_.atomic(sm, lines, in.one_lane && access.ideal_units == 1 ? 1 : access.lanes, start);
      warp.stores_done = std::max(warp.stores_done, response.ready);
      break;
    default:
      response = memory_.load(sm, lines, access.units, in.past_l1, start);
      // Nothing reads the data (whatif's hidden loads): a wait for copies waits for them, too.
      if (in.reads == in.both) warp.copies_done = std::max(warp.copies_done, response.ready);
      break;
  }
  if (in.action == Action::Copy) warp.copies_done = std::max(warp.copies_done, response.ready);
  sms_[sm].unit_free = std::max(sms_[sm].unit_free, response.accepted);
  return response.ready;
}

}  // namespace drywarp::sm
