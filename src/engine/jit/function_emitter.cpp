#include "engine/jit/function_emitter.h"

#include <llvm/IR/Intrinsics.h>

#include "language/analysis/passes.h"
#include "language/ir/accesses.h"
#include "language/ir/warp_exchanges.h"

namespace drywarp::jit {

using ir::BlockId;
using ir::Opcode;
using llvm::BasicBlock;

FunctionEmitter::FunctionEmitter(llvm::Module& llvm_module, llvm::IRBuilder<>& builder, const ir::Module& module,
                                 const PreparedFunction& prepared, const CodeOptions& options, Form form,
                                 const std::string& symbol)
    : f(llvm_module, builder, module, prepared, options, form, symbol),
      b(builder),
      values_(f),
      addresses_(f, values_),
      reports_(f, values_, addresses_),
      flows_(f, values_),
      memory_(f, values_, addresses_, reports_, flows_),
      control_(f, values_, reports_),
      waits_(f, values_, addresses_, reports_, control_),
      calls_(f, values_, addresses_, memory_, control_) {}

void FunctionEmitter::emit() {
  control_.emit_entry();
  for (BlockId id : f.prepared.flow.order) emit_block(id);
  if (f.warp_form()) control_.emit_reconvergence();
  b.SetInsertPoint(f.return_block);
  b.CreateRetVoid();
}

void FunctionEmitter::emit_block(BlockId id) {
  f.current_block = id;
  control_.begin_block(id);
  const ir::Block& block = f.code.blocks[id];
  if (block.first < block.end) {
    const ir::Instruction& first = f.code.instructions[block.first];
    if (ir::waits_for_lanes(first)) waits_.emit_convergence_check(first, id);
    if (analysis::waits_for_warps(first)) waits_.emit_barrier_check(first, id);
  }
  control_.count_block(id);
  if (f.options.events.steps) reports_.report_step(id);
  if (f.options.events.accesses) reports_.report_used_reads(id);
  const bool at_once = block.first < block.end && !analysis::reads_clock(f.code.instructions[block.first]);
  if (at_once) control_.advance_clock(block.first, block.end);
  for (uint32_t i = block.first; i < block.end; ++i) {
    emit_instruction(f.code.instructions[i], i, id);
    reports_.report_followed(i);
    if (analysis::reads_clock(f.code.instructions[i])) control_.advance_clock(i, block.end);
    if (b.GetInsertBlock()->getTerminator()) return;
  }
  control_.jump(block.successors.empty() ? ir::kExit : block.successors[0], f.code.is_kernel);
}

void FunctionEmitter::emit_instruction(const ir::Instruction& in, uint32_t index, BlockId block) {
  f.guard = nullptr;
  if (in.origin == ir::Origin::InlinedCall || in.origin == ir::Origin::Expanded) return;
  flows_.report_guard(in, index);
  if (in.op == Opcode::BrxIdx) flows_.report(in, index);
  if (control_.emit_control(in, index, block)) return;
  if (!in.guard) return emit_guarded(in, index, block);
  const ir::Operand predicate{ir::Operand::Kind::Register, in.guard.negate, {}, in.guard.reg, 0, 0, {}};
  const uint32_t slot = f.prepared.numbers.predicate[index];
  auto count = [&](Value* warps, Value* lanes) {
    if (!f.options.counters || slot == ir::kNone) return;
    f.add_counter(f.counter(offsetof(WarpContext, predicates), slot * sizeof(PredicateCounts)),
                  offsetof(PredicateCounts, warps), warps);
    f.add_counter(f.counter(offsetof(WarpContext, predicates), slot * sizeof(PredicateCounts)),
                  offsetof(PredicateCounts, lanes), lanes);
  };
  if (values_.is_uniform(predicate)) {
    f.when(values_.value_of(predicate, ir::Type::Pred, 1), true, [&] {
      count(f.i64(1), b.CreateZExt(b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, f.active_mask()), b.getInt64Ty()));
      emit_guarded(in, index, block);
    });
    return;
  }
  f.guard = values_.value_of(predicate, ir::Type::Pred, 32);
  Value* mask = f.active_mask();
  Value* any = b.CreateICmpNE(mask, f.i32(0));
  count(b.CreateZExt(any, b.getInt64Ty()),
        b.CreateZExt(b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, mask), b.getInt64Ty()));
  const ir::OpcodeInfo& op = ir::info(in.op);
  if (ir::traits(op.family).effect != ir::Effect::None || !op.runs) {
    f.when(any, true, [&] { emit_guarded(in, index, block); });
  } else {
    emit_guarded(in, index, block);
  }
  f.guard = nullptr;
}

void FunctionEmitter::emit_guarded(const ir::Instruction& in, uint32_t index, BlockId block) {
  if (!ir::info(in.op).runs) {
    f.call_runtime(runtime::trap, {f.context, f.i32(index), f.i32(uint32_t(TrapReason::Unsupported)), f.active_mask()});
    b.CreateUnreachable();
    b.SetInsertPoint(BasicBlock::Create(b.getContext(), "after.trap", f.function));
    return;
  }
  emit_operation(in, index, block);
  values_.follow_origins(in);
}

void FunctionEmitter::emit_operation(const ir::Instruction& in, uint32_t index, BlockId block) {
  values_.set_width(32);
  if (ir::accesses(in).empty()) flows_.report(in, index);
  if (waits_.emit_wait(in, index, block)) return;
  const ir::Family family = ir::info(in.op).family;
  if (family == ir::Family::Matrix || family == ir::Family::WarpGroup) waits_.report_sync(in, true);
  if (in.origin == ir::Origin::Part && in.op == Opcode::Mad) memory_.report_matrix(index);
  if (memory_.emit_memory(in, index)) return;
  if (in.op == Opcode::Call) return calls_.emit_call(in, index, block);
  if (values_.emit_move(in)) return;

  const bool exchange = ir::info(in.op).family == ir::Family::WarpExchange;
  const bool carries = in.mods.carry_out || in.op == Opcode::Addc || in.op == Opcode::Subc || in.op == Opcode::Madc;
  if (!exchange && !carries) {
    bool uniform_results = true;
    for (const ir::Operand& d : in.dst)
      if (d.kind == ir::Operand::Kind::Register) uniform_results &= values_.shape(d.id).is_uniform();
    bool uniform_sources = true;
    for (const ir::Operand& s : in.src) uniform_sources &= values_.is_uniform(s);
    if (uniform_results || uniform_sources) values_.set_width(1);
    if (!uniform_results && !uniform_sources && values_.emit_affine(in)) return;
  }
  if (f.options.events.rare_cases) reports_.report_rare_cases(in, index);
  EmitFunction emitter = emit_function(in.op);
  if (exchange) waits_.report_sync(in, true);
  const std::optional<size_t> mask = exchange ? ir::member_mask(in) : std::nullopt;
  if (emitter && mask && !values_.is_uniform(in.src[*mask])) {
    emit_per_member_mask(in, in.src[*mask], emitter);
  } else if (emitter) {
    emitter(values_, in);
  }
  values_.set_width(32);
  if (f.options.events.matches) reports_.report_value_match(in, index);
}

// Emits an exchange whose lanes may name different masks (tiles of a warp) as a loop over the masks.
void FunctionEmitter::emit_per_member_mask(const ir::Instruction& in, const ir::Operand& members,
                                           EmitFunction emitter) {
  Value* const outer_guard = f.guard;
  Value* all = f.active_mask();
  f.executing = f.executing_lanes();
  Value* masks = values_.value_of(members, ir::Type::B32, 32);
  llvm::AllocaInst* left_slot = f.entry_slot(b.getInt32Ty(), "left");
  b.CreateStore(all, left_slot);
  auto* again = BasicBlock::Create(b.getContext(), "members", f.function);
  auto* after = BasicBlock::Create(b.getContext(), "all.members", f.function);
  b.CreateBr(again);
  b.SetInsertPoint(again);
  Value* left = b.CreateLoad(b.getInt32Ty(), left_slot);
  Value* first = b.CreateIntrinsic(llvm::Intrinsic::cttz, {b.getInt32Ty()}, {left, b.getTrue()});
  Value* same = b.CreateICmpEQ(masks, f.widen(b.CreateExtractElement(masks, first)));
  f.guard = b.CreateAnd(same, f.mask_to_lanes(all));
  Value* rest = b.CreateAnd(left, b.CreateNot(f.lanes_to_mask(f.guard)));
  b.CreateStore(rest, left_slot);
  emitter(values_, in);
  f.guard = outer_guard;
  f.executing = nullptr;
  b.CreateCondBr(b.CreateICmpNE(rest, f.i32(0)), again, after);
  b.SetInsertPoint(after);
}

}  // namespace drywarp::jit
