// Calls: of functions that drywarp provides on the device (vprintf, malloc, free, __assertfail), of recursive
// functions, and through function pointers.
#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "exec/address_check.h"
#include "exec/device_printf.h"
#include "exec/loaded_module.h"
#include "exec/runtime.h"

using namespace drywarp;
using namespace drywarp::exec;

namespace {

constexpr size_t kLeastStack = 64 * 1024;  // for one more call

const ir::Instruction& call_of(Warp& warp, uint32_t instruction, const ir::Function** caller) {
  // `instruction` belongs to the function that runs; only its operands' symbols and registers matter here.
  const ir::Function& code = running_code(warp);
  *caller = &code;
  return code.instructions[instruction];
}

// One lane's bytes of a parameter slot.
uint8_t* slot(Warp& warp, const ir::Symbol& symbol, int64_t offset, uint64_t frame, uint32_t lane) {
  return warp.local + lane * warp.local_stride + frame + symbol.offset + static_cast<uint64_t>(offset);
}

uint64_t argument(Warp& warp, const ir::Instruction& in, size_t index, uint64_t frame, uint32_t lane) {
  if (index >= in.call_arguments.size()) return 0;
  const ir::Operand& o = in.call_arguments[index];
  if (o.kind == ir::Operand::Kind::Immediate) return o.bits;
  if (o.kind != ir::Operand::Kind::Symbol) return 0;
  const ir::Symbol& symbol = warp.worker->launch->module->symbols[o.id];
  uint64_t value = 0;
  std::memcpy(&value, slot(warp, symbol, static_cast<int64_t>(o.bits), frame, lane),
              std::min<uint64_t>(8, symbol.size));
  return value;
}

void give(Warp& warp, const ir::Instruction& in, uint64_t frame, uint32_t lane, uint64_t value) {
  if (in.call_results.empty() || in.call_results[0].kind != ir::Operand::Kind::Symbol) return;
  const ir::Symbol& symbol = warp.worker->launch->module->symbols[in.call_results[0].id];
  std::memcpy(slot(warp, symbol, 0, frame, lane), &value, std::min<uint64_t>(8, symbol.size));
}

// A string in device memory, up to its allocation's end.
std::string device_string(Warp& warp, uint64_t address) {
  std::string text;
  const auto window = find_window(warp, jit::AddressSpace::Generic, address, 1);
  if (!window) return "(invalid pointer)";
  for (uint64_t at = address; at < window->end; ++at) {
    const char c = *reinterpret_cast<const char*>(at);
    if (c == 0) break;
    text += c;
  }
  return text;
}

void print(Warp& warp, const ir::Instruction& in, uint32_t mask, uint64_t frame) {
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    const std::string format = device_string(warp, argument(warp, in, 0, frame, lane));
    const uint64_t packed = argument(warp, in, 1, frame, lane);
    const auto window = packed == 0 ? std::nullopt : find_window(warp, jit::AddressSpace::Generic, packed, 1);
    const auto* begin = window ? reinterpret_cast<const uint8_t*>(packed) : nullptr;
    const size_t size = window ? window->end - packed : 0;
    int arguments = 0;
    warp.owner->printed += format_device_printf(
        format, begin, size, [&](uint64_t address) { return device_string(warp, address); }, &arguments);
    give(warp, in, frame, lane, static_cast<uint32_t>(arguments));
  }
}

void allocate(Warp& warp, const ir::Instruction& in, uint32_t mask, uint64_t frame) {
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    const uint64_t size = argument(warp, in, 0, frame, lane);
    // malloc(0) gives a pointer that can be freed; no memory gives null, as on the device.
    give(warp, in, frame, lane,
         warp.worker->launch->memory->allocate(std::max<uint64_t>(size, 1), MemoryKind::Device).value_or(0));
  }
}

void release(Warp& warp, const ir::Instruction& in, uint32_t instruction, uint32_t mask, uint64_t frame) {
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    const uint64_t address = argument(warp, in, 0, frame, lane);
    if (address == 0 || warp.worker->launch->memory->free(address)) continue;
    Fault fault = fault_at(warp, FaultKind::IllegalAddress, instruction, lane,
                           fmt::format("free of {:#x}, which malloc did not give or which is free already", address));
    fault.address = address;
    fault.has_address = true;
    raise(warp, std::move(fault));
  }
}

void fail_assertion(Warp& warp, const ir::Instruction& in, uint32_t instruction, uint32_t mask, uint64_t frame) {
  const auto lane = static_cast<uint32_t>(std::countr_zero(mask));
  const std::string condition = device_string(warp, argument(warp, in, 0, frame, lane));
  const std::string file = device_string(warp, argument(warp, in, 1, frame, lane));
  const auto line = static_cast<uint32_t>(argument(warp, in, 2, frame, lane));
  const std::string function = device_string(warp, argument(warp, in, 3, frame, lane));
  raise(warp, fault_at(warp, FaultKind::AssertFailed, instruction, lane,
                       fmt::format("{}:{}: {}: block: [{},{},{}], thread: [{},{},{}] Assertion `{}` failed.", file,
                                   line, function, warp.ctaid[0], warp.ctaid[1], warp.ctaid[2], warp.tid[0][lane],
                                   warp.tid[1][lane], warp.tid[2][lane], condition)));
}

// Runs a function of the module for the lanes of the mask: its frame lies behind the caller's.
void call(Warp& warp, const ir::Instruction& in, const ir::Function& caller, uint32_t instruction,
          ir::FunctionId function, uint32_t mask, uint64_t frame) {
  Launch& launch = *warp.worker->launch;
  const LoadedKernel::Called called =
      function < launch.kernel->called.size() ? launch.kernel->called[function] : LoadedKernel::Called{};
  LoadedKernel* callee = called.code;
  if (!callee)
    raise(warp,
          fault_at(warp, FaultKind::IllegalInstruction, instruction, static_cast<uint32_t>(std::countr_zero(mask)),
                   function < launch.module->functions.size() ? fmt::format("a call of '{}', which is defined nowhere",
                                                                            launch.module->functions[function].name)
                                                              : "a call through a pointer that is not a function's"));
  const ir::Function& code = callee->prepared.code;
  const uint64_t callee_frame = (frame + caller.local_bytes + 15) & ~uint64_t{15};
  if (warp.fiber->stack_left() < kLeastStack || callee_frame + code.local_bytes > warp.local_stride)
    raise(warp, fault_at(warp, FaultKind::StackOverflow, instruction, static_cast<uint32_t>(std::countr_zero(mask)),
                         fmt::format("stack overflow: {} calls deep in '{}'", warp.calls.size() + 1, code.name)));
  const auto& symbols = launch.module->symbols;
  auto copy = [&](const ir::Operand& outer, const ir::Parameter& inner, bool in_direction) {
    if (inner.symbol == ir::kNone) return;
    const ir::Symbol& target = symbols[inner.symbol];
    for (uint32_t left = mask; left != 0; left &= left - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(left));
      uint8_t* inside = slot(warp, target, 0, callee_frame, lane);
      if (outer.kind == ir::Operand::Kind::Symbol) {
        uint8_t* outside = slot(warp, symbols[outer.id], 0, frame, lane);
        const uint64_t size = std::min(target.size, symbols[outer.id].size);
        in_direction ? std::memcpy(inside, outside, size) : std::memcpy(outside, inside, size);
      } else if (in_direction && outer.kind == ir::Operand::Kind::Immediate) {
        std::memcpy(inside, &outer.bits, std::min<uint64_t>(8, target.size));
      }
    }
  };
  for (size_t i = 0; i < std::min(in.call_arguments.size(), code.parameters.size()); ++i)
    copy(in.call_arguments[i], code.parameters[i], true);
  warp.calls.push_back(callee);
  const uint32_t depth = warp.depth;
  // The callee counts in its own part of the worker's arrays.
  Worker& worker = *warp.worker;
  const jit::WarpContext outside = warp;
  warp.blocks = worker.blocks.data() + called.counters.blocks;
  warp.predicates = worker.predicates.data() + called.counters.predicates;
  warp.branches = worker.branches.data() + called.counters.branches;
  warp.sites = worker.sites.data() + called.counters.accesses;
  callee->warp_form(&warp, mask, callee_frame);
  warp.blocks = outside.blocks;
  warp.predicates = outside.predicates;
  warp.branches = outside.branches;
  warp.sites = outside.sites;
  warp.depth = depth;
  warp.calls.pop_back();
  for (size_t i = 0; i < std::min(in.call_results.size(), code.results.size()); ++i)
    copy(in.call_results[i], code.results[i], false);
}

}  // namespace

extern "C" {

void dw_call_external(WarpContext* context, uint32_t instruction, uint32_t function, uint32_t mask, uint64_t frame) {
  Warp& warp = warp_of(context);
  const ir::Function* caller;
  const ir::Instruction& in = call_of(warp, instruction, &caller);
  const std::string& name = warp.worker->launch->module->functions[function].name;
  if (name == "vprintf") return print(warp, in, mask, frame);
  if (name == "malloc") return allocate(warp, in, mask, frame);
  if (name == "free") return release(warp, in, instruction, mask, frame);
  if (name == "__assertfail") return fail_assertion(warp, in, instruction, mask, frame);
  raise(warp, fault_at(warp, FaultKind::IllegalInstruction, instruction, static_cast<uint32_t>(std::countr_zero(mask)),
                       fmt::format("a call of '{}', which is defined nowhere", name)));
}

void dw_call_direct(WarpContext* context, uint32_t instruction, uint32_t function, uint32_t mask, uint64_t frame) {
  Warp& warp = warp_of(context);
  const ir::Function* caller;
  const ir::Instruction& in = call_of(warp, instruction, &caller);
  call(warp, in, *caller, instruction, function, mask, frame);
}

void dw_call_indirect(WarpContext* context, uint32_t instruction, uint32_t mask, void* lane_targets, uint64_t frame) {
  Warp& warp = warp_of(context);
  const ir::Function* caller;
  const ir::Instruction& in = call_of(warp, instruction, &caller);
  uint64_t targets[kWarpSize];
  std::memcpy(targets, lane_targets, sizeof targets);
  while (mask != 0) {
    const uint64_t target = targets[std::countr_zero(mask)];
    uint32_t together = 0;
    for (uint32_t lane = 0; lane < kWarpSize; ++lane)
      if ((mask >> lane & 1) != 0 && targets[lane] == target) together |= 1u << lane;
    if (!jit::is_function_token(target))
      raise(warp,
            fault_at(warp, FaultKind::IllegalInstruction, instruction, static_cast<uint32_t>(std::countr_zero(mask)),
                     fmt::format("a call through {:#x}, which is not the address of a device function", target)));
    call(warp, in, *caller, instruction, jit::function_of_token(target), together, frame);
    mask &= ~together & ~warp.exited;
  }
}

}  // extern "C"
