// Barrier objects (mbarrier): their uses by generated code and by copies, and what is told of them.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/exec/blocks/activation.h"
#include "engine/exec/blocks/cluster.h"
#include "engine/exec/blocks/mbarrier.h"
#include "engine/exec/blocks/runtime_functions.h"
#include "engine/exec/blocks/tell.h"
#include "engine/exec/kernels/loaded_module.h"
#include "engine/exec/runtime/denied_accesses.h"
#include "engine/exec/runtime/mbarrier_use.h"
#include "engine/exec/runtime/places.h"

using namespace drywarp;
using namespace drywarp::exec;
using jit::MbarrierKind;

namespace {

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

std::string place_of_object(const Warp& warp, uint64_t address) {
  const uint64_t offset = address - reinterpret_cast<uint64_t>(warp.owner->shared);
  return offset < warp.worker->launch->shared_bytes ? fmt::format("offset {:#x} of shared memory", offset)
                                                    : fmt::format("address {:#x}", address);
}

// Arrivals that the object's phase does not wait for, or at zeros, where no object is, make an H200 stop the kernel;
// waits and counts of bytes there do not. What it does behind an mbarrier.inval is not known.
void check_arrival(Warp& warp, uint32_t instruction, MbarrierKind kind, uint32_t lane, uint64_t address,
                   const Mbarrier& m, uint32_t arrivals) {
  const bool arrives = use_of(kind) == observe::Mbarrier::Use::Arrive &&
                       running_code(warp).instructions[instruction].op != ir::Opcode::CpAsyncMbarrierArrive;
  if (!warp.worker->launch->stops_at_bad_arrivals || !arrives) return;
  const bool none = m.valid == 0 && m.expected == 0;
  if (!none && (m.valid == 0 || arrivals <= m.pending)) return;
  const std::string what = none ? fmt::format("an arrival at a barrier object at {} that has not been initialized",
                                              place_of_object(warp, address))
                                : fmt::format("{} at a barrier object at {}, whose phase waits for {} more",
                                              arrivals == 1 ? "an arrival" : fmt::format("{} arrivals", arrivals),
                                              place_of_object(warp, address), static_cast<uint32_t>(m.pending));
  raise(warp, fault_at(warp, FaultKind::BarrierObject, instruction, lane, what));
}

// An H200 takes st.async and red.async for illegal instructions in a launch that has not named clusters.
void refuse_async_store(Warp& warp, uint32_t instruction, uint32_t lane, uint64_t address) {
  const ir::Instruction& in = running_code(warp).instructions[instruction];
  const bool part = in.op == ir::Opcode::MbarrierCompleteTx && in.origin == ir::Origin::Part;
  if (!part || warp.worker->launch->explicit_cluster) return;
  constexpr const char* kRule = "asynchronous store in a launch without clusters";
  const auto fault = [&] {
    return fault_at(warp, FaultKind::IllegalInstruction, instruction, lane, fmt::format("an {}", kRule));
  };
  if (!warp.owner->spares) raise(warp, fault());
  uint64_t addresses[kWarpSize] = {};
  addresses[lane] = address;
  const Access at{warp, nullptr, AddressSpace::Shared, instruction, addresses, 1u << lane, sizeof(Mbarrier), true};
  leave_out(at, observe::Denial::Why::BadCopy, at.mask, fault, 0, 0, kRule);
}

// Without .noinc the phase waits for this arrival, too: nothing changes.
bool counts_itself(const ir::Instruction& in) {
  return in.op == ir::Opcode::CpAsyncMbarrierArrive && !in.mods.no_increment;
}

// A use of what no mbarrier.init has made an object. CUDA says nothing of what comes of it.
void use_bad_object(Warp& warp, uint32_t instruction, MbarrierKind kind, uint32_t lane, uint64_t address) {
  const Launch& launch = *warp.worker->launch;
  if (!launch.stops_at_bad_objects && !launch.allows_undefined_uses) return;
  const auto fault = [&] {
    return fault_at(warp, FaultKind::IllegalInstruction, instruction, lane,
                    fmt::format("{} a barrier object at {} that has not been initialized",
                                kind == MbarrierKind::Inval                      ? "an end of"
                                : waits(kind)                                    ? "a wait at"
                                : use_of(kind) == observe::Mbarrier::Use::Arrive ? "an arrival at"
                                                                                 : "a count of bytes of",
                                place_of_object(warp, address)));
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
  refuse_async_store(warp, instruction, lane, address);
  if (!may_use_mbarrier(warp, instruction, lane, address)) return waits(kind) ? 1 : 0;
  if (counts_itself(running_code(warp).instructions[instruction])) return 0;
  auto* memory = reinterpret_cast<void*>(address);
  Mbarrier m;
  std::memcpy(&m, memory, sizeof m);
  check_arrival(warp, instruction, kind, lane, address, m, count_of(kind, operand));
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
      m.valid = 0;
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

}  // extern "C"
