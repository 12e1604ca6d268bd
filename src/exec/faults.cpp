#include <fmt/format.h>

#include <bit>

#include "exec/loaded_module.h"
#include "exec/warp.h"

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

std::string place_of(const Launch& launch, uint32_t instruction) {
  const ir::Function& code = launch.kernel->prepared.code;
  const SourceLocation location = location_of(*launch.module, code, instruction);
  return location.known() ? location.to_string() : fmt::format("instruction {}", instruction);
}

Fault fault_at(Warp& warp, FaultKind kind, uint32_t instruction, std::optional<uint32_t> lane, std::string message) {
  const Launch& launch = *warp.worker->launch;
  Fault fault;
  fault.kind = kind;
  fault.message = std::move(message);
  fault.kernel = launch.kernel->info ? launch.kernel->info->display_name : launch.kernel->prepared.code.name;
  fault.location = location_of(*launch.module, launch.kernel->prepared.code, instruction);
  fault.instruction = text_of(launch.kernel->prepared.code, instruction);
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
  if (!launch.fault || block < launch.fault_block) {
    launch.fault = std::move(fault);
    launch.fault_block = block;
  }
  launch.stop = true;
}

void raise(Warp& warp, Fault fault) {
  record_fault(*warp.worker->launch, warp.owner->index, std::move(fault));
  for (;;) warp.fiber.leave();  // never resumed: the launch has stopped
}

}  // namespace drywarp::exec
