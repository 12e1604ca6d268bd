#include "engine/exec/blocks/activation.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/exec/blocks/unknown_values.h"

namespace drywarp::exec {
namespace {

constexpr uint64_t kMostRegisters = 256 * 1024 * 1024;  // bytes of register files a warp: recursion without end

uint32_t first_lane(uint32_t mask) { return static_cast<uint32_t>(std::countr_zero(mask)); }

// One lane's bytes of a parameter slot.
uint8_t* slot(Warp& warp, const ir::Symbol& symbol, uint64_t frame, uint32_t lane) {
  return warp.local + lane * warp.local_stride + frame + symbol.offset;
}

std::unique_ptr<Activation> take(Warp& warp) {
  if (warp.unused.empty()) return std::make_unique<Activation>();
  std::unique_ptr<Activation> a = std::move(warp.unused.back());
  warp.unused.pop_back();
  return a;
}

Activation& begin(Warp& warp, LoadedKernel& code, const CounterBase& counters) {
  warp.activations.push_back(take(warp));
  Activation& a = *warp.activations.back();
  a.code = &code;
  a.counters = counters;
  a.caller = nullptr;
  a.frame = 0;
  a.call = a.after = a.depth = a.lanes = 0;
  a.calling = {};
  a.registers = nullptr;
  if (warp.worker->launch->kernel->options.reschedules) give_registers(a);
  return a;
}

void drop(Warp& warp, Activation& a) {
  const auto found = std::find_if(warp.activations.begin(), warp.activations.end(),
                                  [&](const auto& owned) { return owned.get() == &a; });
  if (warp.unknown_values) warp.unknown_values->forget(a);
  warp.unused.push_back(std::move(*found));
  warp.activations.erase(found);
}

// What is not known of them goes with the values.
void pass_unknown(Warp& warp, const Activation& callee, const ir::Symbol& formal, const ir::Operand& given,
                  uint32_t mask, bool in) {
  UnknownValues& unknown = *warp.unknown_values;
  const Activation& caller = *callee.caller;
  const uint64_t inside = callee.frame + formal.offset;
  if (given.kind == ir::Operand::Kind::Symbol) {
    const ir::Symbol& symbol = warp.worker->launch->module->symbols[given.id];
    const uint64_t outside = caller.frame + symbol.offset, size = std::min(formal.size, symbol.size);
    in ? unknown.copy_slot(outside, inside, size, mask) : unknown.copy_slot(inside, outside, size, mask);
  } else if (given.kind == ir::Operand::Kind::Register) {
    in ? unknown.register_to_slot(caller, given.id, inside, formal.size, mask)
       : unknown.slot_to_register(caller, given.id, inside, formal.size, mask);
  } else if (in) {
    unknown.clear_slot(inside, formal.size, mask);
  }
}

// Copies arguments from the caller's slots or registers to the function's parameters (`in`), or results back.
void pass(Warp& warp, const Activation& callee, uint32_t mask, bool in) {
  const Activation& caller = *callee.caller;
  const ir::Function& caller_code = caller.code->prepared.code;
  const ir::Instruction& call = caller_code.instructions[callee.call];
  const ir::Function& code = callee.code->prepared.code;
  const auto& outer = in ? call.call_arguments : call.call_results;
  const auto& inner = in ? code.parameters : code.results;
  const auto& symbols = warp.worker->launch->module->symbols;
  for (size_t i = 0; i < std::min(outer.size(), inner.size()); ++i) {
    if (inner[i].symbol == ir::kNone) continue;
    const ir::Symbol& formal = symbols[inner[i].symbol];
    const ir::Operand& given = outer[i];
    if (warp.unknown != 0) pass_unknown(warp, callee, formal, given, mask, in);
    for (uint32_t left = mask; left != 0; left &= left - 1) {
      const uint32_t lane = first_lane(left);
      uint8_t* inside = slot(warp, formal, callee.frame, lane);
      if (given.kind == ir::Operand::Kind::Symbol) {
        uint8_t* outside = slot(warp, symbols[given.id], caller.frame, lane);
        const uint64_t size = std::min(formal.size, symbols[given.id].size);
        in ? std::memcpy(inside, outside, size) : std::memcpy(outside, inside, size);
      } else if (in && given.kind == ir::Operand::Kind::Immediate) {
        std::memcpy(inside, &given.bits, std::min<uint64_t>(8, formal.size));
      } else if (given.kind == ir::Operand::Kind::Register) {
        const uint64_t size = ir::bits(caller_code.registers[given.id].type) / 8;
        uint8_t* outside = caller.registers + given.id * jit::register_stride(caller_code) + lane * size;
        in ? std::memcpy(inside, outside, std::min(size, formal.size))
           : std::memcpy(outside, inside, std::min(size, formal.size));
      }
    }
  }
}

}  // namespace

Warp::Warp() = default;
Warp::~Warp() = default;

void give_registers(Activation& a) {
  a.storage.resize(a.code->register_bytes + 64);
  a.registers = reinterpret_cast<uint8_t*>((reinterpret_cast<uintptr_t>(a.storage.data()) + 63) & ~uintptr_t{63});
}

void start_activations(Warp& warp) {
  while (!warp.activations.empty()) {
    warp.unused.push_back(std::move(warp.activations.back()));
    warp.activations.pop_back();
  }
  Activation& kernel = begin(warp, *warp.worker->launch->kernel, {});
  kernel.lanes = warp.live;
  warp.kernel = &kernel;
  make_current(warp, kernel);
}

void make_current(Warp& warp, Activation& a) {
  const Worker& worker = *warp.worker;
  warp.inside = &a;
  warp.blocks = const_cast<BlockCounts*>(worker.blocks.data()) + a.counters.blocks;
  warp.predicates = const_cast<PredicateCounts*>(worker.predicates.data()) + a.counters.predicates;
  warp.branches = const_cast<BranchCounts*>(worker.branches.data()) + a.counters.branches;
  warp.sites = const_cast<jit::AccessSite*>(worker.sites.data()) + a.counters.accesses;
  warp.registers = a.registers;
  warp.frame = a.frame;
}

ir::FunctionId called_function(Warp& warp, uint32_t instruction, uint64_t target, uint32_t lane) {
  if (!jit::is_function_token(target))
    raise(warp, fault_at(warp, FaultKind::IllegalInstruction, instruction, lane,
                         fmt::format("a call through {:#x}, which is not the address of a device function", target)));
  return jit::function_of_token(target);
}

Activation& enter(Warp& warp, uint32_t instruction, ir::FunctionId function, uint32_t mask, uint32_t after,
                  bool shared) {
  const Launch& launch = *warp.worker->launch;
  Activation& caller = *warp.inside;
  const LoadedKernel::Called called =
      function < launch.kernel->called.size() ? launch.kernel->called[function] : LoadedKernel::Called{};
  if (!called.code)
    raise(warp,
          fault_at(warp, FaultKind::IllegalInstruction, instruction, first_lane(mask),
                   function < launch.module->functions.size() ? fmt::format("a call of '{}', which is defined nowhere",
                                                                            launch.module->functions[function].name)
                                                              : "a call through a pointer that is not a function's"));
  Activation* callee = nullptr;
  if (shared)
    for (const auto& a : warp.activations)
      if (a->caller == &caller && a->call == instruction && a->code == called.code) callee = a.get();
  if (!callee) {
    const ir::Function& code = called.code->prepared.code;
    const uint64_t frame = (caller.frame + caller.code->prepared.code.local_bytes + 15) & ~uint64_t{15};
    const uint64_t registers = warp.activations.size() * called.code->register_bytes;
    const bool no_stack =
        shared ? registers > kMostRegisters : warp.fiber->stack_left() < called.code->frame_bytes + Fiber::kLeastBytes;
    if (no_stack || frame + code.local_bytes > launch.local_bytes)
      raise(warp, fault_at(warp, FaultKind::StackOverflow, instruction, first_lane(mask),
                           fmt::format("stack overflow: {} calls deep in '{}'", caller.depth + 1, code.name)));
    callee = &begin(warp, *called.code, called.counters);
    callee->caller = &caller;
    callee->call = instruction;
    callee->after = after;
    callee->frame = frame;
    callee->depth = caller.depth + 1;
  }
  callee->lanes |= mask;
  pass(warp, *callee, mask, true);
  return *callee;
}

void leave(Warp& warp, Activation& a, uint32_t mask) {
  pass(warp, a, mask & ~warp.exited, false);
  if (warp.unknown_values) warp.unknown_values->leave(a.frame, mask);
  a.lanes &= ~mask;
  if (a.lanes == 0) drop(warp, a);
  if (warp.unknown_values) warp.unknown = warp.unknown_values->any();
}

void remove_lanes(Warp& warp, uint32_t mask) {
  for (size_t i = warp.activations.size(); i-- > 0;) {
    Activation& a = *warp.activations[i];
    a.lanes &= ~mask;
    if (a.lanes == 0 && a.caller) drop(warp, a);
  }
}

}  // namespace drywarp::exec
