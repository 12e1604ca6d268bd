#include "engine/jit/function_emitter.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>

#include "engine/jit/nan_flow.h"
#include "language/analysis/passes.h"

namespace drywarp::jit {

using ir::BlockId;
using ir::Opcode;
using llvm::BasicBlock;

FunctionEmitter::FunctionEmitter(llvm::Module& llvm_module, llvm::IRBuilder<>& builder, const ir::Module& module,
                                 const PreparedFunction& prepared, const CodeOptions& options, Form form,
                                 const std::string& symbol)
    : Emitter(builder),
      llvm_module_(llvm_module),
      module_(module),
      prepared_(prepared),
      code_(prepared.code),
      options_(options),
      form_(form) {
  vector_bits_ = options.vector_bits;
  llvm::Type* pointer = b.getPtrTy();
  llvm::Type* third = form == Form::Warp ? b.getInt64Ty() : b.getInt32Ty();
  auto* type = llvm::FunctionType::get(b.getVoidTy(), {pointer, b.getInt32Ty(), third}, false);
  function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, symbol, llvm_module);
  function_->addFnAttr(llvm::Attribute::NoUnwind);
  function_->addParamAttr(0, llvm::Attribute::NoAlias);
}

void FunctionEmitter::emit() {
  BasicBlock* entry = BasicBlock::Create(b.getContext(), "entry", function_);
  b.SetInsertPoint(entry);
  context_ = function_->getArg(0);
  mask_slot_ = entry_slot(b.getInt32Ty(), "mask");
  depth_slot_ = entry_slot(b.getInt32Ty(), "depth");
  budget_slot_ = entry_slot(b.getInt32Ty(), "budget");
  wait_slot_ = entry_slot(b.getInt32Ty(), "wait.budget");
  ended_slot_ = entry_slot(b.getInt32Ty(), "ended");
  carry_slot_ = entry_slot(llvm::FixedVectorType::get(b.getInt1Ty(), 32), "carry");
  Value* mask = function_->getArg(warp_form() ? 1 : 2);
  b.CreateStore(mask, mask_slot_);
  b.CreateStore(llvm::Constant::getNullValue(llvm::FixedVectorType::get(b.getInt1Ty(), 32)), carry_slot_);
  frame_ = warp_form() ? function_->getArg(2) : context_field(offsetof(WarpContext, frame), b.getInt64Ty());
  register_stride_ = register_stride(code_);
  base_depth_ = code_.is_kernel ? i32(0) : context_field(offsetof(WarpContext, depth), b.getInt32Ty());
  b.CreateStore(base_depth_, depth_slot_);
  b.CreateStore(i32(1000), budget_slot_);
  reset_wait_budget();
  // Lanes that do not run here count as ended: they reach no reconvergence point.
  b.CreateStore(warp_form() ? i32(0) : context_field(offsetof(WarpContext, exited), b.getInt32Ty()), ended_slot_);
  computed_floats_ = computed_floats(code_);
  allocate_registers();

  blocks_.assign(code_.blocks.size(), nullptr);
  dispatch_blocks_.assign(code_.blocks.size(), nullptr);
  for (BlockId id : prepared_.flow.order)
    blocks_[id] = BasicBlock::Create(b.getContext(), "b" + std::to_string(id), function_);
  return_block_ = BasicBlock::Create(b.getContext(), "return", function_);
  if (warp_form()) {
    exit_dispatch_ = BasicBlock::Create(b.getContext(), "exit", function_);
    for (BlockId id : prepared_.flow.order) {
      if (!prepared_.shapes.divergent[id]) continue;
      const BlockId reconvergence = prepared_.flow.reconvergence[id];
      if (reconvergence != ir::kExit && !dispatch_blocks_[reconvergence])
        dispatch_blocks_[reconvergence] =
            BasicBlock::Create(b.getContext(), "reconverge" + std::to_string(reconvergence), function_);
    }
    b.CreateBr(entry_of(0));
  } else {
    emit_group_dispatch();
  }
  for (BlockId id : prepared_.flow.order) {
    b.SetInsertPoint(blocks_[id]);
    emit_block(id);
  }
  if (warp_form()) {
    emit_reconvergence_points();
    emit_exit_dispatch();
  }
  b.SetInsertPoint(return_block_);
  b.CreateRetVoid();
}

void FunctionEmitter::emit_group_dispatch() {
  auto* none = BasicBlock::Create(b.getContext(), "no.block", function_);
  llvm::SwitchInst* choose = b.CreateSwitch(function_->getArg(1), none);
  for (BlockId id : prepared_.flow.order) choose->addCase(b.getInt32(id), blocks_[id]);
  b.SetInsertPoint(none);
  b.CreateUnreachable();
}

void FunctionEmitter::emit_block(BlockId id) {
  current_block_ = id;
  const ir::Block& block = code_.blocks[id];
  if (warp_form() && prepared_.loops.after[id]) reset_wait_budget();
  if (warp_form() && prepared_.flow.loop_header[id]) emit_loop_check(id);
  if (block.first < block.end) {
    const ir::Instruction& first = code_.instructions[block.first];
    if (analysis::waits_for_lanes(first)) emit_convergence_check(first, id);
    if (analysis::waits_for_warps(first)) emit_barrier_check(first, id);
  }
  count_block(id);
  if (options_.events.steps) report_step(id);
  const bool at_once = block.first < block.end && !reads_clock(code_.instructions[block.first]);
  if (at_once) advance_clock(block.first, block.end);
  for (uint32_t i = block.first; i < block.end; ++i) {
    emit_instruction(code_.instructions[i], i, id);
    if (reads_clock(code_.instructions[i])) advance_clock(i, block.end);
    if (b.GetInsertBlock()->getTerminator()) return;
  }
  jump(block.successors.empty() ? ir::kExit : block.successors[0], code_.is_kernel);
}

void FunctionEmitter::emit_instruction(const ir::Instruction& in, uint32_t index, BlockId block) {
  guard_ = nullptr;
  if (in.op == Opcode::Call && in.origin == ir::Origin::InlinedCall) return;
  if (emit_control(in, index, block)) return;
  if (!in.guard) return emit_guarded(in, index, block);
  const ir::Operand predicate{ir::Operand::Kind::Register, in.guard.negate, {}, in.guard.reg, 0, 0, {}};
  const uint32_t slot = prepared_.numbers.predicate[index];
  auto count = [&](Value* warps, Value* lanes) {
    if (!options_.counters || slot == ir::kNone) return;
    add_counter(counter(offsetof(WarpContext, predicates), slot * sizeof(PredicateCounts)),
                offsetof(PredicateCounts, warps), warps);
    add_counter(counter(offsetof(WarpContext, predicates), slot * sizeof(PredicateCounts)),
                offsetof(PredicateCounts, lanes), lanes);
  };
  if (is_uniform(predicate)) {
    when(value_of(predicate, ir::Type::Pred, 1), true, [&] {
      count(i64(1), b.CreateZExt(b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, active_mask()), b.getInt64Ty()));
      emit_guarded(in, index, block);
    });
    return;
  }
  guard_ = value_of(predicate, ir::Type::Pred, 32);
  Value* mask = active_mask();
  Value* any = b.CreateICmpNE(mask, i32(0));
  count(b.CreateZExt(any, b.getInt64Ty()),
        b.CreateZExt(b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, mask), b.getInt64Ty()));
  const ir::Family family = ir::info(in.op).family;
  const bool effects = family == ir::Family::Load || family == ir::Family::Store || family == ir::Family::Atomic ||
                       family == ir::Family::AsyncCopy || family == ir::Family::Mbarrier ||
                       family == ir::Family::Barrier || family == ir::Family::Control ||
                       family == ir::Family::WarpSync || family == ir::Family::Misc ||
                       family == ir::Family::WarpExchange || family == ir::Family::Cache || !ir::info(in.op).runs;
  if (effects) {
    when(any, true, [&] { emit_guarded(in, index, block); });
  } else {
    emit_guarded(in, index, block);
  }
  guard_ = nullptr;
}

void FunctionEmitter::emit_guarded(const ir::Instruction& in, uint32_t index, BlockId block) {
  if (!ir::info(in.op).runs) {
    call_runtime(runtime::trap, {context_, i32(index), i32(uint32_t(TrapReason::Unsupported)), active_mask()});
    b.CreateUnreachable();
    b.SetInsertPoint(BasicBlock::Create(b.getContext(), "after.trap", function_));
    return;
  }
  width_ = 32;
  if (emit_wait(in, index, block)) return;
  if (emit_memory(in, index)) return;
  if (in.op == Opcode::Call) return emit_call(in, index, block);
  if (emit_move(in)) return;

  const bool exchange = ir::info(in.op).family == ir::Family::WarpExchange;
  const bool carries = in.mods.carry_out || in.op == Opcode::Addc || in.op == Opcode::Subc || in.op == Opcode::Madc;
  if (!exchange && !carries) {
    bool uniform_results = true;
    for (const ir::Operand& d : in.dst)
      if (d.kind == ir::Operand::Kind::Register) uniform_results &= registers_[d.id].shape.is_uniform();
    bool uniform_sources = true;
    for (const ir::Operand& s : in.src) uniform_sources &= is_uniform(s);
    if (uniform_results || uniform_sources) width_ = 1;
    if (!uniform_results && !uniform_sources && emit_affine(in)) return;
  }
  EmitFunction emitter = emit_function(in.op);
  if (emitter && exchange && analysis::waits_for_lanes(in) && !is_uniform(in.src.back())) {
    emit_per_member_mask(in, emitter);
  } else if (emitter) {
    emitter(*this, in);
  }
  width_ = 32;
}

llvm::Value* FunctionEmitter::executing_lanes() {
  if (executing_) return executing_;
  if (warp_form()) return active_mask();
  return b.CreateOr(active_mask(), context_field(offsetof(WarpContext, exchange_peers), b.getInt32Ty()));
}

// Emits an exchange whose lanes may name different masks (tiles of a warp) as a loop over the masks.
void FunctionEmitter::emit_per_member_mask(const ir::Instruction& in, EmitFunction emitter) {
  Value* const outer_guard = guard_;
  Value* all = active_mask();
  executing_ = executing_lanes();
  Value* masks = value_of(in.src.back(), ir::Type::B32, 32);
  llvm::AllocaInst* left_slot = entry_slot(b.getInt32Ty(), "left");
  b.CreateStore(all, left_slot);
  auto* again = BasicBlock::Create(b.getContext(), "members", function_);
  auto* after = BasicBlock::Create(b.getContext(), "all.members", function_);
  b.CreateBr(again);
  b.SetInsertPoint(again);
  Value* left = b.CreateLoad(b.getInt32Ty(), left_slot);
  Value* first = b.CreateIntrinsic(llvm::Intrinsic::cttz, {b.getInt32Ty()}, {left, b.getTrue()});
  Value* same = b.CreateICmpEQ(masks, widen(b.CreateExtractElement(masks, first)));
  guard_ = b.CreateAnd(same, mask_to_lanes(all));
  Value* rest = b.CreateAnd(left, b.CreateNot(lanes_to_mask(guard_)));
  b.CreateStore(rest, left_slot);
  emitter(*this, in);
  guard_ = outer_guard;
  executing_ = nullptr;
  b.CreateCondBr(b.CreateICmpNE(rest, i32(0)), again, after);
  b.SetInsertPoint(after);
}

llvm::AllocaInst* FunctionEmitter::entry_slot(llvm::Type* type, const char* name) {
  llvm::BasicBlock& entry = function_->getEntryBlock();
  llvm::IRBuilder<> at(&entry, entry.begin());
  return at.CreateAlloca(type, nullptr, name);
}

// The call that follows reads the slot at once, so all spills of one name and type share it.
llvm::Value* FunctionEmitter::spill(Value* value, const char* name) {
  llvm::AllocaInst*& slot = spilled_[{name, value->getType()}];
  if (!slot) slot = entry_slot(value->getType(), name);
  slot->setAlignment(llvm::Align(64));
  b.CreateAlignedStore(value, slot, llvm::Align(64));
  return slot;
}

llvm::Value* FunctionEmitter::call_runtime(const char* name, llvm::Type* result, llvm::ArrayRef<llvm::Type*> parameters,
                                           llvm::ArrayRef<Value*> arguments) {
  auto* type = llvm::FunctionType::get(result, parameters, false);
  return b.CreateCall(llvm_module_.getOrInsertFunction(name, type), arguments);
}

llvm::Value* FunctionEmitter::context_address(size_t offset) {
  return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), context_, offset);
}

llvm::Value* FunctionEmitter::context_field(size_t offset, llvm::Type* type) {
  llvm::LoadInst* load = b.CreateLoad(type, context_address(offset));
  // While the function runs, only `exited` and `depth` change.
  if (offset != offsetof(WarpContext, exited) && offset != offsetof(WarpContext, depth))
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b.getContext(), {}));
  return load;
}

llvm::Value* FunctionEmitter::mask_to_lanes(Value* mask) {
  return b.CreateBitCast(mask, llvm::FixedVectorType::get(b.getInt1Ty(), 32));
}
llvm::Value* FunctionEmitter::lanes_to_mask(Value* lanes) { return b.CreateBitCast(lanes, b.getInt32Ty()); }

llvm::Value* FunctionEmitter::active_mask() {
  Value* mask = b.CreateLoad(b.getInt32Ty(), mask_slot_);
  return guard_ ? b.CreateAnd(mask, lanes_to_mask(guard_)) : mask;
}
llvm::Value* FunctionEmitter::active_lanes() { return mask_to_lanes(active_mask()); }

llvm::Value* FunctionEmitter::carry() {
  return b.CreateLoad(llvm::FixedVectorType::get(b.getInt1Ty(), 32), carry_slot_);
}
void FunctionEmitter::set_carry(Value* flag) {
  if (!flag->getType()->isVectorTy()) flag = b.CreateVectorSplat(32, flag);
  b.CreateStore(flag, carry_slot_);
}

bool FunctionEmitter::unused(const ir::Instruction& in, unsigned index) const {
  return index >= in.dst.size() || in.dst[index].kind != ir::Operand::Kind::Register;
}

}  // namespace drywarp::jit
