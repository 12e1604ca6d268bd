#include "engine/exec/runtime/windows.h"

#include "engine/exec/blocks/activation.h"
#include "engine/exec/blocks/cluster.h"
#include "engine/exec/kernels/loaded_module.h"

namespace drywarp::exec {
namespace {

Window whole_shared(const Warp& warp) {
  const auto shared = reinterpret_cast<uint64_t>(warp.shared);
  return {shared, shared + warp.shared_bytes, Memory::Shared, true, true};
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

const observe::SharedVariable* variable_of(const Warp& warp, uint32_t instruction) {
  if (!warp.owner->spares) return nullptr;
  const LoadedKernel& code = *warp.inside->code;
  if (!code.shared_layout) return nullptr;
  const uint32_t number = (*code.accessed_variables)[instruction];
  return number == ir::kNone ? nullptr : &code.shared_layout->variables[number];
}

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
    const bool mapped = launch.stray_accesses && counted && launch.memory->mapped(address, bytes);
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

}  // namespace drywarp::exec
