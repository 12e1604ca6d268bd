// Calls that were not inlined: libdevice's functions by name, functions of the engine (printf, malloc), and recursive
// and indirect calls.
#include "engine/jit/function_emitter.h"
#include "engine/jit/math/lane_math.h"
#include "language/analysis/passes.h"

namespace drywarp::jit {

using ir::Operand;
using llvm::Align;
using llvm::FixedVectorType;

// libdevice's functions take values first, then addresses through which they return further values.
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
      return load_lanes(slot_address(o), AddressSpace::Local, ir::kNone, 0, b.getIntNTy(bytes * 8), 1,
                        active_mask())[0];
    const ir::Type t = bytes == 8 ? ir::Type::B64 : bytes == 4 ? ir::Type::B32 : ir::Type::B16;
    return b.CreateBitCast(value_of(o, t, 32), lanes_of(bytes));
  };
  std::vector<Value*> arguments, addresses;
  std::vector<llvm::Type*> results;
  for (const uint8_t bytes : signature->argument_bytes)
    if (bytes != 0) arguments.push_back(argument(bytes));
  // Inactive lanes hold arbitrary values, and a Bessel function of a huge order takes long.
  for (Value*& a : arguments) a = b.CreateSelect(active_lanes(), a, llvm::Constant::getNullValue(a->getType()));
  if (signature->reads_memory) {
    call_runtime(runtime::check_reads, {context_, i32(static_cast<uint64_t>(&in - code_.instructions.data())),
                                        spill(arguments[1], "elements"), spill(arguments[0], "counts"), active_mask(),
                                        i32(signature->result_bytes)});
  }
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
    store_lanes(addresses[i], AddressSpace::Generic, ir::kNone, static_cast<uint32_t>(&in - code_.instructions.data()),
                {values[through_pointers + i]},
                llvm::cast<FixedVectorType>(results[through_pointers + i])->getElementType(), active_mask());
  if (in.call_results.empty() || signature->result_bytes == 0) return true;
  const Operand& to = in.call_results[0];
  if (to.kind == Operand::Kind::Symbol) {
    store_lanes(slot_address(to), AddressSpace::Local, ir::kNone, 0, {values[0]},
                b.getIntNTy(signature->result_bytes * 8), active_mask());
  } else if (to.kind == Operand::Kind::Register) {
    write(to.id, b.CreateBitCast(values[0], register_type(to.id, 32)));
  }
  return true;
}

void FunctionEmitter::emit_call(const ir::Instruction& in, uint32_t index, ir::BlockId block) {
  if (analysis::really_calls(module_, in)) return emit_real_call(in, index, block);
  if (emit_math_call(in, module_.functions[in.callee])) return;
  call_runtime(runtime::call_external, {context_, i32(index), i32(in.callee), active_mask(), frame_});
}

void FunctionEmitter::emit_real_call(const ir::Instruction& in, uint32_t index, ir::BlockId block) {
  const ir::BlockId next = code_.blocks[block].successors[0];
  const bool indirect = in.callee == ir::kNone;
  Value* callee = indirect ? spill(value_of(in.src[0], ir::Type::B64, 32), "targets") : i32(in.callee);
  Value* mask = active_mask();
  Value* here = b.CreateLoad(b.getInt32Ty(), mask_slot_);
  if (!warp_form()) {
    if (indirect)
      call_runtime(runtime::group_call_indirect, {context_, i32(index), mask, callee, i32(next)});
    else
      call_runtime(runtime::group_call, {context_, i32(index), mask, callee, i32(next)});
    // Lanes that the guard masks off continue behind the call.
    if (guard_) call_runtime(runtime::group_go, {context_, i32(next), b.CreateAnd(here, b.CreateNot(mask))});
    b.CreateBr(return_block_);
    b.SetInsertPoint(llvm::BasicBlock::Create(b.getContext(), "after.call", function_));
    return;
  }
  if (options_.reschedules) {
    // Lanes may be rescheduled inside the call. The register file must then hold the registers that they, or waiting
    // lanes, read afterwards.
    analysis::RegisterSet needed = prepared_.live.live_in[next];
    needed.merge(prepared_.shapes.kept[block]);
    for (const Operand& o : in.call_arguments)
      if (o.kind == Operand::Kind::Register) needed.add(o.id);
    save_registers(needed);
  }
  // The called function pushes its own entries above this depth of the divergence stack.
  b.CreateStore(b.CreateLoad(b.getInt32Ty(), depth_slot_), context_address(offsetof(WarpContext, depth)));
  b.CreateStore(here, context_address(offsetof(WarpContext, running)));
  b.CreateStore(b.CreateLoad(b.getInt32Ty(), ended_slot_), context_address(offsetof(WarpContext, returned)));
  if (indirect)
    call_runtime(runtime::call_indirect, {context_, i32(index), mask, callee, i32(next)});
  else
    call_runtime(runtime::call_direct, {context_, i32(index), mask, callee, i32(next)});
  // Lanes may have exited inside the call.
  Value* exited = context_field(offsetof(WarpContext, exited), b.getInt32Ty());
  b.CreateStore(b.CreateOr(b.CreateLoad(b.getInt32Ty(), ended_slot_), exited), ended_slot_);
  Value* left = b.CreateAnd(here, b.CreateNot(exited));
  auto* gone = llvm::BasicBlock::Create(b.getContext(), "all.exited", function_);
  auto* rest = llvm::BasicBlock::Create(b.getContext(), "returned", function_);
  b.CreateCondBr(b.CreateICmpEQ(left, i32(0)), gone, rest);
  b.SetInsertPoint(gone);
  b.CreateBr(exit_dispatch_);
  b.SetInsertPoint(rest);
  b.CreateStore(left, mask_slot_);
  for (const Operand& o : in.call_results)
    if (o.kind == Operand::Kind::Register) write(o.id, read_file(o.id));
}

}  // namespace drywarp::jit
