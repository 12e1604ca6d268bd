#include "engine/exec/runtime/address_check.h"

#include "engine/exec/loaded_module.h"

#include <fmt/format.h>

#include <bit>

namespace drywarp::exec {

std::optional<Window> find_window(Warp& warp, AddressSpace space, uint64_t address, uint64_t bytes) {
  const Launch& launch = *warp.worker->launch;
  const auto shared = reinterpret_cast<uint64_t>(warp.shared);
  const auto local = reinterpret_cast<uint64_t>(warp.local);
  const auto parameters = reinterpret_cast<uint64_t>(warp.parameters);
  const Window in_shared{shared, shared + warp.shared_bytes, Memory::Shared, true, true};
  const Window in_local{local, local + warp.local_stride * kWarpSize, Memory::Local, true, true};
  const Window in_parameters{parameters, parameters + launch.kernel->prepared.code.parameter_bytes, Memory::Global,
                             false, false};
  auto fits = [&](const Window& w) { return w.holds(address, bytes) ? std::optional(w) : std::nullopt; };
  switch (space) {
    case AddressSpace::Shared:
      return fits(in_shared);
    case AddressSpace::Local:
      return fits(in_local);
    case AddressSpace::Param:
      return fits(in_parameters);
    case AddressSpace::Generic:
      if (in_shared.holds(address, bytes)) return in_shared;
      if (in_local.holds(address, bytes)) return in_local;
      if (in_parameters.holds(address, bytes)) return in_parameters;
      break;
    default:
      break;
  }
  const auto allocation = launch.memory->find(address);
  if (!allocation) return std::nullopt;
  Window window{allocation->base, allocation->base + allocation->size, Memory::Global, space != AddressSpace::Const,
                allocation->kind != MemoryKind::ModuleConstant && allocation->kind != MemoryKind::ReadOnly};
  return fits(window);
}

namespace {

const char* name(AddressSpace space) {
  switch (space) {
    case AddressSpace::Shared:
      return "shared";
    case AddressSpace::Local:
      return "local";
    case AddressSpace::Const:
      return "constant";
    case AddressSpace::Param:
      return "parameter";
    default:
      return "global";
  }
}

Fault bad_access(Warp& warp, AddressSpace space, uint64_t address, uint32_t bytes, bool store, uint32_t instruction,
                 uint32_t lane, bool misaligned, bool read_only) {
  const Launch& launch = *warp.worker->launch;
  const char* what = store ? "write" : "read";
  std::string where;
  FaultKind kind = misaligned ? FaultKind::MisalignedAddress : FaultKind::IllegalAddress;
  uint64_t shown = address;
  if (space == AddressSpace::Shared || space == AddressSpace::Local) {
    const uint64_t base =
        reinterpret_cast<uint64_t>(space == AddressSpace::Shared ? warp.shared : warp.local + lane * warp.local_stride);
    const uint64_t size = space == AddressSpace::Shared ? warp.shared_bytes : warp.local_stride;
    shown = address - base;
    if (!misaligned) kind = FaultKind::SharedOutOfRange;
    where = fmt::format("offset {:#x}; the {} has {} bytes of it", shown,
                        space == AddressSpace::Shared ? "block" : "thread", size);
  } else {
    where = fmt::format("address {:#x}; {}", address, launch.memory->describe(address));
  }
  std::string message;
  if (read_only) {
    message = fmt::format("invalid write of {} bytes to constant memory at {}", bytes, where);
  } else if (misaligned) {
    message = fmt::format("misaligned {} {} of {} bytes at {}", name(space), what, bytes, where);
  } else {
    message = fmt::format("invalid {} {} of {} bytes at {}", name(space), what, bytes, where);
  }
  Fault fault = fault_at(warp, kind, instruction, lane, std::move(message));
  fault.address = shown;
  fault.has_address = true;
  return fault;
}

}  // namespace

Window check_lanes(Warp& warp, AddressSpace space, const uint64_t* addresses, uint32_t mask, uint32_t bytes, bool store,
                   uint32_t instruction, bool* all_in_one) {
  Window window, first;
  *all_in_one = true;
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const uint32_t lane = static_cast<uint32_t>(std::countr_zero(left));
    const uint64_t address = addresses[lane];
    if (!window.holds(address, bytes)) {
      auto found = find_window(warp, space, address, bytes);
      if (!found) raise(warp, bad_access(warp, space, address, bytes, store, instruction, lane, false, false));
      if (left == mask) {
        first = *found;
      } else {
        *all_in_one = false;
      }
      window = *found;
      if (store && !window.writable)
        raise(warp, bad_access(warp, space, address, bytes, store, instruction, lane, false, true));
    }
    if ((address & (bytes - 1)) != 0)
      raise(warp, bad_access(warp, space, address, bytes, store, instruction, lane, true, false));
  }
  return first;
}

}  // namespace drywarp::exec
