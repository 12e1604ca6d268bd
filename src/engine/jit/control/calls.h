// Calls that were not inlined: of device functions, of mathematics, of what the runtime defines.
#pragma once

#include "engine/jit/control/control_flow.h"
#include "engine/jit/memory/memory_accesses.h"

namespace drywarp::jit {

class Calls : Part {
 public:
  Calls(FunctionCode& code, Values& values, Addresses& addresses, MemoryAccesses& memory, ControlFlow& control)
      : Part(code), values_(values), addresses_(addresses), memory_(memory), control_(control) {}

  void emit_call(const ir::Instruction& in, uint32_t index, ir::BlockId block);

 private:
  void emit_real_call(const ir::Instruction& in, uint32_t index, ir::BlockId block);
  bool emit_math_call(const ir::Instruction& in, const ir::Function& callee);

  Values& values_;
  Addresses& addresses_;
  MemoryAccesses& memory_;
  ControlFlow& control_;
};

}  // namespace drywarp::jit
