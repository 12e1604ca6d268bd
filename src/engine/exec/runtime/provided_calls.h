// What functions that drywarp provides on the device share: their parameters, which each lane has in slots of its local
// memory.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "engine/exec/blocks/tell.h"
#include "engine/exec/blocks/warp.h"

namespace drywarp::exec {

// One lane's bytes of a parameter slot.
inline uint8_t* slot(Warp& warp, const ir::Symbol& symbol, int64_t offset, uint64_t frame, uint32_t lane) {
  return warp.local + lane * warp.local_stride + frame + symbol.offset + static_cast<uint64_t>(offset);
}

// The first `bytes` bytes of an argument; those that it lacks stay as they are.
inline void read_argument(Warp& warp, const ir::Instruction& in, size_t index, uint64_t frame, uint32_t lane,
                          void* value, uint64_t bytes) {
  if (index >= in.call_arguments.size()) return;
  const ir::Operand& o = in.call_arguments[index];
  if (o.kind == ir::Operand::Kind::Immediate) std::memcpy(value, &o.bits, std::min<uint64_t>(bytes, sizeof o.bits));
  if (o.kind != ir::Operand::Kind::Symbol) return;
  const ir::Symbol& symbol = warp.worker->launch->module->symbols[o.id];
  std::memcpy(value, slot(warp, symbol, static_cast<int64_t>(o.bits), frame, lane),
              std::min<uint64_t>(bytes, symbol.size));
}

inline uint64_t argument(Warp& warp, const ir::Instruction& in, size_t index, uint64_t frame, uint32_t lane) {
  uint64_t value = 0;
  read_argument(warp, in, index, frame, lane, &value, sizeof value);
  return value;
}

inline void give(Warp& warp, const ir::Instruction& in, uint64_t frame, uint32_t lane, uint64_t value) {
  if (in.call_results.empty() || in.call_results[0].kind != ir::Operand::Kind::Symbol) return;
  const ir::Symbol& symbol = warp.worker->launch->module->symbols[in.call_results[0].id];
  std::memcpy(slot(warp, symbol, 0, frame, lane), &value, std::min<uint64_t>(8, symbol.size));
}

// `bytes`: 0 for memory that is given back.
inline void tell_heap(const Warp& warp, uint32_t instruction, uint32_t lane, uint64_t address, uint64_t bytes) {
  if (!has_listeners(*warp.owner)) return;
  const ir::Place place = place_in_text(warp, instruction);
  tell(*warp.owner, &observe::BlockObserver::heap,
       observe::HeapUse{warp.warp, lane, address, bytes, place.ptx_line, place.file, place.line});
}

// ---- device_runtime.cpp
// A function of CUDA's device runtime (libcudadevrt); false: it is none that drywarp provides.
bool call_device_runtime(Warp& warp, const ir::Instruction& in, uint32_t instruction, const std::string& name,
                         uint32_t mask, uint64_t frame);

}  // namespace drywarp::exec
