// Calls that were not inlined: libdevice's functions by name, functions of the engine (printf, malloc), and recursive
// and indirect calls.
#include "engine/jit/control/calls.h"
#include "engine/jit/math/lane_math.h"
#include "language/analysis/passes.h"

namespace drywarp::jit {

using ir::Operand;
using llvm::Align;
using llvm::FixedVectorType;

// libdevice's functions take values first, then addresses through which they return further values.
bool Calls::emit_math_call(const ir::Instruction& in, const ir::Function& callee) {
  const MathSignature* signature = find_math_signature(callee.name);
  if (!signature) return false;
  auto lanes_of = [&](unsigned bytes) -> llvm::Type* { return FixedVectorType::get(b.getIntNTy(bytes * 8), 32); };
  auto slot_address = [&](const Operand& o) {
    Location at;
    at.space = AddressSpace::Local;
    at.uniform = values_.symbol_address(o.id, static_cast<int64_t>(o.bits));
    return addresses_.lane_addresses(at);
  };
  size_t next = 0;
  auto argument = [&](unsigned bytes) -> Value* {
    const Operand o = next < in.call_arguments.size() ? in.call_arguments[next] : Operand{};
    ++next;
    if (o.kind == Operand::Kind::Symbol)
      return memory_.load_lanes(slot_address(o), AddressSpace::Local, ir::kNone, 0, b.getIntNTy(bytes * 8), 1,
                                f.active_mask())[0];
    const ir::Type t = bytes == 8 ? ir::Type::B64 : bytes == 4 ? ir::Type::B32 : ir::Type::B16;
    return b.CreateBitCast(values_.value_of(o, t, 32), lanes_of(bytes));
  };
  std::vector<Value*> arguments, addresses;
  std::vector<llvm::Type*> results;
  for (const uint8_t bytes : signature->argument_bytes)
    if (bytes != 0) arguments.push_back(argument(bytes));
  // Inactive lanes hold arbitrary values, and a Bessel function of a huge order takes long.
  for (Value*& a : arguments) a = b.CreateSelect(f.active_lanes(), a, llvm::Constant::getNullValue(a->getType()));
  if (signature->reads_memory) {
    f.call_runtime(runtime::check_reads, {f.context, i32(static_cast<uint64_t>(&in - f.code.instructions.data())),
                                          f.spill(arguments[1], "elements"), f.spill(arguments[0], "counts"),
                                          f.active_mask(), i32(signature->result_bytes)});
  }
  if (signature->result_bytes != 0) results.push_back(lanes_of(signature->result_bytes));
  for (const uint8_t bytes : signature->pointer_bytes) {
    if (bytes == 0) continue;
    addresses.push_back(argument(8));
    results.push_back(lanes_of(bytes));
  }
  values_.set_width(32);
  std::vector<Value*> values = values_.map_lanes(callee.name.c_str(), results, arguments);
  const size_t through_pointers = values.size() - addresses.size();
  for (size_t i = 0; i < addresses.size(); ++i)
    memory_.store_lanes(addresses[i], AddressSpace::Generic, ir::kNone,
                        static_cast<uint32_t>(&in - f.code.instructions.data()), {values[through_pointers + i]},
                        llvm::cast<FixedVectorType>(results[through_pointers + i])->getElementType(), f.active_mask());
  if (in.call_results.empty() || signature->result_bytes == 0) return true;
  const Operand& to = in.call_results[0];
  if (to.kind == Operand::Kind::Symbol) {
    memory_.store_lanes(slot_address(to), AddressSpace::Local, ir::kNone, 0, {values[0]},
                        b.getIntNTy(signature->result_bytes * 8), f.active_mask());
  } else if (to.kind == Operand::Kind::Register) {
    values_.write(to.id, b.CreateBitCast(values[0], values_.register_type(to.id, 32)));
  }
  return true;
}

void Calls::emit_call(const ir::Instruction& in, uint32_t index, ir::BlockId block) {
  if (analysis::really_calls(f.module, in)) return emit_real_call(in, index, block);
  if (emit_math_call(in, f.module.functions[in.callee])) return;
  f.call_runtime(runtime::call_external, {f.context, i32(index), i32(in.callee), f.active_mask(), f.frame});
}

void Calls::emit_real_call(const ir::Instruction& in, uint32_t index, ir::BlockId block) {
  const ir::BlockId next = f.code.blocks[block].successors[0];
  const bool indirect = in.callee == ir::kNone;
  Value* callee = indirect ? f.spill(values_.value_of(in.src[0], ir::Type::B64, 32), "targets") : i32(in.callee);
  Value* mask = f.active_mask();
  Value* here = b.CreateLoad(b.getInt32Ty(), f.mask_slot);
  if (!f.warp_form()) {
    if (indirect)
      f.call_runtime(runtime::group_call_indirect, {f.context, i32(index), mask, callee, i32(next)});
    else
      f.call_runtime(runtime::group_call, {f.context, i32(index), mask, callee, i32(next)});
    // Lanes that the guard masks off continue behind the call.
    if (f.guard) f.call_runtime(runtime::group_go, {f.context, i32(next), b.CreateAnd(here, b.CreateNot(mask))});
    b.CreateBr(f.return_block);
    b.SetInsertPoint(llvm::BasicBlock::Create(b.getContext(), "after.call", f.function));
    return;
  }
  if (f.options.reschedules) {
    // Lanes may be rescheduled inside the call. The register file must then hold the registers that they, or waiting
    // lanes, read afterwards.
    analysis::RegisterSet needed = f.prepared.live.live_in[next];
    needed.merge(f.prepared.shapes.kept[block]);
    for (const Operand& o : in.call_arguments)
      if (o.kind == Operand::Kind::Register) needed.add(o.id);
    control_.save_registers(needed);
  }
  // The called function pushes its own entries above this depth of the divergence stack.
  b.CreateStore(b.CreateLoad(b.getInt32Ty(), f.depth_slot), f.context_address(offsetof(WarpContext, depth)));
  b.CreateStore(here, f.context_address(offsetof(WarpContext, running)));
  b.CreateStore(b.CreateLoad(b.getInt32Ty(), f.ended_slot), f.context_address(offsetof(WarpContext, returned)));
  if (indirect)
    f.call_runtime(runtime::call_indirect, {f.context, i32(index), mask, callee, i32(next)});
  else
    f.call_runtime(runtime::call_direct, {f.context, i32(index), mask, callee, i32(next)});
  // Lanes may have exited inside the call.
  Value* exited = f.context_field(offsetof(WarpContext, exited), b.getInt32Ty());
  b.CreateStore(b.CreateOr(b.CreateLoad(b.getInt32Ty(), f.ended_slot), exited), f.ended_slot);
  Value* left = b.CreateAnd(here, b.CreateNot(exited));
  auto* gone = llvm::BasicBlock::Create(b.getContext(), "all.exited", f.function);
  auto* rest = llvm::BasicBlock::Create(b.getContext(), "returned", f.function);
  b.CreateCondBr(b.CreateICmpEQ(left, i32(0)), gone, rest);
  b.SetInsertPoint(gone);
  b.CreateBr(control_.exit_dispatch());
  b.SetInsertPoint(rest);
  b.CreateStore(left, f.mask_slot);
  for (const Operand& o : in.call_results)
    if (o.kind == Operand::Kind::Register) values_.write(o.id, values_.read_file(o.id));
}

}  // namespace drywarp::jit
