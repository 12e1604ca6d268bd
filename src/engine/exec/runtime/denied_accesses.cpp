#include "engine/exec/runtime/denied_accesses.h"

#include <fmt/format.h>

#include <bit>

#include "base/access/lanes.h"
#include "base/support/plural.h"
#include "engine/exec/blocks/activation.h"
#include "engine/exec/blocks/cluster.h"
#include "engine/exec/blocks/tell.h"
#include "engine/exec/kernels/loaded_module.h"
#include "engine/exec/runtime/local_memory.h"
#include "engine/exec/runtime/places.h"

namespace drywarp::exec {

using Why = observe::Denial::Why;

namespace {

// An H100 takes an access to shared memory from this offset on for an instruction that it cannot run, and one below for
// an illegal address.
constexpr uint64_t kSharedAddresses = kSharedWindow;

// Whether the block is a cluster alone, and the instruction names the memory of others: `mapa` gives such addresses.
bool names_others(const Warp& warp, uint32_t instruction) {
  const ir::Instruction& in = running_code(warp).instructions[instruction];
  if (warp.owner->cluster || in.mods.space != AddressSpace::SharedCluster) return false;
  return warp.worker->launch->explicit_cluster || ir::info(in.op).family == ir::Family::Mbarrier;
}

// Of an address among the shared memories of the block's cluster; empty: it is none.
std::string in_cluster(const Warp& warp, uint32_t instruction, uint64_t address) {
  const Cluster* const cluster = warp.owner->cluster;
  if (!cluster && !names_others(warp, instruction)) return {};
  const uint64_t place = address - reinterpret_cast<uint64_t>(cluster ? cluster->shared() : warp.cluster_shared);
  const uint64_t rank = place / kSharedWindow;
  if (rank >= kClusterRanks || rank == warp.cluster_ctarank) return {};
  const uint64_t blocks = cluster ? cluster->members().size() : 1;
  const std::string what =
      fmt::format("offset {:#x} in the shared memory of block {} of the cluster", place % kSharedWindow, rank);
  if (rank >= blocks) return fmt::format("{}, which has {}", what, plural(blocks, "block"));
  if (!cluster->members()[rank]) return what + ", which has ended";
  return fmt::format("{}, which has {} of it", what, plural(warp.shared_bytes, "byte"));
}

}  // namespace

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
  if (space == AddressSpace::Shared) {
    shown = address - reinterpret_cast<uint64_t>(warp.shared);
    if (!misaligned) kind = shown >= kSharedAddresses ? FaultKind::NoSharedAddress : FaultKind::SharedOutOfRange;
    where = fmt::format("offset {:#x}; the block has {} of it", shown, plural(warp.shared_bytes, "byte"));
  } else if (space == AddressSpace::Local ||
             (space == AddressSpace::Generic && launch.local_bytes != 0 && near_local(warp, address))) {
    const int64_t offset = local_offset(a, lane);
    shown = static_cast<uint64_t>(offset);
    if (!misaligned && space == AddressSpace::Local) kind = FaultKind::SharedOutOfRange;
    where = fmt::format("offset {:#x}; the thread has {} of it", offset, plural(launch.local_bytes, "byte"));
    memory = name(AddressSpace::Local);
  } else if (space == AddressSpace::Param) {
    shown = address - reinterpret_cast<uint64_t>(warp.parameters);
    where = fmt::format("offset {:#x}; the kernel has {} of them", shown,
                        plural(launch.kernel->prepared.code.parameter_bytes, "byte"));
  } else if (const std::string other = in_cluster(warp, a.instruction, address); !other.empty()) {
    // Without clusters an H200 takes such a use of a barrier object for an instruction that it cannot run.
    if (!misaligned) kind = launch.explicit_cluster ? FaultKind::ClusterSharedMemory : FaultKind::IllegalInstruction;
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

void tell_denial(const Access& a, Why why, LaneMask lanes, uint64_t beside, uint32_t unit, std::string_view rule) {
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
  denial.local_arrays = warp.local_arrays;
  std::vector<std::string> cluster;
  if (warp.owner->cluster && a.space == AddressSpace::Generic) {
    cluster.resize(kWarpSize);
    const auto shared = reinterpret_cast<uint64_t>(warp.cluster_shared);
    for_lanes(lanes, [&](uint32_t lane) {
      cluster[lane] = in_cluster(warp, a.instruction, a.addresses[lane]);
      if (!cluster[lane].empty()) places[lane] = (a.addresses[lane] - shared) % kSharedWindow;
    });
    denial.cluster = cluster.data();
  }
  tell(*warp.owner, &observe::BlockObserver::denial, denial);
}

void note_strays(const Access& a, LaneMask lanes, LaneMask lost) {
  Warp& warp = a.warp;
  const LaneMask mapped = lanes & ~lost & ~a.elsewhere;
  const ir::Function& code = running_code(warp);
  StrayAccess& stray = warp.worker->strays[{&code, a.instruction}];
  if (stray.times == 0) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
    Fault first = bad_access(a, lane, Why::OutOfBounds);
    stray.place = first.location.line != 0 ? fmt::format("{}:{}", first.location.file, first.location.line)
                                           : place_of(warp, a.instruction);
    stray.instruction = std::move(first.instruction);
    stray.what = std::move(first.message) + (lost >> lane & 1     ? ", where a GPU reads 0 and drops what is written"
                                             : mapped >> lane & 1 ? ", which a GPU has mapped"
                                                                  : ", which a GPU takes for the thread's own memory");
    stray.block = warp.owner->index;
    stray.block_index = {first.block.x, first.block.y, first.block.z};
    stray.thread = {first.thread.x, first.thread.y, first.thread.z};
  }
  stray.times += static_cast<uint64_t>(std::popcount(lanes));
  if (mapped != 0 && (a.store || a.atomic)) warp.worker->launch->memory->note_stray_write();
}

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

}  // namespace drywarp::exec
