// Calls that were not inlined: mathematics (libdevice's functions by name), functions of the engine (printf, malloc
// ...), recursive and indirect calls.
#include "jit/function_emitter.h"
#include "jit/lane_math.h"

namespace drywarp::jit {

using ir::Operand;
using llvm::Align;
using llvm::FixedVectorType;

// A parameter slot of the caller as lane addresses, or a register's value.
bool FunctionEmitter::emit_math_call(const ir::Instruction& in, const ir::Function& callee) {
  const MathSignature* signature = find_math_signature(callee.name);
  if (!signature) return false;
  auto type_of_bytes = [&](unsigned bytes) -> llvm::Type* { return b.getIntNTy(bytes * 8); };
  auto slot_address = [&](const Operand& o) {
    Location at;
    at.space = AddressSpace::Local;
    at.uniform = symbol_address(o.id, static_cast<int64_t>(o.bits));
    return lane_addresses(at);
  };
  std::vector<Value*> arguments;
  for (size_t i = 0; i < in.call_arguments.size(); ++i) {
    const Operand& o = in.call_arguments[i];
    const unsigned bytes = signature->argument_bytes[i];
    if (bytes == 0) return false;
    if (o.kind == Operand::Kind::Symbol) {
      arguments.push_back(
          load_any(slot_address(o), AddressSpace::Local, ir::kNone, 0, type_of_bytes(bytes), 1, active_mask())[0]);
    } else {
      const ir::Type t = bytes == 8 ? ir::Type::B64 : bytes == 4 ? ir::Type::B32 : ir::Type::B16;
      arguments.push_back(value_of(o, t, 32));
    }
  }
  width_ = 32;
  const unsigned bytes = signature->result_bytes;
  Value* result = map_lanes(callee.name.c_str(), FixedVectorType::get(type_of_bytes(bytes ? bytes : 4), 32), arguments);
  if (in.call_results.empty()) return true;
  const Operand& to = in.call_results[0];
  if (to.kind == Operand::Kind::Symbol) {
    store_any(slot_address(to), AddressSpace::Local, ir::kNone, 0, {result}, type_of_bytes(bytes), active_mask());
  } else if (to.kind == Operand::Kind::Register) {
    write(to.id, b.CreateBitCast(result, register_type(to.id, 32)));
  }
  return true;
}

void FunctionEmitter::emit_call(const ir::Instruction& in, uint32_t index) {
  // What a called function finds below: the divergence stack's depth, so that its own entries do not meet ours.
  auto before = [&] {
    b.CreateStore(b.CreateLoad(b.getInt32Ty(), depth_slot_), context_address(offsetof(WarpContext, depth)));
  };
  // Lanes may have exited inside.
  auto after = [&] {
    Value* exited = context_field(offsetof(WarpContext, exited), b.getInt32Ty());
    b.CreateStore(b.CreateOr(b.CreateLoad(b.getInt32Ty(), ended_slot_), exited), ended_slot_);
    Value* left = b.CreateAnd(b.CreateLoad(b.getInt32Ty(), mask_slot_), b.CreateNot(exited));
    if (warp_form()) {
      auto* gone = llvm::BasicBlock::Create(b.getContext(), "all.exited", function_);
      auto* rest = llvm::BasicBlock::Create(b.getContext(), "returned", function_);
      b.CreateCondBr(b.CreateICmpEQ(left, i32(0)), gone, rest);
      b.SetInsertPoint(gone);
      b.CreateBr(exit_dispatch_);
      b.SetInsertPoint(rest);
    }
    b.CreateStore(left, mask_slot_);
  };
  if (in.callee == ir::kNone) {
    before();
    Value* targets = value_of(in.src[0], ir::Type::B64, 32);
    call_runtime("dw_call_indirect", {context_, i32(index), active_mask(), spill(targets, "targets"), frame_});
    return after();
  }
  const ir::Function& callee = module_.functions[in.callee];
  if (callee.is_declaration) {
    if (emit_math_call(in, callee)) return;
    call_runtime("dw_call_external", {context_, i32(index), i32(in.callee), active_mask(), frame_});
    return;
  }
  before();
  call_runtime("dw_call_direct", {context_, i32(index), i32(in.callee), active_mask(), frame_});
  after();
}

}  // namespace drywarp::jit
