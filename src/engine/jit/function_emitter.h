// Emits one function as LLVM IR. Two forms of the same code:
//
// - Warp form: a whole function for a warp. Registers are SSA values in the shape that analysis found (scalar, affine,
//   32 lanes). The sides of a divergent branch run one after the other and reconverge at the immediate post-dominator.
//   WarpContext::divergence is the stack of waiting lanes.
// - Group form: one block at a time, for any set of lanes. Registers are in memory, and the caller picks the lanes that
//   run next. It is slower but assumes nothing about convergence, so spin locks between lanes of a warp and exchanges
//   between the arms of a branch terminate. The warp form hands over to it where it reaches one of these.
//
// Its parts, each of which uses those before it: the function under construction (emit/function_code), values,
// addresses, event reports, memory accesses, control flow, waits, calls. Arithmetic is in families/.
#pragma once

#include "engine/jit/control/calls.h"
#include "engine/jit/control/waits.h"

namespace drywarp::jit {

class FunctionEmitter {
 public:
  FunctionEmitter(llvm::Module& llvm_module, llvm::IRBuilder<>& builder, const ir::Module& module,
                  const PreparedFunction& prepared, const CodeOptions& options, Form form, const std::string& symbol);
  void emit();

 private:
  void emit_block(ir::BlockId block);
  void emit_instruction(const ir::Instruction& in, uint32_t index, ir::BlockId block);
  void emit_guarded(const ir::Instruction& in, uint32_t index, ir::BlockId block);
  void emit_operation(const ir::Instruction& in, uint32_t index, ir::BlockId block);
  void emit_per_member_mask(const ir::Instruction& in, const ir::Operand& members, EmitFunction emitter);

  FunctionCode f;
  llvm::IRBuilder<>& b;
  Values values_;
  Addresses addresses_;
  EventReports reports_;
  FlowReports flows_;
  MemoryAccesses memory_;
  ControlFlow control_;
  Waits waits_;
  Calls calls_;
};

}  // namespace drywarp::jit
