// Named barriers of a block (PTX ISA, bar). Threads arrive a warp at a time; lanes of a diverged warp one group at a
// time.
#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "base/support/plural.h"
#include "engine/exec/blocks/activation.h"
#include "engine/exec/blocks/cluster.h"
#include "engine/exec/blocks/mbarrier.h"
#include "engine/exec/blocks/tell.h"
#include "engine/exec/blocks/warp.h"
#include "engine/exec/kernels/loaded_module.h"
#include "language/ir/warp_exchanges.h"

namespace drywarp::exec {

using jit::BarrierKind;

namespace {

// Nearly always all or none: counting bits is slow on baseline x86-64.
uint32_t lanes_of(uint32_t mask) {
  if (mask == 0) return 0;
  return mask == ~0u ? kWarpSize : static_cast<uint32_t>(std::popcount(mask));
}

// Lanes of the warp that wait at the barrier.
uint32_t waiting(const Warp& warp, uint32_t barrier) {
  uint32_t mask = 0;
  if (warp.grouped) {
    for (const LaneGroup& g : warp.groups)
      if (g.state == LaneGroup::State::AtBarrier && g.barrier == barrier) mask |= g.mask;
  } else if (warp.state == Warp::State::AtBarrier && warp.barrier == barrier) {
    mask = warp.barrier_mask;
  }
  return mask;
}

// bar.sync without a number waits for every thread of the block that has not ended.
bool all_wait(const Block& block, uint32_t barrier) {
  if (block.grouped == 0) return block.barriers[barrier].whole_warps + block.done == block.warps.size();
  bool any = false;
  for (const auto& warp : block.warps) {
    if (warp->state == Warp::State::Done) continue;
    const uint32_t here = waiting(*warp, barrier);
    if ((living(*warp) & ~here) != 0) return false;
    any |= here != 0;
  }
  return any;
}

void tell_release(const Block& block, uint32_t number, const BarrierNote* note) {
  std::vector<LaneMask> lanes;
  for (const auto& warp : block.warps) lanes.push_back(waiting(*warp, number));
  tell(block, &observe::BlockObserver::release, observe::Release{number, lanes, note});
}

void complete(Block& block, uint32_t number) {
  NamedBarrier& barrier = block.barriers[number];
  std::optional<BarrierNote> note;
  if (barrier.expected == 0 && (block.done != 0 || block.grouped != 0 || block.index == 0))
    note = absent_threads(block, number);
  if (!note && barrier.warps_apart) note = warps_apart(block, number);
  if (note) {
    const std::lock_guard lock(block.worker->launch->mutex);
    add(block.worker->launch->barrier_notes, *note);
  }
  if (has_listeners(block)) tell_release(block, number, note ? &*note : nullptr);
  barrier.result_count = barrier.count;
  barrier.result_participants = barrier.participants;
  barrier.arrived = barrier.whole_warps = barrier.count = barrier.participants = barrier.expected = 0;
  barrier.first_warp = nullptr;
  barrier.warps_apart = false;
  ++barrier.generation;
  block.behind = 0;
  for (auto& warp : block.warps) {
    warp->ahead = block.warps.size() > 1 && warp->state != Warp::State::Done;
    block.behind += warp->ahead;
    if (warp->grouped) {
      release_groups(*warp, number);
    } else if (warp->state == Warp::State::AtBarrier && warp->barrier == number) {
      warp->state = Warp::State::Ready;
    }
  }
}

bool is_complete(const Block& block, uint32_t number) {
  const NamedBarrier& barrier = block.barriers[number];
  return barrier.expected != 0 ? barrier.arrived >= barrier.expected : all_wait(block, number);
}

// The fault of a lane that waits at another place than the barrier's first lane; none if the program may do that, which
// is noted. A function of its own: raise() does not return, so its caller's objects would leak.
std::optional<Fault> fault_at_two_barriers(NamedBarrier& barrier, const Warp& warp, uint32_t lane,
                                           const CodePlace& place) {
  const Warp& other = *barrier.first_warp;
  const std::string at = place_of(warp, place), there = place_of(other, barrier.first);
  if (at == there) return {};  // the same barrier in the source, copied by the compiler
  if (!barrier.parts_of_warps && warp.worker->launch->divergent_barriers) {
    barrier.warps_apart = true;
    return {};
  }
  const uint32_t first = barrier.first_lane;
  const char* const hint =
      barrier.parts_of_warps ? "" : " (GPUs let whole warps pass all the same; --allow-divergent-barriers does too)";
  return fault_at(
      warp, FaultKind::BarrierDeadlock, place, lane,
      fmt::format("threads of a block wait at two different barriers: thread ({},{},{}) at {}, thread ({},{},{}) at "
                  "{}; every thread of a block must reach the same __syncthreads(){}",
                  warp.tid[0][lane], warp.tid[1][lane], warp.tid[2][lane], at, other.tid[0][first], other.tid[1][first],
                  other.tid[2][first], there, hint));
}

// All threads of a block must wait at the same __syncthreads(), lanes of one warp and warps of one block alike.
// Hardware counts warps and lets whole warps pass at different ones; the engine does so on request.
void check_same_place(NamedBarrier& barrier, Warp& warp, uint32_t mask, uint32_t instruction) {
  const auto lane = static_cast<uint32_t>(std::countr_zero(mask));
  const CodePlace place = here(warp, instruction);
  if (!barrier.first_warp) barrier.parts_of_warps = false;
  barrier.parts_of_warps |= mask != living(warp);
  if (!barrier.first_warp) {
    barrier.first_warp = &warp;
    barrier.first_lane = lane;
    barrier.first = place;
    return;
  }
  if (barrier.first.code == place.code && barrier.first.instruction == instruction) return;
  if (auto fault = fault_at_two_barriers(barrier, warp, lane, place)) raise(warp, std::move(*fault));
}

}  // namespace

bool arrive(Warp& warp, uint32_t number, uint32_t threads, uint32_t mask, uint32_t predicate, uint32_t instruction) {
  if (number >= 16)
    raise(warp, fault_at(warp, FaultKind::IllegalInstruction, instruction, {},
                         fmt::format("barrier {} does not exist: a block has barriers 0 to 15", number)));
  if (threads % kWarpSize != 0)
    raise(warp,
          fault_at(warp, FaultKind::IllegalInstruction, instruction, {},
                   fmt::format("a barrier for {} threads: the number must be a multiple of the warp size", threads)));
  NamedBarrier& barrier = warp.owner->barriers[number];
  if (threads == 0) check_same_place(barrier, warp, mask, instruction);
  barrier.expected = threads;
  const uint32_t lanes = lanes_of(mask);
  // Hardware counts warps: the last lanes of a warp to arrive complete its count of 32.
  const uint32_t before = warp.grouped ? waiting(warp, number) & ~mask : 0;
  if (!warp.grouped) ++barrier.whole_warps;
  barrier.arrived += (before | mask) == living(warp) ? kWarpSize - lanes_of(before) : lanes;
  barrier.count += lanes_of(predicate);
  barrier.participants += lanes;
  if (!is_complete(*warp.owner, number)) return false;
  complete(*warp.owner, number);
  return true;
}

uint32_t barrier_result(const NamedBarrier& barrier, BarrierKind kind) {
  switch (kind) {
    case BarrierKind::RedPopc:
      return barrier.result_count;
    case BarrierKind::RedAnd:
      return barrier.result_count == barrier.result_participants;
    case BarrierKind::RedOr:
      return barrier.result_count != 0;
    default:
      return 0;
  }
}

// The end of a warp may complete barriers.
void end_of_warp(Warp& warp) {
  warp.state = Warp::State::Done;
  has_read(warp);
  ++warp.owner->done;
  complete_barriers(*warp.owner);
}

void complete_barriers(Block& block) {
  for (uint32_t number = 0; number < 16; ++number)
    if (block.barriers[number].arrived != 0 && is_complete(block, number)) complete(block, number);
  complete_cluster(block);
}

namespace {

// The barrier of the whole block, one of some of its threads, or the cluster's.
std::string awaited_barrier(const Block& block, uint32_t number) {
  if (number == jit::kClusterBarrier) return "the cluster's barrier at";
  const NamedBarrier& barrier = block.barriers[number];
  if (barrier.expected != 0)
    return fmt::format("barrier {}, to which {} of {} have come, at", number, barrier.arrived,
                       plural(barrier.expected, "thread"));
  return number == 0 ? "the barrier at" : fmt::format("barrier {} of the whole block at", number);
}

// Where lanes wait that do not run: at a barrier, or at an exchange, behind which they go on.
CodePlace place_of_wait(const LaneGroup& g) {
  const ir::Function& code = g.where->code->prepared.code;
  if (g.state == LaneGroup::State::AtBarrier) return {&code, g.instruction};
  const uint32_t next = g.block < code.blocks.size() ? code.blocks[g.block].first : 0;
  const bool at_exchange = g.state == LaneGroup::State::AtWarpSync && next != 0;
  return {&code, at_exchange && ir::warp_exchange(code.instructions[next - 1].op) ? next - 1 : next};
}

// Of lanes that wait for others of their warp: for which, and where those are.
std::string awaited_lanes(const Warp& warp, const LaneGroup& waiting) {
  const uint32_t missing = waiting.members & living(warp) & ~waiting.mask;
  if (missing == 0) return "a warp-wide exchange at";
  for (const LaneGroup& g : warp.groups)
    if ((g.mask & missing) != 0)
      return fmt::format("a warp-wide exchange for lanes {:#x} of warp {}, which are at {}, at", missing, warp.warp,
                         place_of(warp, place_of_wait(g)));
  return fmt::format("a warp-wide exchange for lanes {:#x} of warp {} at", missing, warp.warp);
}

// Of a barrier object, which has the layout of blocks/mbarrier.h.
std::string awaited_object(const Block& block, uint64_t address) {
  Mbarrier m;
  std::memcpy(&m, reinterpret_cast<const void*>(address), sizeof m);
  const uint64_t offset = address - reinterpret_cast<uint64_t>(block.shared);
  std::string missing = fmt::format("{} of {}", uint64_t{m.pending}, plural(m.expected, "arrival"));
  if (m.bytes() > 0) missing += fmt::format(" and {}", plural(uint64_t(m.bytes()), "byte"));
  if (m.bytes() < 0) missing += fmt::format(", and {} came unexpected", plural(uint64_t(-m.bytes()), "byte"));
  return fmt::format("the barrier object at shared offset {:#x}, in phase {}, which lacks {}, at", offset,
                     uint64_t{m.phase}, missing);
}

}  // namespace

Fault barrier_deadlock(Block& block) {
  // One line a place, lowest warp first.
  struct Place {
    CodePlace at;
    uint32_t threads = 0;
    Warp* warp;
    uint32_t lane;
    std::string what;
  };
  std::vector<Place> places;
  uint32_t ended = 0, total = 0;
  auto add = [&](Warp& warp, const CodePlace& at, uint32_t mask, const std::string& what) {
    if (mask == 0) return;
    for (Place& p : places)
      if (p.at.code == at.code && p.at.instruction == at.instruction && p.what == what)
        return void(p.threads += static_cast<uint32_t>(std::popcount(mask)));
    places.push_back(
        {at, static_cast<uint32_t>(std::popcount(mask)), &warp, static_cast<uint32_t>(std::countr_zero(mask)), what});
  };
  for (auto& warp : block.warps) {
    total += static_cast<uint32_t>(std::popcount(warp->live));
    ended += static_cast<uint32_t>(std::popcount(warp->live & (warp->state == Warp::State::Done ? ~0u : warp->exited)));
    uint32_t polls = warp->state == Warp::State::Ready ? ~0u : 0;
    if (warp->grouped)
      for (const LaneGroup& g : warp->groups)
        if (g.state != LaneGroup::State::Ready) polls &= ~g.mask;
    for (const ObjectWait& w : warp->object_waits) add(*warp, w.at, w.lanes & polls, awaited_object(block, w.address));
    if (warp->grouped) {
      for (const LaneGroup& g : warp->groups) {
        if (g.state == LaneGroup::State::Ready) continue;
        add(*warp, place_of_wait(g), g.mask,
            g.state == LaneGroup::State::AtBarrier ? awaited_barrier(block, g.barrier) : awaited_lanes(*warp, g));
      }
    } else if (warp->state == Warp::State::AtBarrier) {
      add(*warp, here(*warp, warp->barrier_instruction), warp->barrier_mask, awaited_barrier(block, warp->barrier));
    }
  }
  std::string message = "threads of a block wait at a barrier that the others never reach:";
  for (const Place& p : places)
    message +=
        fmt::format("\n    {} of {} wait at {} {}, first thread ({},{},{})", p.threads, plural(total, "thread"), p.what,
                    place_of(*p.warp, p.at), p.warp->tid[0][p.lane], p.warp->tid[1][p.lane], p.warp->tid[2][p.lane]);
  if (ended != 0) message += fmt::format("\n    {} of {} have ended", ended, plural(total, "thread"));
  if (places.empty()) {
    Fault fault;
    fault.kind = FaultKind::BarrierDeadlock;
    fault.message = std::move(message);
    return fault;
  }
  const Place& p = places.front();
  return fault_at(*p.warp, FaultKind::BarrierDeadlock, p.at, p.lane, std::move(message));
}

}  // namespace drywarp::exec
