// Calls that were not inlined: mathematics (libdevice's functions by name), functions of the engine (printf, malloc
// ...), recursive and indirect calls.
#include "jit/function_emitter.h"
#include "jit/lane_math.h"

namespace drywarp::jit {

using ir::Operand;
using llvm::Align;
using llvm::FixedVectorType;

// libdevice's functions take values, then the addresses through which they return more values.
bool FunctionEmitter::emit_math_call(const ir::Instruction& in, const ir::Function& callee) {
  const MathSignature* signature = find_math_signature(callee.name);
  if (!signature) return false;
  auto lanes_of = [&](unsigned bytes) -> llvm::Type* { return FixedVectorType::get(b.getIntNTy(bytes * 8), 32); };
  auto slot_address = [&](const Operand& o) {
    Location at;
    at.space = AddressSpace::Local;
    at.uniform = symbol_address(o.id, static_cast<int64_t>(o.bits));
    return lane_addresses(at);
  };
  size_t next = 0;
  auto argument = [&](unsigned bytes) -> Value* {
    const Operand o = next < in.call_arguments.size() ? in.call_arguments[next] : Operand{};
    ++next;
    if (o.kind == Operand::Kind::Symbol)
      return load_any(slot_address(o), AddressSpace::Local, ir::kNone, 0, b.getIntNTy(bytes * 8), 1, active_mask())[0];
    const ir::Type t = bytes == 8 ? ir::Type::B64 : bytes == 4 ? ir::Type::B32 : ir::Type::B16;
    return b.CreateBitCast(value_of(o, t, 32), lanes_of(bytes));
  };
  std::vector<Value*> arguments, addresses;
  std::vector<llvm::Type*> results;
  for (const uint8_t bytes : signature->argument_bytes)
    if (bytes != 0) arguments.push_back(argument(bytes));
  if (signature->reads_memory)
    arguments[0] = b.CreateSelect(active_lanes(), arguments[0], llvm::Constant::getNullValue(arguments[0]->getType()));
  if (signature->result_bytes != 0) results.push_back(lanes_of(signature->result_bytes));
  for (const uint8_t bytes : signature->pointer_bytes) {
    if (bytes == 0) continue;
    addresses.push_back(argument(8));
    results.push_back(lanes_of(bytes));
  }
  width_ = 32;
  std::vector<Value*> values = map_lanes(callee.name.c_str(), results, arguments);
  const size_t through_pointers = values.size() - addresses.size();
  for (size_t i = 0; i < addresses.size(); ++i)
    store_any(addresses[i], AddressSpace::Generic, ir::kNone, static_cast<uint32_t>(&in - code_.instructions.data()),
              {values[through_pointers + i]},
              llvm::cast<FixedVectorType>(results[through_pointers + i])->getElementType(), active_mask());
  if (in.call_results.empty() || signature->result_bytes == 0) return true;
  const Operand& to = in.call_results[0];
  if (to.kind == Operand::Kind::Symbol) {
    store_any(slot_address(to), AddressSpace::Local, ir::kNone, 0, {values[0]},
              b.getIntNTy(signature->result_bytes * 8), active_mask());
  } else if (to.kind == Operand::Kind::Register) {
    write(to.id, b.CreateBitCast(values[0], register_type(to.id, 32)));
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
