// Called by traced code: records steps and accesses of a warp in its block's trace. Called by watched code: records
// accesses in the worker's log.
#include <algorithm>
#include <bit>

#include "base/access/access_pattern.h"
#include "engine/exec/blocks/runtime_functions.h"
#include "engine/exec/memory/conflict_watch.h"
#include "engine/exec/runtime/accesses.h"
#include "engine/observe/tracer.h"

using namespace drywarp;
using namespace drywarp::exec;
using jit::TraceKind;

namespace {

constexpr uint64_t kAdoptedMemory = uint64_t{1} << 44;  // where adopted host memory starts in traces, behind all other

constexpr SharedOp kSharedOps[] = {SharedOp::Load, SharedOp::Store, SharedOp::Atomic,
                                   SharedOp::Swap, SharedOp::Copy,  SharedOp::CopyPastL1};

uint16_t narrow(uint64_t value) { return static_cast<uint16_t>(std::min<uint64_t>(value, 0xffff)); }

WarpTrace& trace_of(Warp& warp) { return warp.owner->recorder->trace.warps[warp.warp]; }

// The index of the current step; 0 before the first.
uint32_t current_step(const Warp& warp) { return warp.owner->recorder->steps[warp.warp] - 1; }

// An address of global memory as an offset in the trace.
uint64_t device_offset(Warp& warp, uint64_t address) {
  const DeviceMemory& memory = *warp.worker->launch->memory;
  if (memory.reserves(address)) return address - memory.base();
  const auto allocation = memory.find(address);
  return allocation ? kAdoptedMemory + (allocation->id << 36) + (address - allocation->base) : address;
}

// Lines and their sectors, each once, in the order of the lanes that first touch them. Lines of stores also have their
// partial sectors.
void add_lines(WarpTrace& trace, TraceAccess& access, const uint64_t* addresses, uint32_t mask, uint32_t bytes,
               bool store) {
  const size_t first = trace.lines.size();
  uint32_t written[2 * kWarpSize][kLineBytes / kSectorBytes];  // bytes of each sector, a bit each
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const uint64_t begin = addresses[std::countr_zero(left)], end = begin + bytes;
    for (uint64_t at = begin & ~uint64_t{kSectorBytes - 1}; at < end; at += kSectorBytes) {
      const unsigned sector = at % kLineBytes / kSectorBytes;
      size_t known = trace.lines.size();
      while (known > first && trace.lines[known - 1].number() != at / kLineBytes) --known;
      if (known == first) {
        trace.lines.push_back(TraceLine::of(at, 0));
        known = trace.lines.size();
        if (store) std::fill_n(written[known - 1 - first], kLineBytes / kSectorBytes, 0);
      }
      trace.lines[known - 1].packed |= 1u << sector;
      if (!store) continue;
      const uint64_t from = std::max(at, begin) - at, count = std::min(at + kSectorBytes, end) - at - from;
      written[known - 1 - first][sector] |= (count == kSectorBytes ? ~0u : (1u << count) - 1) << from;
    }
  }
  const size_t found = trace.lines.size() - first;
  access.line_count = static_cast<uint16_t>(found);
  for (size_t l = 0; store && l < found; ++l) {
    TraceLine& line = trace.lines[first + l];
    unsigned parts = 0, part_bytes = 0;
    for (unsigned s = 0; s < kLineBytes / kSectorBytes; ++s) {
      const uint32_t here = written[l][s];
      if (here != 0 && here != ~0u) parts |= 1u << s, part_bytes += std::popcount(here);
    }
    if (parts != 0) line = TraceLine::of(line.address(), line.sectors(), parts, part_bytes / std::popcount(parts));
  }
}

// Sets the rounds of each line of the atomic just added: different L2 slices serve different lines.
void add_rounds(WarpTrace& trace, const TraceAccess& access, const uint64_t* places, uint32_t mask) {
  for (size_t l = access.first_line; l < trace.lines.size(); ++l) {
    TraceLine& line = trace.lines[l];
    uint32_t here = 0;
    for (uint32_t left = mask; left != 0; left &= left - 1)
      if (places[std::countr_zero(left)] / kLineBytes == line.number()) here |= left & -left;
    line = TraceLine::of_atomic(line.address(), line.sectors(), analyze_atomic(places, here).sectors);
  }
}

// Records the cost of an access and its lanes' addresses.
void sample(Warp& warp, uint32_t slot, Memory memory, bool generic, const uint64_t* addresses, uint32_t mask,
            uint32_t bytes, TraceKind kind) {
  AccessSample s;
  s.access = slot, s.memory = memory, s.size = static_cast<uint8_t>(bytes), s.lanes = mask;
  s.block = warp.owner->index, s.warp = warp.warp;
  s.atomic = kind == TraceKind::Atomic || kind == TraceKind::Swap;
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    if (memory == Memory::Shared)
      s.addresses[lane] = addresses[lane] - reinterpret_cast<uint64_t>(warp.shared);
    else if (memory == Memory::Local)
      s.addresses[lane] = addresses[lane] - reinterpret_cast<uint64_t>(warp.local) - lane * warp.local_stride;
    else
      s.addresses[lane] = device_offset(warp, addresses[lane]);
  }
  if (memory == Memory::Shared) {
    s.banks = warp.worker->launch->shared_banks;
    s.op = generic && kind == TraceKind::Load ? SharedOp::GenericLoad : kSharedOps[uint32_t(kind)];
    s.units = analyze_shared(s.addresses.data(), mask, bytes, s.op, s.banks).wavefronts;
  } else if (memory == Memory::Local) {
    s.units = analyze_local(s.addresses.data(), mask, bytes).sectors;
  } else {
    s.units = s.atomic ? analyze_atomic(s.addresses.data(), mask).sectors
                       : analyze_global(s.addresses.data(), mask, bytes).sectors;
  }
  const auto [known, is_new] = warp.owner->recorder->samples.try_emplace({slot, memory}, s);
  if (!is_new && s.outranks(known->second)) known->second = s;
}

void record(Warp& warp, uint32_t slot, Memory memory, bool generic, const uint64_t* addresses, uint32_t mask,
            uint32_t bytes, TraceKind kind) {
  if (warp.owner->recorder->sampling) return sample(warp, slot, memory, generic, addresses, mask, bytes, kind);
  if (warp.owner->recorder->also_samples) sample(warp, slot, memory, generic, addresses, mask, bytes, kind);
  WarpTrace& trace = trace_of(warp);
  TraceAccess access;
  access.step = current_step(warp);
  access.access = slot;
  access.lanes = static_cast<uint8_t>(std::popcount(mask));
  access.first_line = static_cast<uint32_t>(trace.lines.size());
  alignas(64) uint64_t places[kWarpSize];
  if (memory == Memory::Shared) {
    access.space = AddressSpace::Shared;
    const auto base = reinterpret_cast<uint64_t>(warp.shared);
    for (uint32_t lane = 0; lane < kWarpSize; ++lane) places[lane] = addresses[lane] - base;
    const SharedOp op = generic && kind == TraceKind::Load ? SharedOp::GenericLoad : kSharedOps[uint32_t(kind)];
    const SharedAccess cost = analyze_shared(places, mask, bytes, op, warp.worker->launch->shared_banks);
    access.units = narrow(cost.wavefronts), access.ideal_units = narrow(cost.ideal_wavefronts);
  } else if (memory == Memory::Local) {
    access.space = AddressSpace::Local;
    // Word w of lane l lies at (32 w + l) * 4 of the warp's local memory.
    const auto base = reinterpret_cast<uint64_t>(warp.local);
    const uint32_t words = (bytes + 3) / 4;
    for (uint32_t w = 0; w < words; ++w) {
      for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
        const uint64_t offset = addresses[lane] - base - lane * warp.local_stride;
        places[lane] = ((offset / 4 + w) * kWarpSize + lane) * 4;
      }
      const uint16_t before = access.line_count;
      add_lines(trace, access, places, mask, 4, kind == TraceKind::Store);
      access.line_count = static_cast<uint16_t>(access.line_count + before);
      access.units = narrow(access.units +
                            analyze_shared(places, mask, 4, SharedOp::Load).wavefronts);  // distinct banks, or words
    }
  } else {
    for (uint32_t left = mask; left != 0; left &= left - 1) {
      const auto lane = std::countr_zero(left);
      places[lane] = device_offset(warp, addresses[lane]);
    }
    add_lines(trace, access, places, mask, bytes, kind == TraceKind::Store);
    if (kind == TraceKind::Atomic || kind == TraceKind::Swap) {
      const AtomicAccess conflicts = analyze_atomic(addresses, mask);
      access.units = narrow(conflicts.sectors), access.ideal_units = narrow(conflicts.addresses);
      add_rounds(trace, access, places, mask);
    } else {
      const uint32_t halves = bytes > 16 ? 2 : 1;  // 32 bytes a lane move in two instructions
      const SharedAccess banks =
          analyze_shared(places, mask, bytes / halves, kind == TraceKind::Store ? SharedOp::Store : SharedOp::Load);
      access.units = narrow(banks.wavefronts * halves), access.ideal_units = narrow(banks.ideal_wavefronts * halves);
    }
  }
  trace.accesses.push_back(access);
  warp.owner->recorder->grow(sizeof(TraceAccess) + access.line_count * sizeof(TraceLine), 0);
}

Memory memory_at(Warp& warp, AddressSpace space, uint64_t address) {
  switch (space) {
    case AddressSpace::Shared:
      return Memory::Shared;
    case AddressSpace::Local:
      return Memory::Local;
    case AddressSpace::Generic: {
      const auto window = find_window(warp, space, address, 1);
      return window ? window->memory : Memory::Global;
    }
    default:
      return Memory::Global;
  }
}

}  // namespace

extern "C" {

void dw_trace_step(WarpContext* context, uint32_t block, uint32_t mask) {
  Warp& warp = warp_of(context);
  if (!warp.owner->recorder || !warp.owner->recorder->traces()) return;
  observe::BlockRecorder& recorder = *warp.owner->recorder;
  // The counters of a really called function are a part of the kernel's.
  const auto first = static_cast<uint32_t>(warp.blocks - warp.worker->blocks.data());
  auto& steps = trace_of(warp).steps;
  ++recorder.steps[warp.warp];
  const uint64_t instructions =
      first + block < recorder.block_sizes->size() ? (*recorder.block_sizes)[first + block] : 0;
  if (!steps.empty() && steps.back().block == first + block && steps.back().lanes == mask) {
    ++steps.back().repeats;
    recorder.grow(0, instructions);
  } else {
    steps.push_back({first + block, mask, 1});
    recorder.grow(sizeof(WarpStep), instructions);
  }
}

void dw_trace_access(WarpContext* context, uint32_t slot, uint32_t space_number, void* lanes, uint32_t mask,
                     uint32_t bytes, uint32_t kind) {
  Warp& warp = warp_of(context);
  if (!warp.owner->recorder || warp.owner->recorder->abandoned || mask == 0) return;
  const auto* addresses = static_cast<const uint64_t*>(lanes);
  const auto space = static_cast<AddressSpace>(space_number);
  const auto site = static_cast<uint32_t>(warp.sites - warp.worker->sites.data()) + slot;
  uint32_t masks[kMemories] = {};
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = std::countr_zero(left);
    masks[unsigned(memory_at(warp, space, addresses[lane]))] |= 1u << lane;
    if (space != AddressSpace::Generic) {
      masks[unsigned(memory_at(warp, space, addresses[lane]))] = mask;
      break;
    }
  }
  for (unsigned m = 0; m < kMemories; ++m)
    if (masks[m] != 0)
      record(warp, site, static_cast<Memory>(m), space == AddressSpace::Generic, addresses, masks[m], bytes,
             static_cast<TraceKind>(kind));
}

void dw_trace_barrier(WarpContext* context, uint32_t barrier, uint32_t threads, uint32_t mask) {
  Warp& warp = warp_of(context);
  if (!warp.owner->recorder || !warp.owner->recorder->traces()) return;
  TraceAccess access;
  access.step = current_step(warp);
  access.space = AddressSpace::None;
  access.lanes = static_cast<uint8_t>(std::popcount(mask));
  access.units = narrow(barrier), access.ideal_units = narrow(threads);
  trace_of(warp).accesses.push_back(access);
  warp.owner->recorder->grow(sizeof(TraceAccess), 0);
}

void dw_watch(WarpContext* context, uint32_t space, void* lanes, uint32_t mask, uint32_t bytes, uint32_t elements,
              uint32_t kind, void* values) {
  Warp& warp = warp_of(context);
  const auto* addresses = static_cast<const uint64_t*>(lanes);
  if (static_cast<AddressSpace>(space) == AddressSpace::Generic) {
    const auto shared = reinterpret_cast<uint64_t>(warp.shared), local = reinterpret_cast<uint64_t>(warp.local);
    for (uint32_t left = mask; left != 0; left &= left - 1) {
      const uint64_t address = addresses[std::countr_zero(left)];
      const bool own = address - shared < warp.shared_bytes || address - local < warp.local_stride * kWarpSize;
      if (own) mask &= ~(left & -left);
    }
  }
  if (mask == 0) return;
  ConflictWatch::Log& log = *warp.worker->log;
  switch (static_cast<jit::WatchKind>(kind)) {
    case jit::WatchKind::Load:
      return log.note(addresses, mask, bytes * elements, ConflictWatch::Use::Load);
    case jit::WatchKind::Store:
      return log.note_store(addresses, mask, bytes, elements, values);
    case jit::WatchKind::Atomic:
      return log.note(addresses, mask, bytes * elements, ConflictWatch::Use::Atomic);
  }
}

}  // extern "C"
