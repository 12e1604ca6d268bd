#include "model/sm/units/load_store.h"

#include <algorithm>

namespace drywarp::sm {
namespace {

constexpr uint64_t kLocalWindow = uint64_t{1} << 22;  // distance of two resident warps' local memories

// What a spill of one to four words moves, if all lanes take part: lanes' words lie side by side.
constexpr TraceAccess spill_access(uint16_t words) {
  return {.line_count = words, .space = AddressSpace::Local, .lanes = 32, .units = words, .ideal_units = words};
}
constexpr TraceAccess kSpillAccess[] = {{}, spill_access(1), spill_access(2), spill_access(3), spill_access(4)};

// A request is made up to this much too early instead of at its own event: little compared with its latency.
constexpr Cycles kSoon = 16;

}  // namespace

LoadStoreUnits::LoadStoreUnits(Simulation& simulation, CopyGroups& copies, PollUnits& polls)
    : s(simulation), copies_(copies), polls_(polls), units_(simulation.model.sms) {
  size_t frame_words = 0;
  for (const Decoded& d : s.code.code)
    if (d.frame_word != machine::kNone) frame_words = std::max<size_t>(frame_words, d.frame_word + d.words);
  constexpr unsigned kAllSectors = (1u << kLineBytes / kSectorBytes) - 1;
  for (size_t word = 0; word < frame_words; ++word)
    frame_lines_.push_back(TraceLine::of(word * kLineBytes, kAllSectors));
}

Cycles LoadStoreUnits::busy() const {
  Cycles busy = 0;
  for (const Unit& unit : units_) busy += unit.issue_port.busy();
  return busy;
}

// The trace says what a merged access costs, unless the lanes of its parts differ. Then the words of each part conflict
// as in the part alone, and a wavefront moves at most the banks' width. GPUs that split wide loads move the parts one
// after the other.
void LoadStoreUnits::count_wavefronts(const Warp& warp, const TraceAccess& access, const Decoded& in,
                                      Request& request) const {
  uint32_t most = access.units, transactions = access.ideal_units;
  if (const WiderLoad wide =
          in.merged[0] == machine::kNone || s.model.shared_splits ? WiderLoad{} : access.wider(in.words * 4u);
      wide.units != 0) {
    most = wide.units, transactions = wide.ideal_units;
  } else {
    for (unsigned i = 0; i < std::size(in.merged); ++i) {
      const TraceAccess* part = warp.cursor.merged(i);
      if (!part) continue;
      most = s.model.shared_splits ? most + part->units : std::max<uint32_t>(most, part->units);
    }
    most = std::max(most, in.words / 2u);
  }
  request.wavefronts = in.one_lane ? 1 : std::max(most, 1u);
  if (in.action == Action::SharedLoad && transactions > 1) request.more_transactions = transactions - 1;
}

Effect LoadStoreUnits::submit(uint32_t number, uint32_t index, const Decoded& in, Cycles now) {
  Warp& warp = s.warps[index];
  Effect effect;
  effect.result = now + in.latency;
  Request request{.in = &in, .issued = now, .part = number, .warp = index, .serial = warp.serial, .slot = warp.slot};
  if (in.action == Action::Compute) {
    if (in.variable) effect.stall_reason = Stall::ShortScoreboard;
  } else if (in.frame_word != machine::kNone) {
    request.access = &kSpillAccess[in.words];
    request.lines = {&frame_lines_[in.frame_word], in.words};
    request.frame_word = warp.frame_word;
    s.blocks[warp.block].reached_memory = true;
    effect.stall_reason = Stall::LongScoreboard;
  } else if (const TraceAccess* access = warp.cursor.access()) {
    request.access = access;
    s.blocks[warp.block].reached_memory = true;
    if (access->space == AddressSpace::Shared) {
      effect.stall_reason = Stall::ShortScoreboard;
      count_wavefronts(warp, *access, in, request);
    } else {
      effect.stall_reason = Stall::LongScoreboard;
      request.lines = warp.cursor.lines(*access);
      if (polls_.any()) polls_.issues(index, *access);
    }
  } else if (in.queue != Queue::Shared) {
    return effect;  // its guard let no lane pass
  } else {
    request.wavefronts = 1;  // without lanes it still takes a wavefront
  }
  if (in.action == Action::Copy) request.group = copies_.submit(index);
  Unit& unit = units_[s.sm_of(number)];
  if (unit.waiting.empty() && unit.free <= now + kSoon) {
    effect.result = serve(request, std::max(now, unit.free));
    return effect;
  }
  if (unit.waiting.empty()) plan(s.sm_of(number));
  unit.waiting.push_back(request);
  ++warp.pending;
  effect.result = kNever;
  SubPartition& part = s.parts[number];
  if (unit.waiting.size() > s.model.unit_queue && ++part.waiting[unsigned(in.queue)] >= s.model.memory_queue)
    part.queue_free[unsigned(in.queue)] = kNever;
  return effect;
}

void LoadStoreUnits::plan(uint32_t number) {
  s.events.set(number, s.model.sub_partitions, units_[number].free - kSoon);
}

void LoadStoreUnits::run(uint32_t number, Cycles now) {
  Unit& unit = units_[number];
  s.now = std::max(s.now, now);
  while (!unit.waiting.empty()) {
    if (unit.free > now + kSoon) {
      plan(number);
      return;
    }
    serve_oldest(number);
  }
}

void LoadStoreUnits::serve_oldest(uint32_t number) {
  Unit& unit = units_[number];
  const Request request = unit.waiting.front();
  unit.waiting.pop_front();
  const Cycles start = std::max(unit.free, request.issued);
  // The next instruction moves from a sub-partition's queue to the unit's own.
  const uint32_t held = s.model.unit_queue;
  if (unit.waiting.size() >= held) {
    const Request& moves = held == 0 ? request : unit.waiting[held - 1];
    SubPartition& part = s.parts[moves.part];
    const Queue queue = moves.in->queue;
    if (part.waiting[unsigned(queue)]-- >= s.model.memory_queue) {
      part.queue_free[unsigned(queue)] = queue == Queue::Shared ? std::max(start, part.adu_queue[part.adu_at]) : start;
      wake(s, moves.part);
    }
  }
  const Cycles result = serve(request, start);
  if (s.warps[request.warp].serial != request.serial) return;
  --s.warps[request.warp].pending;
  settle(s, request.warp, request.serial, *request.in, result);
}

Cycles LoadStoreUnits::serve(const Request& request, Cycles start) {
  Unit& unit = units_[s.sm_of(request.part)];
  const Cycles each = 1 / s.model.load_store_per_cycle;
  unit.issue_port.take(start, each);
  unit.free = start + each;
  if (request.access && request.access->space == AddressSpace::SharedCluster) return serve_remote(request, start);
  if (request.access && request.access->space != AddressSpace::Shared) return serve_global(request, start);
  if (request.wavefronts != 0) return serve_shared(request, start);
  s.sums.lane_wavefronts += 1;
  return start + request.in->latency;
}

// The banks serve a wavefront each cycle, but one of a warp only every second. So an instruction enters while the one
// before it is served, and a warp's instructions are served one after the other.
Cycles LoadStoreUnits::serve_shared(const Request& request, Cycles start) {
  const uint32_t number = s.sm_of(request.part);
  const Cycles each = 1 / s.model.shared_wavefronts_per_cycle, apart = std::max(each, s.model.shared_conflict_cycles);
  const Cycles cost = request.wavefronts * each;
  Cycles turn = s.sms[number].shared.take(start, cost);
  if (s.model.memory.l1.unified) turn = std::max(turn, s.memory.take_data_pipe(number, start, cost));
  if (request.warp >= banks_free_.size()) banks_free_.resize(s.warps.size());
  Cycles& warp_free = banks_free_[request.warp];
  const Cycles begin = std::max(start, warp_free);
  const Cycles last = std::max(begin + (request.wavefronts - 1) * apart, turn + cost - each);
  warp_free = last + apart;
  units_[number].free = turn + each;
  if (request.in->action == Action::SharedLoad)
    s.sums.shared_load_wavefronts += request.wavefronts;
  else if (request.in->action == Action::SharedStore)
    s.sums.shared_store_wavefronts += request.wavefronts;
  if (!request.access) return start + request.in->latency;
  const bool atomic = request.in->action == Action::SharedAtomic || request.in->action == Action::Atomic;
  if (atomic) return last + s.model.shared_atomic_latency;
  return last + s.model.shared_latency + request.more_transactions * s.model.shared_transaction_cycles;
}

// Shared memory of another block, over the network between multiprocessors.
Cycles LoadStoreUnits::serve_remote(const Request& request, Cycles start) {
  Unit& unit = units_[s.sm_of(request.part)];
  const Cycles sent = unit.to_cluster.take(start, request.access->units * s.model.remote_cycles);
  unit.free = std::max(unit.free, sent);
  Warp& warp = s.warps[request.warp];
  const Cycles done = sent + s.model.remote_latency;
  if (request.in->action != Action::Load) warp.stores_done = std::max(warp.stores_done, done);
  return done;
}

// Where as many loads wait for data as the SM can keep, the unit stops until the next of them has arrived.
void LoadStoreUnits::wait_in_flight(Unit& unit, Cycles start, Cycles data) const {
  if (s.model.loads_in_flight == 0) return;
  while (!unit.in_flight.empty() && unit.in_flight.top() <= start) unit.in_flight.pop();
  unit.in_flight.push(data);
  if (unit.in_flight.size() >= s.model.loads_in_flight) unit.free = std::max(unit.free, unit.in_flight.top());
}

Cycles LoadStoreUnits::serve_global(const Request& request, Cycles start) {
  const uint32_t sm = s.sm_of(request.part);
  const Decoded& in = *request.in;
  const TraceAccess& access = *request.access;
  std::span<const TraceLine> lines = request.lines;
  if (access.space == AddressSpace::Local) {
    // Lanes' words lie side by side: a line a word.
    const uint64_t frame = uint64_t{request.frame_word} * kLineBytes % kLocalWindow;
    const uint64_t base =
        memory::kLocalBase + (uint64_t{sm} * s.model.max_warps_per_sm + request.slot) * kLocalWindow + frame;
    local_lines_.clear();
    for (const TraceLine& l : lines)
      local_lines_.push_back(TraceLine::of(base + l.address(), l.sectors(), l.parts(), l.part_bytes()));
    lines = local_lines_;
  }
  Warp& warp = s.warps[request.warp];
  Unit& unit = units_[sm];
  // A warp's next access waits, but not where other warps' wait, too: theirs fill the gaps.
  const bool same_warp = unit.last_warp == request.warp && unit.last_serial == request.serial;
  if (same_warp && unit.warp_free > start &&
      std::ranges::all_of(unit.waiting, [&](const Request& other) { return other.warp == request.warp; }))
    start = unit.warp_free;
  unit.last_warp = request.warp, unit.last_serial = request.serial, unit.warp_free = 0;
  memory::Response response;
  switch (in.action) {
    case Action::Store:
    case Action::LocalStore:
      response = s.memory.store(sm, lines, access.units, start, request.slot, request.issued);
      warp.stores_done = std::max(warp.stores_done, response.ready);
      warp.stores_sent = std::max(warp.stores_sent, response.sent);
      break;
    case Action::Atomic:
      response =
          s.memory.atomic(sm, lines, in.one_lane && access.ideal_units == 1 ? 1 : access.lanes, in.atomic, start);
      warp.stores_done = std::max(warp.stores_done, response.ready);
      break;
    default:
      response = s.memory.load(sm, lines, access.units, in.past_l1, start);
      if (response.late && in.action == Action::Load && in.pipe != machine::Pipe::Tex)
        wait_in_flight(unit, start, response.ready);
      if (access.units > in.words) {  // its words conflict, or lie in many lines
        if (response.late)
          response.ready = warp.loaded = std::max(response.ready, warp.loaded + response.moves);
        else
          unit.warp_free = start + response.moves * s.model.memory.l1.warp_wavefront_cycles;
      }
      if (in.pipe == machine::Pipe::Tex) response.ready += in.latency;
      // Nothing reads the data (whatif's hidden loads): a wait for copies waits for them, too.
      if (in.reads == in.both) warp.copies_done = std::max(warp.copies_done, response.ready);
      break;
  }
  if (in.action == Action::Copy) {
    warp.copies_done = std::max(warp.copies_done, response.ready);
    if (warp.serial == request.serial) copies_.finish(request.warp, request.group, response.ready);
  }
  unit.free = std::max(unit.free, response.accepted);
  s.sms[sm].stores_done = std::max(s.sms[sm].stores_done, response.settled);
  if (s.fences_device && access.space == AddressSpace::Global) {
    s.sms[sm].fences.access(start, s.memory.l2().any_far(sm, lines));
    if (in.action == Action::Atomic && in.reads != in.both)
      warp.values_back = std::max(warp.values_back, response.ready);
  }
  if (polls_.any() && access.space == AddressSpace::Global && warp.serial == request.serial) {
    const bool atomic = in.action == Action::Atomic, writes = atomic || in.action == Action::Store;
    polls_.served(request.warp, access, writes, response.done_at != 0 ? response.done_at : response.ready);
  }
  return response.ready;
}

}  // namespace drywarp::sm
