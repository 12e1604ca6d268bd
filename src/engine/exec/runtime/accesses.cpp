#include "engine/exec/runtime/accesses.h"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <cstring>

#include "base/access/access_pattern.h"
#include "base/access/lanes.h"
#include "base/support/plural.h"
#include "engine/exec/blocks/activation.h"
#include "engine/exec/blocks/cluster.h"
#include "engine/exec/blocks/tell.h"
#include "engine/exec/kernels/loaded_module.h"
#include "engine/exec/runtime/places.h"

namespace drywarp::exec {

namespace {

Window whole_shared(const Warp& warp) {
  const auto shared = reinterpret_cast<uint64_t>(warp.shared);
  return {shared, shared + warp.shared_bytes, Memory::Shared, true, true};
}

// Null: it is not known, or the block has no observer that wants to know.
const observe::SharedVariable* variable_of(const Warp& warp, uint32_t instruction) {
  if (!warp.owner->spares) return nullptr;
  const LoadedKernel& code = *warp.inside->code;
  if (!code.shared_layout) return nullptr;
  const uint32_t number = (*code.accessed_variables)[instruction];
  return number == ir::kNone ? nullptr : &code.shared_layout->variables[number];
}

// The variable at an address of which nobody knows from which it was computed; null: there is none, or none is told
// from the others.
const observe::SharedVariable* variable_at(const Warp& warp, uint64_t address) {
  const SharedLayout* const layout = warp.owner->spares ? warp.inside->code->shared_layout : nullptr;
  if (!layout || !layout->tells_apart()) return nullptr;
  const uint64_t place = address - reinterpret_cast<uint64_t>(warp.shared);
  const bool reserves = warp.worker->launch->kernel->prepared.uses_reserved_shared;
  if (reserves && place >= warp.shared_bytes - jit::kReservedShared) return nullptr;
  return layout->before(place);
}

}  // namespace

Window variable_window(const Warp& warp, uint32_t instruction, uint64_t address) {
  Window window = whole_shared(warp);
  const observe::SharedVariable* v = variable_of(warp, instruction);
  if (!v) v = variable_at(warp, address);
  if (v) {
    if (!v->dynamic) window.end = window.base + v->end;
    window.base += v->first;
  }
  return window;
}

std::optional<Window> find_window(Warp& warp, AddressSpace space, uint64_t address, uint64_t bytes) {
  const Launch& launch = *warp.worker->launch;
  const Window in_shared = whole_shared(warp);
  const uint64_t shared = in_shared.base;
  const auto local = reinterpret_cast<uint64_t>(warp.local);
  const auto parameters = reinterpret_cast<uint64_t>(warp.parameters);
  const Window in_local{local, local + warp.local_stride * kWarpSize, Memory::Local, true, true};
  const Window in_parameters{parameters, parameters + launch.kernel->prepared.code.parameter_bytes, Memory::Global,
                             false, false};
  auto fits = [&](const Window& w) { return w.holds(address, bytes) ? std::optional(w) : std::nullopt; };
  const bool behind_shared =
      launch.stray_accesses && Window{shared, shared + launch.shared_window}.holds(address, bytes);
  const Window past_shared{address, address + bytes, Memory::Shared, true, true, true};
  switch (space) {
    case AddressSpace::Shared:
      return behind_shared && !in_shared.holds(address, bytes) ? past_shared : fits(in_shared);
    case AddressSpace::Local:
      return fits(in_local);
    case AddressSpace::Param:
      return fits(in_parameters);
    case AddressSpace::Generic:
      if (in_shared.holds(address, bytes)) return in_shared;
      if (behind_shared) return past_shared;
      if (in_local.holds(address, bytes)) return in_local;
      if (const Block* other = other_owner(warp, address, bytes)) {
        const auto base = reinterpret_cast<uint64_t>(other->shared);
        Window remote{base, base + warp.shared_bytes, Memory::Shared, false, true};
        remote.remote = true;
        return remote;
      }
      if (in_parameters.holds(address, bytes)) return in_parameters;
      break;
    default:
      break;
  }
  const bool counted = space != AddressSpace::Const;
  auto allocation = launch.memory->accessible(address);
  if (!counted && allocation && allocation->kind != MemoryKind::ModuleConstant) allocation.reset();
  if (!allocation || bytes > allocation->size - (address - allocation->base)) {
    const bool mapped = launch.stray_accesses && launch.memory->mapped(address, bytes);
    if (!mapped) return std::nullopt;
    return Window{address, address + bytes, Memory::Global, counted, true, true};
  }
  return Window{allocation->base,
                allocation->base + allocation->size,
                Memory::Global,
                counted,
                allocation->kind != MemoryKind::ModuleConstant && allocation->kind != MemoryKind::ReadOnly,
                false,
                false,
                allocation->may};
}

namespace {

using Why = observe::Denial::Why;

// See FollowedPointers::left().
uint64_t other_pointer(const Access& a, uint64_t address, const Window& in) {
  const analysis::PointerSources& pointers = a.warp.inside->code->pointers;
  if (pointers.of.empty() || pointers.of[a.instruction] == ir::kNone) return 0;
  return a.warp.worker->launch->followed.left(pointers.of[a.instruction], address, in.base, in.end);
}

// An H100 takes an access to shared memory from this offset on for an instruction that it cannot run, and one below for
// an illegal address.
constexpr uint64_t kSharedAddresses = kSharedWindow;

// Of an address among the shared memories of the block's cluster; empty: it is none.
std::string in_cluster(const Warp& warp, uint64_t address) {
  const Cluster* const cluster = warp.owner->cluster;
  const uint64_t place = cluster ? address - reinterpret_cast<uint64_t>(cluster->shared()) : ~uint64_t{0};
  const uint64_t rank = place / kSharedWindow;
  if (rank >= kClusterRanks || rank == warp.cluster_ctarank) return {};
  const uint64_t blocks = cluster->members().size();
  const std::string what =
      fmt::format("offset {:#x} in the shared memory of block {} of the cluster", place % kSharedWindow, rank);
  if (rank >= blocks) return fmt::format("{}, which has {}", what, plural(blocks, "block"));
  if (!cluster->members()[rank]) return what + ", which has ended";
  return fmt::format("{}, which has {} of it", what, plural(warp.shared_bytes, "byte"));
}

Fault bad_access(const Access& a, uint32_t lane, Why why) {
  Warp& warp = a.warp;
  const AddressSpace space = a.space;
  const uint64_t address = a.addresses[lane];
  const uint32_t bytes = a.bytes;
  const bool misaligned = why == Why::Misaligned;
  const Launch& launch = *warp.worker->launch;
  const char* what = a.store ? "write" : "read";
  std::string_view memory = name(space);
  std::string where;
  FaultKind kind = misaligned ? FaultKind::MisalignedAddress : FaultKind::IllegalAddress;
  uint64_t shown = address;
  if (space == AddressSpace::Shared || space == AddressSpace::Local) {
    const uint64_t base =
        reinterpret_cast<uint64_t>(space == AddressSpace::Shared ? warp.shared : warp.local + lane * warp.local_stride);
    const uint64_t size = space == AddressSpace::Shared ? warp.shared_bytes : warp.local_stride;
    shown = address - base;
    const bool beyond = space == AddressSpace::Shared && shown >= kSharedAddresses;
    if (!misaligned) kind = beyond ? FaultKind::NoSharedAddress : FaultKind::SharedOutOfRange;
    where = fmt::format("offset {:#x}; the {} has {} of it", shown, space == AddressSpace::Shared ? "block" : "thread",
                        plural(size, "byte"));
  } else if (const std::string other = in_cluster(warp, address); !other.empty()) {
    if (!misaligned) kind = FaultKind::ClusterSharedMemory;
    where = other;
    memory = name(AddressSpace::Shared);
  } else {
    where = fmt::format("address {:#x}; {}", address, launch.memory->describe(address));
  }
  std::string message;
  if (why == Why::BadFree) {
    message = fmt::format("free of {:#x}, which malloc did not return or which is already free; {}", address,
                          launch.memory->describe(address));
  } else if (why == Why::ReadOnly) {
    message = fmt::format("invalid write of {} to constant memory at {}", plural(bytes, "byte"), where);
  } else if (why == Why::NotPermitted) {
    message = fmt::format("{} of {} that the program does not permit at {}", what, plural(bytes, "byte"), where);
  } else if (misaligned) {
    message = fmt::format("misaligned {} {} of {} at {}", memory, what, plural(bytes, "byte"), where);
  } else {
    message = fmt::format("invalid {} {} of {} at {}", memory, what, plural(bytes, "byte"), where);
  }
  Fault fault = fault_at(warp, kind, a.instruction, lane, std::move(message));
  fault.address = shown;
  fault.has_address = true;
  return fault;
}

}  // namespace

namespace {

void tell_denial(const Access& a, Why why, LaneMask lanes, uint64_t beside, uint32_t unit = 0,
                 std::string_view rule = {}) {
  Warp& warp = a.warp;
  observe::Denial denial;
  const ir::Place place = place_in_text(warp, a.instruction);
  denial.ptx_line = place.ptx_line, denial.file = place.file, denial.line = place.line;
  const Memory memory = a.space == AddressSpace::Shared  ? Memory::Shared
                        : a.space == AddressSpace::Local ? Memory::Local
                                                         : Memory::Global;
  uint64_t places[kWarpSize] = {};
  places_of(warp, memory, a.addresses, lanes, places);
  const uint64_t parameter_bytes = warp.worker->launch->kernel->prepared.code.parameter_bytes;
  if (a.space == AddressSpace::Param)
    for (uint32_t lane = 0; lane < kWarpSize; ++lane)
      places[lane] = a.addresses[lane] - reinterpret_cast<uint64_t>(warp.parameters);
  denial.warp = warp.warp;
  denial.space = a.space;
  denial.kind = a.atomic ? AccessKind::Atomic : a.store ? AccessKind::Store : AccessKind::Load;
  denial.why = why;
  denial.bytes = a.bytes;
  denial.lanes = lanes;
  denial.places = places;
  denial.addresses = a.addresses;
  denial.shared_padding = warp.worker->launch->shared_padding;
  denial.size = memory == Memory::Shared         ? warp.shared_bytes - denial.shared_padding
                : memory == Memory::Local        ? warp.local_stride
                : a.space == AddressSpace::Param ? parameter_bytes
                                                 : 0;
  denial.beside = beside;
  denial.unit = unit, denial.rule = rule;
  denial.shared_memory = {reinterpret_cast<uint64_t>(warp.shared), warp.shared_bytes};
  denial.local_memory = {reinterpret_cast<uint64_t>(warp.owner->local_storage.data()), warp.local_stride};
  if (const SharedLayout* layout = warp.inside->code->shared_layout) denial.variables = layout->variables;
  denial.variable = variable_of(warp, a.instruction);
  std::vector<std::string> cluster;
  if (warp.owner->cluster && a.space == AddressSpace::Generic) {
    cluster.resize(kWarpSize);
    const auto shared = reinterpret_cast<uint64_t>(warp.cluster_shared);
    for_lanes(lanes, [&](uint32_t lane) {
      cluster[lane] = in_cluster(warp, a.addresses[lane]);
      if (!cluster[lane].empty()) places[lane] = (a.addresses[lane] - shared) % kSharedWindow;
    });
    denial.cluster = cluster.data();
  }
  tell(*warp.owner, &observe::BlockObserver::denial, denial);
}

// Keeps the fault that the program sees after the launch.
void keep_fault(const Access& a, Why why, LaneMask lanes) {
  note_denial(a.warp, [&] { return bad_access(a, static_cast<uint32_t>(std::countr_zero(lanes)), why); });
}

// Keeps what is to be said of lanes that a GPU lets through.
void note_stray(const Access& a, LaneMask lanes) {
  Warp& warp = a.warp;
  const ir::Function& code = running_code(warp);
  StrayAccess& stray = warp.worker->strays[{&code, a.instruction}];
  if (stray.times == 0) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
    Fault first = bad_access(a, lane, Why::OutOfBounds);
    stray.place = first.location.line != 0 ? fmt::format("{}:{}", first.location.file, first.location.line)
                                           : place_of(warp, a.instruction);
    stray.instruction = std::move(first.instruction);
    stray.what = std::move(first.message);
    stray.block = warp.owner->index;
    stray.block_index = {first.block.x, first.block.y, first.block.z};
    stray.thread = {first.thread.x, first.thread.y, first.thread.z};
  }
  stray.times += static_cast<uint64_t>(std::popcount(lanes));
  if (a.store || a.atomic) warp.worker->launch->memory->note_stray_write();
}

}  // namespace

void leave_out(const Access& a, Why why, LaneMask lanes, const std::function<Fault()>& fault, uint64_t beside,
               uint32_t unit, std::string_view rule) {
  note_denial(a.warp, fault);
  tell_denial(a, why, lanes, beside, unit, rule);
}

void refuse_free(Warp& warp, uint32_t instruction, uint32_t lane, uint64_t address) {
  uint64_t addresses[kWarpSize] = {};
  addresses[lane] = address;
  const Access a{warp, nullptr, AddressSpace::Global, instruction, addresses, 1u << lane, 0};
  if (!warp.owner->spares) raise(warp, bad_access(a, lane, Why::BadFree));
  leave_out(a, Why::BadFree, a.mask, [&] { return bad_access(a, lane, Why::BadFree); }, 0);
}

namespace {

bool own_local(const Warp& warp, uint32_t lane, uint64_t address, uint64_t bytes) {
  const uint64_t own = reinterpret_cast<uint64_t>(warp.local) + lane * warp.local_stride;
  if (!Window{own, own + warp.local_stride}.holds(address, bytes)) return false;
  const uint64_t first = address - own, end = first + bytes;
  return std::ranges::none_of(warp.red_zones, [&](const RedZone& zone) {
    return first < zone.end && end > zone.first && (zone.lanes >> lane & 1) != 0;
  });
}

}  // namespace

namespace {

bool permits(const Window& window, const Access& a) {
  return (window.may & (a.atomic ? kMayAtomic : a.store ? kMayWrite : kMayRead)) != 0;
}

}  // namespace

Window check_lanes(Access& a, bool* all_in_one) {
  const bool spares = a.sparable && a.warp.owner->spares;
  Window window, first;
  LaneMask denied[static_cast<size_t>(Why::Count)] = {}, strays = 0, elsewhere = 0;
  bool none = true;
  uint64_t left_pointer = 0;
  *all_in_one = true;
  for (uint32_t left = a.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    const uint64_t address = a.addresses[lane];
    const auto refuse = [&](Why why) {
      if (!spares) raise(a.warp, bad_access(a, lane, why));
      denied[static_cast<size_t>(why)] |= 1u << lane;
    };
    // As a GPU does, before it looks where the address is.
    if ((address & (a.bytes - 1)) != 0) {
      refuse(Why::Misaligned);
      continue;
    }
    Window here = window;
    if (!here.holds(address, a.bytes)) {
      const auto found = find_window(a.warp, a.space, address, a.bytes);
      if (!found || (spares && found->memory == Memory::Local && !own_local(a.warp, lane, address, a.bytes))) {
        refuse(Why::OutOfBounds);
        continue;
      }
      here = *found;
      if (here.memory == Memory::Shared && !here.stray && !here.remote) {
        // In the block's memory, but in another variable, or beside all of them.
        const Window variable = variable_window(a.warp, a.instruction, address);
        if (!variable.holds(address, a.bytes)) {
          elsewhere |= 1u << lane, *all_in_one = false;
          if (none) first = here, none = false;
          continue;
        }
        here = variable;
      }
      if (spares && here.memory == Memory::Global && !here.stray)
        if (const uint64_t pointer = other_pointer(a, address, here); pointer != 0) {
          left_pointer = pointer;
          refuse(Why::OutOfBounds);
          continue;
        }
      if (a.store && !here.writable) {
        refuse(Why::ReadOnly);
        continue;
      }
      if (!permits(here, a)) {
        refuse(Why::NotPermitted);
        continue;
      }
    }
    // A stray window is never kept, so that each stray access is noted.
    if (here.stray) strays |= 1u << lane, *all_in_one = false;
    if (none)
      first = here, none = false;
    else if (here.base != window.base)
      *all_in_one = false;
    window = here;
    // Each lane's own part of local memory is looked at.
    if (spares && here.memory == Memory::Local) window.end = window.base;
  }
  uint64_t beside = a.site ? a.site->window_base : 0;
  LaneMask could = a.mask;
  for (const LaneMask lanes : denied) could &= ~lanes;
  if (could != 0) beside = a.addresses[std::countr_zero(could)];
  if (left_pointer != 0) beside = left_pointer;
  for (const Why why : {Why::OutOfBounds, Why::Misaligned, Why::ReadOnly, Why::NotPermitted}) {
    const LaneMask lanes = denied[static_cast<size_t>(why)];
    a.mask &= ~lanes;
    if (lanes != 0) keep_fault(a, why, lanes);
    const LaneMask told = lanes | (why == Why::OutOfBounds ? elsewhere : 0);
    if (told != 0) tell_denial(a, why, told, beside);
  }
  if (strays != 0) note_stray(a, strays);
  return first;
}

using jit::PatternMemo;

SharedOp shared_op(AddressSpace space, bool store) {
  if (store) return SharedOp::Store;
  return space == AddressSpace::Generic ? SharedOp::GenericLoad : SharedOp::Load;
}

AccessCounts cost(const Access& a, Memory memory) {
  AccessCounts c;
  c.requests = 1;
  c.lanes = static_cast<uint64_t>(std::popcount(a.mask));
  c.bytes = c.lanes * a.bytes;
  unsigned distinct = 0;
  if (a.atomic) {
    const AtomicAccess conflicts = analyze_atomic(a.addresses, a.mask, memory != Memory::Shared);
    c.atomic_addresses = distinct = conflicts.addresses, c.atomic_rounds = conflicts.max_same;
    if (memory != Memory::Shared) {
      c.units = conflicts.sectors;
      c.ideal_units = (c.bytes + kSectorBytes - 1) / kSectorBytes;
      c.unique_bytes = uint64_t{conflicts.addresses} * a.bytes;
      return c;
    }
  }
  if (memory == Memory::Shared) {
    const SharedAccess s =
        analyze_shared(a.addresses, a.mask, a.bytes, a.op, a.warp.worker->launch->shared_banks, distinct);
    c.units = s.wavefronts, c.ideal_units = s.ideal_wavefronts, c.ways = s.ways, c.unique_bytes = s.unique_bytes;
    return c;
  }
  GlobalAccess g;
  if (memory == Memory::Local) {
    alignas(64) uint64_t offsets[kWarpSize];
    const auto base = reinterpret_cast<uint64_t>(a.warp.local);
    for (uint32_t lane = 0; lane < kWarpSize; ++lane)
      offsets[lane] = a.addresses[lane] - base - lane * a.warp.local_stride;
    g = analyze_local(offsets, a.mask, a.bytes);
  } else {
    g = analyze_global(a.addresses, a.mask, a.bytes);
  }
  c.units = g.sectors, c.ideal_units = g.ideal_sectors, c.unique_bytes = g.unique_bytes;
  return c;
}

void count(const Access& a, const Window& first, bool all_in_one) {
  if (a.mask == 0 || !a.site || !a.warp.worker->launch->counters) return;
  const bool spread = a.warp.owner->cluster != nullptr;  // even atomics: over the blocks of the cluster
  if (all_in_one || a.space != AddressSpace::Generic || (a.atomic && !spread)) {
    if (first.counted) record_of(a.site, a.space, first.memory)->total += cost(a, first.memory);
    return;
  }
  uint32_t masks[kMemories] = {};
  for (uint32_t left = a.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    const auto window = find_window(a.warp, a.space, a.addresses[lane], a.bytes);
    if (window && window->counted) masks[static_cast<unsigned>(window->memory)] |= 1u << lane;
  }
  for (unsigned m = 0; m < kMemories; ++m) {
    if (masks[m] == 0) continue;
    Access part = a;
    part.mask = masks[m];
    record_of(a.site, a.space, static_cast<Memory>(m))->total += cost(part, static_cast<Memory>(m));
  }
}

Window check(Access& a, bool* all_in_one) {
  Window window = check_lanes(a, all_in_one);
  const bool keeps = a.mask != 0 && *all_in_one && window.memory == Memory::Global && a.space != AddressSpace::Param &&
                     (window.counted || a.space == AddressSpace::Const);
  if (a.site && keeps) a.site->window_base = window.base, a.site->window_end = window.end;
  return window;
}

namespace {

// The window that probably holds the access; empty: not known.
Window likely_window(const Access& a) {
  const uint64_t first = a.addresses[std::countr_zero(a.mask)];
  const Window in_shared = variable_window(a.warp, a.instruction, first);
  const auto local = reinterpret_cast<uint64_t>(a.warp.local);
  const Window in_local{local, local + a.warp.local_stride * kWarpSize, Memory::Local, true, true};
  switch (a.space) {
    case AddressSpace::Shared:
      return in_shared;
    case AddressSpace::Local:
      return a.warp.owner->spares ? Window{} : in_local;
    case AddressSpace::Param:
      return {};
    case AddressSpace::Generic:
      if (in_shared.holds(first, a.bytes)) return in_shared;
      if (in_local.holds(first, a.bytes)) return a.warp.owner->spares ? Window{} : in_local;
      break;
    default:
      break;
  }
  if (!a.site) return {};
  return {a.site->window_base, a.site->window_end, Memory::Global, a.space != AddressSpace::Const, true};
}

jit::PatternMemos& memos_of(Worker& worker, jit::AccessSite& record) {
  if (!record.patterns) {
    worker.patterns.push_back(std::make_unique<jit::PatternMemos>());
    record.patterns = worker.patterns.back().get();
  }
  return *record.patterns;
}

PatternMemo& memo_of(jit::PatternMemos& memos, const LaneDistances& d, uint32_t mask, uint32_t place) {
  const uint32_t* at = d.from_first;
  const uint32_t sum = mask + place + at[1] + 3 * at[2] + 5 * at[4] + 9 * at[8] + 17 * at[16] + 33 * at[31];
  return memos.memos[sum * 0x9e3779b9u >> (32 - jit::kPatternMemoBits)];
}

// Patterns of sorts and of hash tables never come again: looking for them would cost more than what memos keep. An
// instruction whose memos know fewer than a third of its accesses leaves them alone for a while.
constexpr int32_t kWorthOfHit = 2, kMostWorth = 32, kLeastWorth = -32, kWorthAfterPause = -24;
constexpr uint32_t kPause = 512;

void note_hit(jit::PatternMemos& memos) { memos.worth = std::min(memos.worth + kWorthOfHit, kMostWorth); }
void note_miss(jit::PatternMemos& memos) {
  if (--memos.worth >= kLeastWorth) return;
  memos.pause = kPause, memos.worth = kWorthAfterPause;
}

bool same(const uint32_t* a, const uint32_t* b) {
  using Lanes = uint32_t __attribute__((ext_vector_type(32)));
  return __builtin_reduce_or(*reinterpret_cast<const Lanes*>(a) ^ *reinterpret_cast<const Lanes*>(b)) == 0;
}

void count_pattern(const Access& a, const Window& window, const LaneDistances& d) {
  Worker& worker = *a.warp.worker;
  if (!a.site || !window.counted || !worker.launch->counters) return;
  jit::AccessSite& record = *record_of(a.site, a.space, window.memory);
  if (window.end - window.base > kWidestWindow) {
    record.total += cost(a, window.memory);
    return;
  }
  jit::PatternMemos& memos = memos_of(worker, record);
  if (memos.pause != 0) {
    --memos.pause;
    record.total += cost(a, window.memory);
    return;
  }
  // The bits of the first lane's address that can change the cost: see AccessMemo's key.
  const uint64_t places = window.memory == Memory::Global
                              ? kSectorBytes - 1
                              : jit::shared_alignment(worker.launch->shared_banks.period(), a.op);
  const auto place = static_cast<uint32_t>(d.first & places);
  PatternMemo& memo = memo_of(memos, d, a.mask, place);
  if (memo.mask == a.mask && memo.place == place && same(memo.from_first, d.from_first)) {
    ++memo.hits;
    note_hit(memos);
    return;
  }
  note_miss(memos);
  flush(record, memo);
  std::memcpy(memo.from_first, d.from_first, sizeof memo.from_first);
  memo.mask = a.mask, memo.place = place;
  memo.each = cost(a, window.memory);
  record.total += memo.each;
}

bool inside(const Access& a, const Window& window, LaneDistances& d) {
  if (window.base >= window.end || window.end - window.base < a.bytes) return false;
  measure_lanes(a.addresses, a.mask, window.base, window.end - window.base - a.bytes, a.bytes - 1, &d);
  return d.inside;
}

}  // namespace

Window check_and_count(Access& a) {
  LaneDistances distances;
  Window window = likely_window(a);
  if (inside(a, window, distances)) {
    count_pattern(a, window, distances);
    return window;
  }
  bool all_in_one = false;
  window = check(a, &all_in_one);
  if (a.mask != 0 && all_in_one && inside(a, window, distances)) {
    count_pattern(a, window, distances);
  } else {
    count(a, window, all_in_one);
  }
  return window;
}

void flush_sites(Worker& worker) {
  for (jit::AccessSite& site : worker.sites) {
    for (jit::AccessMemo& memo : site.memos) flush(site, memo);
    if (!site.patterns) continue;
    for (PatternMemo& memo : site.patterns->memos) flush(site, memo);
  }
}

}  // namespace drywarp::exec
