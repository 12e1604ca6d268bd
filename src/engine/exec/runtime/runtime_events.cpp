// Called by code that reports what it does: tells the observers of the warp's block.
#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>

#include "base/access/access_pattern.h"
#include "base/events/rare_cases.h"
#include "engine/exec/blocks/activation.h"
#include "engine/exec/blocks/cluster.h"
#include "engine/exec/blocks/runtime_functions.h"
#include "engine/exec/blocks/tell.h"
#include "engine/exec/blocks/unknown_values.h"
#include "engine/exec/kernels/loaded_module.h"
#include "engine/exec/runtime/local_memory.h"
#include "engine/exec/runtime/places.h"
#include "engine/observe/observer.h"

using namespace drywarp;
using namespace drywarp::exec;

namespace {

struct Place {
  Memory memory = Memory::Global;
  bool remote = false;  // shared memory of another block of the cluster
};
Place place_at(Warp& warp, AddressSpace space, uint64_t address) {
  switch (space) {
    case AddressSpace::Shared:
      return {Memory::Shared};
    case AddressSpace::Local:
      return {Memory::Local};
    case AddressSpace::Generic: {
      const auto window = find_window(warp, space, address, 1);
      if (!window && near_local(warp, address)) return {Memory::Local};
      return window ? Place{window->memory, window->remote} : Place{};
    }
    default:
      return {};
  }
}

// Who looks at parts of words is told of `part_bytes` at the addresses, the others of the words in which these are.
void tell_part(const Block& block, const observe::Access& access, uint32_t part_bytes) {
  observe::Access whole = access;
  uint64_t places[kWarpSize], addresses[kWarpSize];
  for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(left));
    const uint64_t within = access.addresses[lane] & (access.bytes - 1);
    places[lane] = access.places[lane] - within, addresses[lane] = access.addresses[lane] - within;
  }
  whole.places = places, whole.addresses = addresses;
  observe::Access part = access;
  part.bytes = part_bytes;
  for (const auto& observer : block.observers)
    if (observer && !observer->has_left()) observer->access(observer->looks_at_parts() ? part : whole);
  if (!access.unknown) return;
  // The bytes of the value, which is the whole word.
  for (observe::UnknownBytes& unknown : *access.unknown)
    for (LaneMask left = unknown.lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<size_t>(std::countr_zero(left));
      unknown.bytes[lane] <<= access.addresses[lane] & (access.bytes - 1);
    }
}

// Before an atomic whose value counts, other blocks have their turn, in which they come to theirs: what such atomics
// deal out, the items of a queue, the first block would take alone. Behind so many of a warp they have shown what they
// do.
constexpr uint32_t kSharedAtomics = 256;
void let_others_take(Warp& warp, AddressSpace space, uint64_t address) {
  if (warp.shared_atomics == kSharedAtomics || place_at(warp, space, address).memory != Memory::Global) return;
  ++warp.shared_atomics;
  warp.owner->lets_take = true;
  has_read(warp);
  warp.fiber->leave();
}

// The lanes of one memory. `part_bytes`: of a word whose part is accessed; 0: the access is for all its bytes.
// `used`: it was early, and its lanes use the value now.
void tell_access(Warp& warp, observe::Access access, uint32_t part_bytes, bool used) {
  alignas(64) uint64_t places[kWarpSize];
  places_of(warp, access.memory, access.addresses, access.lanes, places);
  access.places = places;
  if (used) return tell(*warp.owner, &observe::BlockObserver::used, access);
  const jit::CodeOptions& options = warp.worker->launch->kernel->options;
  const bool follows =
      options.events.flows && (access.kind == AccessKind::Load || access.replaces) && !access.call_slot;
  std::vector<observe::UnknownBytes> unknown;
  if (follows) access.unknown = &unknown;
  if (part_bytes != 0)
    tell_part(*warp.owner, access, part_bytes);
  else
    tell(*warp.owner, &observe::BlockObserver::access, access);
  const bool atomic = access.kind == AccessKind::Atomic || access.kind == AccessKind::Swap;
  if (warp.unknown != 0 && access.kind != AccessKind::Load && !atomic) warp.unknown_values->note_store(access);
  if (unknown.empty()) return;
  if (!warp.unknown_values) warp.unknown_values = std::make_unique<UnknownValues>();
  warp.unknown_values->note_load(std::move(unknown));
  warp.unknown = 1;
}

// Lanes access shared memory of other blocks of the cluster.
void tell_remote(Warp& warp, observe::Access access, LaneMask lanes) {
  access.memory = Memory::Shared, access.lanes = lanes, access.remote = true;
  uint64_t places[kWarpSize] = {}, owners[kWarpSize] = {};
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(left));
    const Block* const owner = other_owner(warp, access.addresses[lane], 1);
    if (!owner) continue;
    const RemotePlace at = remote_place(*owner, access.addresses[lane]);
    places[lane] = at.place, owners[lane] = at.owner;
  }
  access.places = places, access.owners = owners;
  tell(*warp.owner, &observe::BlockObserver::access, access);
  if (access.kind == AccessKind::Load) return;
  for (LaneMask left = lanes; left != 0; left &= left - 1)
    tell_owner(warp, access.addresses[std::countr_zero(left)], access.bytes);
}

// The number of a code block among those of the kernel: the counters of a really called function are a part of the
// kernel's.
uint32_t number_of(const Warp& warp, uint32_t block) {
  return static_cast<uint32_t>(warp.blocks - warp.worker->blocks.data()) + block;
}
uint32_t access_number(const Warp& warp, uint32_t slot) {
  return static_cast<uint32_t>(warp.sites - warp.worker->sites.data()) + slot;
}

// Of doubles; of floats with these operands.
RareCase rare_case(ir::Opcode op) {
  if (op == ir::Opcode::Div) return RareCase::DoubleQuotient;
  return op == ir::Opcode::Sqrt ? RareCase::DoubleRoot : RareCase::DoubleReciprocal;
}
RareCase rare_case(ir::Opcode op, float a, float b) {
  const auto special = [](float x) { return x == 0 || !std::isfinite(x); };
  if (op == ir::Opcode::Rcp) return RareCase::FloatReciprocal;
  if (op == ir::Opcode::Sqrt) return special(a) || a < 0 ? RareCase::FloatRootOfSpecial : RareCase::FloatRootOfTiny;
  if (special(a) || special(b)) return RareCase::FloatQuotientOfSpecial;
  return std::isnormal(a) && std::isnormal(b) ? RareCase::FloatQuotientScaled : RareCase::FloatQuotientSubnormal;
}

// What a tested value becomes.
observe::CallValue handed_on(const Warp& warp, const ValueTest& test) {
  const Activation& inside = *warp.inside;
  if (!test.is_result) return {inside.code, test.call, false, test.number};
  return inside.caller ? observe::CallValue{inside.caller->code, inside.call, true, test.number} : observe::CallValue{};
}

}  // namespace

extern "C" {

void dw_step(WarpContext* context, uint32_t block, uint32_t mask) {
  const Warp& warp = warp_of(context);
  tell(*warp.owner, &observe::BlockObserver::step, observe::Step{warp.warp, number_of(warp, block), mask});
}

void dw_access(WarpContext* context, uint32_t slot, uint32_t space_number, void* lanes, uint32_t mask, uint32_t bytes,
               uint32_t how, void* values) {
  Warp& warp = warp_of(context);
  if (mask == 0) return;
  const auto space = static_cast<AddressSpace>(space_number);
  if ((how >> 4 & 1) != 0 && warp.worker->launch->shares_at_atomics)
    let_others_take(warp, space, static_cast<const uint64_t*>(lanes)[std::countr_zero(mask)]);
  if (!has_listeners(*warp.owner)) return;
  observe::Access access;
  access.warp = warp.warp;
  access.access = access_number(warp, slot);
  access.generic = space == AddressSpace::Generic;
  access.kind = static_cast<AccessKind>(how & 0xf);
  access.early = (how >> 6 & 1) != 0;
  access.replaces = (how >> 7 & 1) != 0;
  access.order = static_cast<MemoryOrder>(how >> 8 & 0xff);
  access.scope = static_cast<MemoryScope>(how >> 16 & 0xff);
  access.element_bytes = how >> 24 & 0x1f;
  access.call_slot = how >> 31 != 0;
  const bool stores = access.kind == AccessKind::Store;
  if (warp.unknown != 0) warp.unknown_values->begin_access();
  access.values = stores ? static_cast<const uint8_t*>(values) : nullptr;
  const auto* const tested = stores ? nullptr : static_cast<const TestedLanes*>(values);
  if (tested && tested->test.goes_on != 0)
    access.followed = tested, access.goes_to = handed_on(warp, tested->test);
  else
    access.tested = tested;
  access.bytes = bytes;
  access.addresses = static_cast<const uint64_t*>(lanes);
  LaneMask masks[kMemories] = {}, remote = 0;
  if (access.generic) {
    for (LaneMask left = mask; left != 0; left &= left - 1) {
      const Place at = place_at(warp, space, access.addresses[std::countr_zero(left)]);
      (at.remote ? remote : masks[unsigned(at.memory)]) |= left & -left;
    }
  } else {
    masks[unsigned(place_at(warp, space, access.addresses[std::countr_zero(mask)]).memory)] = mask;
  }
  if (remote != 0) tell_remote(warp, access, remote);
  for (unsigned m = 0; m < kMemories; ++m) {
    if (masks[m] == 0) continue;
    access.memory = static_cast<Memory>(m), access.lanes = masks[m];
    tell_access(warp, access, how >> 29 & 3, (how >> 5 & 1) != 0);
  }
}

void dw_followed(WarpContext* context, uint32_t call, uint32_t number, uint32_t mask, void* tested) {
  const Warp& warp = warp_of(context);
  const Activation& inside = *warp.inside;
  const bool gives = call != ir::kNone;
  if (mask == 0 || (!gives && !inside.caller)) return;
  observe::Followed f{warp.warp, mask, {}, {}, static_cast<const TestedLanes*>(tested)};
  f.as = gives ? observe::CallValue{inside.code, call, true, number}
               : observe::CallValue{inside.caller->code, inside.call, false, number};
  if (f.tested->test.goes_on != 0) f.goes_to = handed_on(warp, f.tested->test);
  tell(*warp.owner, &observe::BlockObserver::followed, f);
}

void dw_flow(WarpContext* context, uint32_t instruction, uint32_t mask, uint32_t first, uint32_t second) {
  Warp& warp = warp_of(context);
  if (!warp.unknown_values || mask == 0) return;
  UnknownValues& values = *warp.unknown_values;
  const bool guard_alone = (instruction & jit::kGuardAlone) != 0;
  values.follow(warp, instruction & ~jit::kGuardAlone, guard_alone, mask, first, second);
  warp.unknown = values.any();
}

void dw_flow_shuffle(WarpContext* context, uint32_t instruction, uint32_t mask, void* distances, void* controls,
                     void* members) {
  Warp& warp = warp_of(context);
  if (mask == 0 || !has_listeners(*warp.owner)) return;
  if (!warp.unknown_values) warp.unknown_values = std::make_unique<UnknownValues>();
  warp.unknown_values->note_shuffle(static_cast<const uint32_t*>(distances), static_cast<const uint32_t*>(controls));
  warp.unknown_values->note_inactive(warp, instruction, mask, static_cast<const LaneMask*>(members));
  dw_flow(context, instruction, mask, 0, 0);
}

void dw_outcome(WarpContext* context, uint32_t slot, uint32_t mask, uint32_t wrote, uint32_t replaced, void* values) {
  const Warp& warp = warp_of(context);
  tell(
      *warp.owner, &observe::BlockObserver::outcome,
      observe::Outcome{warp.warp, access_number(warp, slot), mask, wrote, replaced, static_cast<const uint8_t*>(values),
                       warp.worker->after.has ? warp.worker->after.lanes : nullptr});
}

void dw_arrive(WarpContext* context, uint32_t block, uint32_t barrier, uint32_t threads, uint32_t waits,
               uint32_t mask) {
  const Warp& warp = warp_of(context);
  tell(*warp.owner, &observe::BlockObserver::arrival,
       observe::Arrival{warp.warp, number_of(warp, block), barrier, threads, waits != 0, mask});
}

void dw_warp_sync(WarpContext* context, uint32_t block, uint32_t how, uint32_t mask, void* lane_members) {
  const Warp& warp = warp_of(context);
  if (mask == 0 || !has_listeners(*warp.owner)) return;
  const auto* members = static_cast<const LaneMask*>(lane_members);
  const LaneMask peers = warp.exchange_peers & ~mask, gone = warp.exited | ~warp.live;
  tell(*warp.owner, &observe::BlockObserver::warp_sync,
       observe::WarpSync{warp.warp, number_of(warp, block), (how & 1) != 0, mask, gone, peers, members});
  if ((how & 2) == 0) return;
  // Lanes that name one mask wait for each other, and not for lanes of another tile.
  for (LaneMask left = mask; left != 0;) {
    const LaneMask named = members[std::countr_zero(left)];
    LaneMask together = peers & named;
    for (LaneMask rest = left; rest != 0; rest &= rest - 1)
      if (members[std::countr_zero(rest)] == named) together |= rest & -rest;
    tell(*warp.owner, &observe::BlockObserver::warp_release, observe::WarpRelease{warp.warp, (how & 1) != 0, together});
    left &= ~together;
  }
}

void dw_fence(WarpContext* context, uint32_t block, uint32_t how, uint32_t mask) {
  if (mask == 0) return;
  const Warp& warp = warp_of(context);
  tell(*warp.owner, &observe::BlockObserver::fence,
       observe::Fence{warp.warp, number_of(warp, block), static_cast<MemoryOrder>(how & 0xff),
                      static_cast<MemoryScope>(how >> 8), mask});
}

void dw_copy_use(WarpContext* context, uint32_t use, uint32_t mask, void* addresses) {
  if (mask == 0) return;
  const Warp& warp = warp_of(context);
  tell(*warp.owner, &observe::BlockObserver::copies,
       observe::CopyUse{warp.warp, static_cast<observe::CopyUse::Use>(use & 0xff), use >> 8, mask,
                        static_cast<const uint64_t*>(addresses)});
}

void dw_constant_load(WarpContext* context, uint32_t slot, void* lanes, uint32_t mask) {
  const Warp& warp = warp_of(context);
  const auto* addresses = static_cast<const uint64_t*>(lanes);
  observe::ConstantLoad load{warp.warp, access_number(warp, slot), mask};
  for (LaneMask left = mask; left != 0; ++load.words) {
    constexpr uint64_t kWord = 4;  // bytes
    const uint64_t word = addresses[std::countr_zero(left)] / kWord;
    for (LaneMask others = left; others != 0; others &= others - 1)
      if (addresses[std::countr_zero(others)] / kWord == word) left &= ~(others & -others);
  }
  tell(*warp.owner, &observe::BlockObserver::constant_load, load);
}

void dw_rare_cases(WarpContext* context, uint32_t instruction, uint32_t mask, void* a, void* b) {
  const Warp& warp = warp_of(context);
  const ir::Instruction& in = running_code(warp).instructions[instruction];
  observe::RareCases event;
  event.warp = warp.warp, event.lanes = mask;
  event.instruction = warp.inside->code->prepared.numbers.instruction[instruction];
  const bool two_words = in.type == ir::Type::F64;
  for (LaneMask left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const RareCase found =
        two_words ? rare_case(in.op) : rare_case(in.op, static_cast<float*>(a)[lane], static_cast<float*>(b)[lane]);
    event.cases |= 1u << unsigned(found);
  }
  tell(*warp.owner, &observe::BlockObserver::rare_cases, event);
}

void dw_value_match(WarpContext* context, uint32_t instruction, uint32_t mask, void* peers) {
  const Warp& warp = warp_of(context);
  observe::ValueMatch match{warp.warp, warp.inside->code->prepared.numbers.instruction[instruction], mask};
  for (LaneMask left = mask; left != 0; ++match.values) {
    const LaneMask same = static_cast<const uint32_t*>(peers)[std::countr_zero(left)];
    left &= ~(same | (left & -left));  // a lane that its own mask lacks is no peer of itself
  }
  tell(*warp.owner, &observe::BlockObserver::value_match, match);
}

void dw_exit(WarpContext* context, uint32_t block, uint32_t mask) {
  const Warp& warp = warp_of(context);
  tell(*warp.owner, &observe::BlockObserver::exit, observe::Exit{warp.warp, number_of(warp, block), mask});
}

}  // extern "C"
