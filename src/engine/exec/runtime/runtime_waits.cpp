// Waiting: barriers, mbarriers, loops that may spin, handing over to the lane-group scheduler; and time.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "engine/exec/blocks/activation.h"
#include "engine/exec/blocks/cluster.h"
#include "engine/exec/blocks/mbarrier.h"
#include "engine/exec/blocks/runtime_functions.h"
#include "engine/exec/blocks/tell.h"
#include "engine/exec/kernels/loaded_module.h"
#include "engine/exec/runtime/accesses.h"
#include "engine/exec/runtime/mbarrier_use.h"
#include "engine/exec/runtime/places.h"

using namespace drywarp;
using namespace drywarp::exec;
using jit::BarrierKind;
using jit::MbarrierKind;

namespace {

constexpr uint64_t kClockRead = 32;  // cycles that reading the clock takes: loops that wait for it end soon

uint64_t cycles_to_nanoseconds(const Launch& launch, uint64_t cycles) {
  return static_cast<uint64_t>(static_cast<unsigned __int128>(cycles) * 1'000'000 / launch.clock_khz);
}

// Loop checks of a diverged warp in a loop that may wait for its own lanes; of one that is checked at each poll.
constexpr uint64_t kSpinsBeforeGroups = 8, kPollsBeforeGroups = 1024;

// Turns in loops that may wait, since the warp last met others at a barrier, until it counts as one that waits.
constexpr uint32_t kTurnsBeforeSpin = 1'000;

// What a warp writes once a poll has ended is seen two polls later: a store takes longer to another SM than a poll
// does.
constexpr unsigned kPausesBehindPoll = 2;

void complete_phase(Mbarrier& m) {
  if (m.pending != 0 || m.transactions != 0) return;
  m.pending = m.expected;
  m.phase ^= 1;
}

bool waits(MbarrierKind kind) {
  return kind == MbarrierKind::TestWait || kind == MbarrierKind::TestWaitParity || kind == MbarrierKind::TryWait ||
         kind == MbarrierKind::TryWaitParity;
}

observe::Mbarrier::Use use_of(MbarrierKind kind) {
  using Use = observe::Mbarrier::Use;
  if (waits(kind)) return Use::Wait;
  switch (kind) {
    case MbarrierKind::Init:
      return Use::Init;
    case MbarrierKind::Inval:
      return Use::Inval;
    case MbarrierKind::ExpectTx:
      return Use::Expect;
    case MbarrierKind::CompleteTx:
      return Use::Complete;
    default:
      return Use::Arrive;
  }
}

// What the operation counts by.
uint32_t count_of(MbarrierKind kind, uint64_t operand) {
  if (waits(kind)) return operand & 1;
  if (kind == MbarrierKind::ArriveExpectTx) return 1;
  return use_of(kind) == observe::Mbarrier::Use::Arrive && operand == 0 ? 1 : static_cast<uint32_t>(operand);
}

observe::Mbarrier::State state_of(const Mbarrier& m) {
  return {m.valid != 0, static_cast<uint32_t>(m.phase), static_cast<uint32_t>(m.expected),
          static_cast<uint32_t>(m.pending), m.bytes()};
}

void tell_mbarrier(const Warp& warp, uint32_t instruction, MbarrierKind kind, observe::Mbarrier event) {
  const ir::Function& code = running_code(warp);
  const ir::Instruction& in = code.instructions[instruction];
  event.releases = in.op == ir::Opcode::MbarrierCompleteTx && in.origin == ir::Origin::Part;
  if (const uint32_t number = in.place; number != ir::kNone) {
    const ir::Place& place = code.places[number];
    event.ptx_line = place.ptx_line;
    if (place.line != 0) event.file = place.file, event.line = place.line;
  }
  event.instruction = warp.inside->code->prepared.numbers.instruction[instruction];
  event.place = static_cast<uint32_t>(event.address - reinterpret_cast<uint64_t>(warp.owner->shared));
  event.warp = warp.warp;
  event.use = use_of(kind);
  event.tokens = kind == MbarrierKind::TestWait || kind == MbarrierKind::TryWait;
  event.completes = kind != MbarrierKind::ArriveNoComplete && kind != MbarrierKind::ArriveDropNoComplete;
  tell(*warp.owner, &observe::BlockObserver::mbarrier, event);
}

// A use of what no mbarrier.init has made an object. CUDA says nothing of what comes of it.
void use_bad_object(Warp& warp, uint32_t instruction, MbarrierKind kind, uint32_t lane, uint64_t address) {
  const Launch& launch = *warp.worker->launch;
  if (!launch.stops_at_bad_objects && !launch.allows_undefined_uses) return;
  const auto fault = [&] {
    const uint64_t offset = address - reinterpret_cast<uint64_t>(warp.owner->shared);
    return fault_at(warp, FaultKind::IllegalInstruction, instruction, lane,
                    fmt::format("{} a barrier object at {} that has not been initialized",
                                kind == MbarrierKind::Inval                      ? "an end of"
                                : waits(kind)                                    ? "a wait at"
                                : use_of(kind) == observe::Mbarrier::Use::Arrive ? "an arrival at"
                                                                                 : "a count of bytes of",
                                offset < launch.shared_bytes ? fmt::format("offset {:#x} of shared memory", offset)
                                                             : fmt::format("address {:#x}", address)));
  };
  if (launch.stops_at_bad_objects) raise(warp, fault());
  note_undefined_use(warp, instruction, UndefinedUse::Of::BarrierObject, fault);
}

// Lanes that did not pass, at objects of their own block: only the block can change these.
uint32_t in_vain(const Warp& warp, uint32_t mask, const uint64_t* addresses, const uint64_t* passed) {
  const auto start = reinterpret_cast<uint64_t>(warp.owner->shared);
  uint32_t lanes = 0;
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    const bool own = addresses[lane] - start < warp.worker->launch->shared_bytes;
    if (passed[lane] == 0 && own) lanes |= left & -left;
  }
  return lanes;
}

uint32_t use_cluster_barrier(Warp& warp, BarrierKind kind, uint32_t mask, uint32_t instruction) {
  if (mask == 0) return 0;
  if (kind == BarrierKind::Arrive) {
    arrive_at_cluster(warp, mask, instruction);
    return 0;
  }
  has_read(warp);
  if (passes_cluster(warp, mask)) return 0;
  warp.barrier = jit::kClusterBarrier;
  warp.barrier_instruction = instruction;
  warp.barrier_mask = mask;
  warp.state = Warp::State::AtBarrier;
  while (warp.state == Warp::State::AtBarrier) warp.fiber->leave();
  return 0;
}

// A trap is all that code which synchronizes the grid can do without a workspace.
Fault trapped(const Warp& warp, uint32_t instruction, uint32_t lane) {
  if (warp.worker->launch->workspace == 0 && warp.inside->code->prepared.uses_workspace)
    return fault_at(warp, FaultKind::NotCooperative, instruction, lane, kNotCooperative);
  return fault_at(warp, FaultKind::Trap, instruction, lane, "the kernel executed a trap");
}

}  // namespace

namespace drywarp::exec {

bool may_use_mbarrier(Warp& warp, uint32_t instruction, uint32_t lane, uint64_t address) {
  uint64_t addresses[kWarpSize] = {};
  addresses[lane] = address;
  bool one = false;
  const bool shared = address - reinterpret_cast<uint64_t>(warp.shared) < kSharedWindow &&
                      !warp.worker->launch->memory->reserves(address) && !other_owner(warp, address, sizeof(Mbarrier));
  const AddressSpace space = shared ? AddressSpace::Shared : AddressSpace::Generic;
  Access whole{warp, nullptr, space, instruction, addresses, 1u << lane, sizeof(Mbarrier), true};
  check_lanes(whole, &one);
  return whole.mask != 0;
}

uint64_t use_mbarrier(Warp& warp, uint32_t instruction, MbarrierKind kind, uint32_t lane, uint32_t lanes,
                      uint64_t address, uint64_t operand) {
  if (kind == MbarrierKind::PendingCount) return operand >> 1 & 0xfffff;
  if (!may_use_mbarrier(warp, instruction, lane, address)) return waits(kind) ? 1 : 0;
  auto* memory = reinterpret_cast<void*>(address);
  Mbarrier m;
  std::memcpy(&m, memory, sizeof m);
  if (m.valid == 0 && kind != MbarrierKind::Init) use_bad_object(warp, instruction, kind, lane, address);
  // The state token that arrive gives: the phase it arrived in, and the arrivals still pending.
  const uint64_t token = uint64_t{m.phase} | uint64_t{m.pending} << 1;
  const auto amount = static_cast<uint32_t>(operand);
  const observe::Mbarrier::State before = state_of(m);
  uint64_t result = token;
  switch (kind) {
    case MbarrierKind::Init:
      std::memset(&m, 0, sizeof m);
      m.expected = m.pending = amount;
      m.valid = 1;
      break;
    case MbarrierKind::Inval:
      std::memset(&m, 0, sizeof m);
      break;
    case MbarrierKind::Arrive:
    case MbarrierKind::ArriveNoComplete:
      m.pending -= std::min<uint64_t>(m.pending, operand == 0 ? 1 : amount);
      complete_phase(m);
      break;
    case MbarrierKind::ArriveDrop:
    case MbarrierKind::ArriveDropNoComplete: {
      const uint64_t n = operand == 0 ? 1 : amount;
      m.expected -= std::min<uint64_t>(m.expected, n);
      m.pending -= std::min<uint64_t>(m.pending, n);
      complete_phase(m);
      break;
    }
    case MbarrierKind::ArriveExpectTx:
      m.add_bytes(amount);
      m.pending -= std::min<uint64_t>(m.pending, 1);
      complete_phase(m);
      break;
    case MbarrierKind::ExpectTx:
      m.add_bytes(amount);
      break;
    case MbarrierKind::CompleteTx:
      m.add_bytes(-int64_t{amount});
      complete_phase(m);
      break;
    default:
      result = (operand & 1) != m.phase;
      break;
  }
  std::memcpy(memory, &m, sizeof m);
  tell_owner(warp, address, sizeof m);
  if (has_listeners(*warp.owner)) {
    observe::Mbarrier event;
    event.in_cluster = warp.owner->cluster != nullptr;
    event.remote = other_owner(warp, address, sizeof m) != nullptr;
    event.lane = lane, event.address = address, event.lanes = lanes;
    event.passed = waits(kind) && result != 0;
    event.count = count_of(kind, operand);
    event.before = before, event.after = state_of(m);
    tell_mbarrier(warp, instruction, kind, event);
  }
  return result;
}

void note_object_change(Warp& warp) {
  warp.on_objects_alone = false;
  ++warp.owner->object_changes;
}

}  // namespace drywarp::exec

extern "C" {

uint32_t dw_barrier(WarpContext* context, uint32_t instruction, uint32_t kind_number, uint32_t barrier,
                    uint32_t threads, uint32_t mask, uint32_t predicate) {
  Warp& warp = warp_of(context);
  const auto kind = static_cast<BarrierKind>(kind_number);
  if (barrier == jit::kClusterBarrier) return use_cluster_barrier(warp, kind, mask, instruction);
  warp.barrier = barrier;
  warp.barrier_instruction = instruction;
  warp.barrier_mask = mask;
  if (kind == BarrierKind::Arrive) {
    arrive(warp, barrier, threads, mask, predicate, instruction);
    return 0;
  }
  has_read(warp);
  warp.turns_taken = 0;
  // Set the state first, then count: completion releases this warp with the others.
  warp.state = Warp::State::AtBarrier;
  const bool last_to_arrive = arrive(warp, barrier, threads, mask, predicate, instruction);
  // After a barrier warps continue in the order of their numbers, much as a GPU's oldest-first schedulers do. Otherwise
  // the last to arrive would run ahead and overwrite what the others still read.
  if (last_to_arrive && warp.owner->warps.size() > 1) warp.fiber->leave();
  while (warp.state == Warp::State::AtBarrier) warp.fiber->leave();
  return barrier_result(warp.owner->barriers[barrier], kind);
}

void dw_let_others_read(WarpContext* context) {
  Warp& warp = warp_of(context);
  has_read(warp);
  if (warp.owner->behind != 0) warp.fiber->leave();
}

void dw_mbarrier(WarpContext* context, uint32_t instruction, uint32_t kind_number, void* lane_addresses, uint32_t mask,
                 void* lane_operands, void* lane_out) {
  Warp& warp = warp_of(context);
  const auto kind = static_cast<MbarrierKind>(kind_number);
  const auto* addresses = static_cast<const uint64_t*>(lane_addresses);
  const auto* operands = static_cast<const uint64_t*>(lane_operands);
  auto* out = static_cast<uint64_t*>(lane_out);
  bool waited = false;
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    out[lane] = use_mbarrier(warp, instruction, kind, lane, mask, addresses[lane], operands[lane]);
    waited |= (kind == MbarrierKind::TryWait || kind == MbarrierKind::TryWaitParity) && out[lane] == 0;
  }
  if (waits(kind)) {
    note_polls(warp, instruction, mask, in_vain(warp, mask, addresses, out), addresses);
  } else if (kind != MbarrierKind::PendingCount) {
    note_object_change(warp);
  }
  // try_wait suspends for a while: let other warps run.
  if (waited) {
    stop_if_asked(warp, instruction);
    warp.yielded = warp.waits = true;
    warp.fiber->leave();
  }
}

uint32_t dw_back_edge(WarpContext* context, uint32_t block, uint32_t mask, uint32_t waiting) {
  Warp& warp = warp_of(context);
  const ir::Function& code = running_code(warp);
  stop_if_asked(warp, block < code.blocks.size() ? code.blocks[block].first : 0);
  const auto loop = static_cast<analysis::Waiting>(waiting & ~jit::kEachPoll);
  const uint64_t before_groups = (waiting & jit::kEachPoll) != 0 ? kPollsBeforeGroups : kSpinsBeforeGroups;
  if (!warp.grouped)
    warp.on_objects_alone = loop == analysis::Waiting::Only && warp.inside->code->prepared.loops.on_objects[block] &&
                            polled_in_vain(warp) == living(warp);
  if (loop != analysis::Waiting::Never) {
    if (!warp.grouped) warp.goes_on = !warp.inside->code->prepared.loops.endless[block];
    // A lane may wait for another one of its warp, unless other warps of the block make progress.
    const bool lanes_elsewhere = (living(warp) & ~mask) != 0;
    const bool in_vain = std::exchange(warp.seen_progress, warp.owner->progress) == warp.owner->progress;
    if (!warp.grouped && lanes_elsewhere && (in_vain || loop != analysis::Waiting::Only) &&
        ++warp.loop_checks >= before_groups)
      return 1;
    warp.yielded = true;
    warp.waits = loop == analysis::Waiting::Only;
    warp.fiber->leave();
    stop_if_asked(warp, block < code.blocks.size() ? code.blocks[block].first : 0);
  }
  return 0;
}

void dw_take_turn(WarpContext* context, uint32_t block) {
  Warp& warp = warp_of(context);
  const analysis::WaitingLoops& loops = warp.inside->code->prepared.loops;
  // A loop that may wait for others does so, for all that can be seen, once it has run very often.
  if (loops.header[block] != analysis::Waiting::Never && ++warp.turns_taken > kTurnsBeforeSpin) {
    warp.yielded = true;
    warp.goes_on = !loops.endless[block];
  }
  has_read(warp);  // the others read before its next store
  warp.fiber->leave();
}

void dw_polled(WarpContext* context, uint32_t block) {
  Warp& warp = warp_of(context);
  const ir::Function& code = running_code(warp);
  warp.loop_checks = 0;
  for (unsigned pause = 0; pause < kPausesBehindPoll; ++pause) warp.fiber->leave();  // not yielded: it goes on
  stop_if_asked(warp, block < code.blocks.size() ? code.blocks[block].first : 0);
}

uint64_t dw_clock(WarpContext* context, uint32_t kind) {
  Warp& warp = warp_of(context);
  switch (static_cast<jit::ClockKind>(kind)) {
    case jit::ClockKind::Clock64:
      return warp.worker->clock += kClockRead;
    case jit::ClockKind::GlobalTimer:
      return cycles_to_nanoseconds(*warp.worker->launch, warp.worker->clock += kClockRead);
    case jit::ClockKind::NsmId:
      return 1;
    default:
      return 0;
  }
}

void dw_sleep(WarpContext* context, uint32_t nanoseconds) {
  Warp& warp = warp_of(context);
  warp.worker->clock += nanoseconds * warp.worker->launch->clock_khz / 1'000'000;
  stop_if_asked(warp, 0);
  warp.yielded = warp.waits = true;
  warp.fiber->leave();
}

void dw_trap(WarpContext* context, uint32_t instruction, uint32_t reason, uint32_t mask) {
  Warp& warp = warp_of(context);
  const auto lane = static_cast<uint32_t>(std::countr_zero(mask | 0x80000000u));
  const ir::Function& code = running_code(warp);
  switch (static_cast<jit::TrapReason>(reason)) {
    case jit::TrapReason::Breakpoint:
      return;  // no debugger is attached
    case jit::TrapReason::Trap:
      raise(warp, trapped(warp, instruction, lane));
    case jit::TrapReason::BadBranchIndex:
      raise(warp, fault_at(warp, FaultKind::IllegalInstruction, instruction, lane,
                           "an indirect branch to an index outside its table"));
    case jit::TrapReason::Unsupported:
      raise(warp, fault_at(warp, FaultKind::IllegalInstruction, instruction, lane,
                           fmt::format("the instruction '{}' cannot be run yet",
                                       ir::info(code.instructions[instruction].op).mnemonic)));
  }
}

}  // extern "C"
