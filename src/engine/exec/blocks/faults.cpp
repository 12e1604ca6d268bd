#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/access/lanes.h"
#include "engine/exec/blocks/activation.h"
#include "engine/exec/blocks/warp.h"
#include "engine/exec/kernels/loaded_module.h"

namespace drywarp::exec {
namespace {

SourceLocation location_of(const ir::Module& module, const ir::Function& code, uint32_t instruction) {
  if (instruction >= code.instructions.size() || code.instructions[instruction].place == ir::kNone) return {};
  const ir::Place& place = code.places[code.instructions[instruction].place];
  if (place.line != 0 && place.file < module.files.size()) return {module.files[place.file], place.line, place.column};
  return {module.name, place.ptx_line, 0};
}

std::string text_of(const ir::Function& code, uint32_t instruction) {
  if (instruction >= code.instructions.size()) return {};
  const ir::Instruction& in = code.instructions[instruction];
  if (!code.source || in.text_length == 0) return ir::info(in.op).mnemonic;
  return code.source->substr(in.text_begin, in.text_length);
}

}  // namespace

const ir::Function& running_code(const Warp& warp) { return warp.inside->code->prepared.code; }

ir::Place place_in_text(const Warp& warp, uint32_t instruction) {
  const ir::Function& code = running_code(warp);
  const uint32_t number = code.instructions[instruction].place;
  ir::Place place = number == ir::kNone ? ir::Place{} : code.places[number];
  if (place.line == 0) place.file = ir::kNone;
  return place;
}

std::string place_of(const Warp& warp, const CodePlace& place) {
  const SourceLocation location = location_of(*warp.worker->launch->module, *place.code, place.instruction);
  return location.known() ? location.to_string() : fmt::format("instruction {}", place.instruction);
}
std::string place_of(const Warp& warp, uint32_t instruction) { return place_of(warp, here(warp, instruction)); }

Fault fault_at(const Warp& warp, FaultKind kind, uint32_t instruction, std::optional<uint32_t> lane,
               std::string message) {
  return fault_at(warp, kind, here(warp, instruction), lane, std::move(message));
}

Fault fault_at(const Warp& warp, FaultKind kind, const CodePlace& place, std::optional<uint32_t> lane,
               std::string message) {
  const Launch& launch = *warp.worker->launch;
  Fault fault;
  fault.kind = kind;
  fault.message = std::move(message);
  fault.kernel = launch.kernel->info ? launch.kernel->info->display_name : launch.kernel->prepared.code.name;
  fault.location = location_of(*launch.module, *place.code, place.instruction);
  fault.instruction = text_of(*place.code, place.instruction);
  fault.block = {warp.ctaid[0], warp.ctaid[1], warp.ctaid[2]};
  if (lane) {
    fault.thread = {warp.tid[0][*lane], warp.tid[1][*lane], warp.tid[2][*lane]};
    fault.has_thread = true;
  }
  return fault;
}

void record_fault(Launch& launch, uint64_t block, Fault fault) {
  std::lock_guard lock(launch.mutex);
  if (fault.kernel.empty())
    fault.kernel = launch.kernel->info ? launch.kernel->info->display_name : launch.kernel->prepared.code.name;
  if (!launch.fault || (block < launch.fault_block && !launch.in_clusters())) {
    launch.fault = std::move(fault);
    launch.fault_block = block;
  }
  const FaultKind kind = launch.fault->kind;
  const bool at_once = kind == FaultKind::Timeout || kind == FaultKind::Interrupted || kind == FaultKind::Abandoned;
  // Other blocks of its cluster would wait for it in vain; clusters run one after the other.
  launch.stop_from = at_once || launch.in_clusters() ? 0 : launch.fault_block;
}

void note_denial(const Warp& warp, const std::function<Fault()>& fault) {
  Launch& launch = *warp.worker->launch;
  const uint64_t block = warp.owner->index;
  {
    const std::lock_guard lock(launch.mutex);
    if (block >= launch.denied_block) return;
  }
  Fault made = fault();
  const std::lock_guard lock(launch.mutex);
  if (block >= launch.denied_block) return;
  launch.denied = std::move(made), launch.denied_block = block;
}

void note_undefined_use(Warp& warp, uint32_t instruction, UndefinedUse::Of of, const std::function<Fault()>& first) {
  Launch& launch = *warp.worker->launch;
  const uint64_t block = warp.owner->index;
  const std::lock_guard lock(launch.mutex);
  UndefinedUse& use = launch.undefined_uses[{&running_code(warp), instruction}];
  if (use.times == 0 || block < use.block) use.of = of, use.first = first(), use.block = block;
  ++use.times;
}

void note_grid_barrier(const Warp& warp, uint32_t instruction, uint32_t mask, const uint64_t* addresses) {
  Launch& launch = *warp.worker->launch;
  for_lanes(mask, [&](uint32_t lane) {
    if (addresses[lane] != launch.ordinary_barrier) return;
    const CodePlace place = here(warp, instruction);
    auto known = std::ranges::find(launch.grid_barriers, place, &Launch::GridBarrier::place);
    if (known == launch.grid_barriers.end())
      known = launch.grid_barriers.insert(
          known, {place, {fault_at(warp, FaultKind::NotCooperative, place, lane, kNotCooperative)}});
    ++known->use.times;
  });
}

void raise(Warp& warp, Fault fault) {
  record_fault(*warp.worker->launch, warp.owner->index, std::move(fault));
  for (;;) warp.fiber->leave();  // never resumed: the launch has stopped
}

}  // namespace drywarp::exec
