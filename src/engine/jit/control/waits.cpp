// Instructions at which lanes of a warp, or warps of a block, wait for each other.
#include "engine/jit/control/waits.h"
#include "language/analysis/passes.h"
#include "language/ir/warp_exchanges.h"

namespace drywarp::jit {

using ir::BlockId;
using ir::Mode;
using ir::Opcode;
using ir::Operand;
using llvm::Align;
using llvm::FixedVectorType;

// The lanes that must reconverge: the union of the masks that the active lanes name.
llvm::Value* Waits::member_mask(const ir::Instruction& in) {
  const std::optional<size_t> position = ir::member_mask(in);
  if (!position) return i32(~0u);
  const Operand& o = in.src[*position];
  if (values_.is_uniform(o)) return values_.value_of(o, ir::Type::B32, 1);
  Value* masks = values_.value_of(o, ir::Type::B32, 32);
  return b.CreateOrReduce(b.CreateSelect(f.active_lanes(), masks, llvm::Constant::getNullValue(masks->getType())));
}

void Waits::report_sync(const ir::Instruction& in, bool goes_on) {
  if (!f.options.events.warp_syncs || !ir::waits_for_lanes(in)) return;
  const std::optional<size_t> mask = ir::member_mask(in);
  reports_.report_warp_sync(in, mask ? values_.value_of(in.src[*mask], ir::Type::B32, 32) : i32(~0u), goes_on);
}

// Before an instruction at which lanes reconverge: if lanes of the mask have not arrived, waits for them in group form.
void Waits::emit_convergence_check(const ir::Instruction& in, BlockId block) {
  if (in.op == Opcode::BarWarpSync && !f.warp_form()) return;  // dw_group_warp_sync waits
  Value* members = b.CreateAnd(member_mask(in), f.context_field(offsetof(WarpContext, live), b.getInt32Ty()));
  Value* mask = b.CreateLoad(b.getInt32Ty(), f.mask_slot);
  Value* exited = f.context_field(offsetof(WarpContext, exited), b.getInt32Ty());
  if (!f.warp_form())
    exited = b.CreateOr(exited, f.context_field(offsetof(WarpContext, exchange_peers), b.getInt32Ty()));
  Value* missing = b.CreateAnd(members, b.CreateNot(b.CreateOr(mask, exited)));
  f.when(b.CreateICmpNE(missing, i32(0)), false, [&] {
    if (f.warp_form()) return control_.emit_hand_over(block);
    f.call_runtime(runtime::group_converge, {f.context, i32(block), mask, members});
    b.CreateBr(f.return_block);
  });
}

// If lanes of this warp have not arrived, hands over to the lane-group scheduler: they may reach this barrier or
// another one, or end.
void Waits::emit_barrier_check(const ir::Instruction& in, BlockId block) {
  if (!f.warp_form()) return;
  Value* coming = b.CreateLoad(b.getInt32Ty(), f.mask_slot);
  Value* none = b.getFalse();
  if (in.guard) {
    const Operand predicate{Operand::Kind::Register, in.guard.negate, {}, in.guard.reg, 0, 0, {}};
    coming = b.CreateAnd(coming, f.lanes_to_mask(values_.value_of(predicate, ir::Type::Pred, 32)));
    none = b.CreateICmpEQ(coming, i32(0));
  }
  Value* exited = f.context_field(offsetof(WarpContext, exited), b.getInt32Ty());
  Value* live = f.context_field(offsetof(WarpContext, live), b.getInt32Ty());
  Value* absent = b.CreateAnd(live, b.CreateNot(b.CreateOr(coming, exited)));
  f.when(b.CreateAnd(b.CreateICmpNE(absent, i32(0)), b.CreateNot(none)), false,
         [&] { control_.emit_hand_over(block); });
}

void Waits::emit_barrier(const ir::Instruction& in, uint32_t index, BlockId block) {
  const bool reduces =
      in.mods.mode == Mode::BarRedPopc || in.mods.mode == Mode::BarRedAnd || in.mods.mode == Mode::BarRedOr;
  BarrierKind kind = BarrierKind::Sync;
  switch (in.mods.mode) {
    case Mode::BarArrive:
      kind = BarrierKind::Arrive;
      break;
    case Mode::BarRedPopc:
      kind = BarrierKind::RedPopc;
      break;
    case Mode::BarRedAnd:
      kind = BarrierKind::RedAnd;
      break;
    case Mode::BarRedOr:
      kind = BarrierKind::RedOr;
      break;
    default:
      break;
  }
  // Operands: barrier, thread count if given, and the predicate of a reduction, last.
  const size_t plain = in.src.size() - (reduces ? 1 : 0);
  auto scalar = [&](size_t i, uint64_t otherwise) -> Value* {
    if (i >= plain || in.src[i].kind == Operand::Kind::None) return i32(otherwise);
    if (values_.is_uniform(in.src[i])) return values_.value_of(in.src[i], ir::Type::B32, 1);
    Value* first = b.CreateIntrinsic(llvm::Intrinsic::cttz, {b.getInt32Ty()}, {f.active_mask(), b.getTrue()});
    return b.CreateExtractElement(values_.value_of(in.src[i], ir::Type::B32, 32), first);
  };
  const bool of_cluster = in.mods.scope == ir::Scope::Cluster;
  Value* barrier = of_cluster ? i32(kClusterBarrier) : scalar(0, 0);
  Value* threads = scalar(1, 0);
  Value* predicate = i32(0);
  if (reduces) predicate = f.lanes_to_mask(values_.value_of(in.src.back(), ir::Type::Pred, 32));
  Value* mask = f.active_mask();
  predicate = b.CreateAnd(predicate, mask);
  if (f.options.events.barriers && !(of_cluster && kind == BarrierKind::Arrive))
    reports_.report_arrival(barrier, threads, kind != BarrierKind::Arrive, mask);
  if (!f.warp_form()) {
    const BlockId next = f.code.blocks[block].successors[0];
    f.call_runtime(runtime::group_barrier,
                   {f.context, i32(index), i32(next), i32(uint32_t(kind)), barrier, threads, mask, predicate});
    // Lanes that the guard masks off continue behind the barrier.
    if (f.guard) {
      Value* others = b.CreateAnd(b.CreateLoad(b.getInt32Ty(), f.mask_slot), b.CreateNot(mask));
      f.when(b.CreateICmpNE(others, i32(0)), false,
             [&] { f.call_runtime(runtime::group_go, {f.context, i32(next), others}); });
    }
    b.CreateBr(f.return_block);
    b.SetInsertPoint(llvm::BasicBlock::Create(b.getContext(), "after.barrier", f.function));
    return;
  }
  Value* result =
      f.call_runtime(runtime::barrier, {f.context, i32(index), i32(uint32_t(kind)), barrier, threads, mask, predicate});
  if (!reduces) return;
  values_.set_width(1);
  if (in.mods.mode == Mode::BarRedPopc) {
    values_.set(in, 0, result, ir::Type::B32);
  } else {
    values_.set(in, 0, b.CreateICmpNE(result, i32(0)), ir::Type::Pred);
  }
  values_.set_width(32);
}

void Waits::emit_mbarrier(const ir::Instruction& in, uint32_t index) {
  const bool no_complete = in.mods.no_complete, parity = in.mods.parity;
  MbarrierKind kind{};
  switch (in.op) {
    case Opcode::MbarrierInit:
      kind = MbarrierKind::Init;
      break;
    case Opcode::MbarrierInval:
      kind = MbarrierKind::Inval;
      break;
    case Opcode::CpAsyncMbarrierArrive:
      kind = MbarrierKind::Arrive;
      break;
    case Opcode::MbarrierArrive:
      kind = in.mods.expect_tx ? MbarrierKind::ArriveExpectTx
             : no_complete     ? MbarrierKind::ArriveNoComplete
                               : MbarrierKind::Arrive;
      break;
    case Opcode::MbarrierArriveDrop:
      kind = no_complete ? MbarrierKind::ArriveDropNoComplete : MbarrierKind::ArriveDrop;
      break;
    case Opcode::MbarrierTestWait:
      kind = parity ? MbarrierKind::TestWaitParity : MbarrierKind::TestWait;
      break;
    case Opcode::MbarrierTryWait:
      kind = parity ? MbarrierKind::TryWaitParity : MbarrierKind::TryWait;
      break;
    case Opcode::MbarrierPendingCount:
      kind = MbarrierKind::PendingCount;
      break;
    case Opcode::MbarrierExpectTx:
      kind = MbarrierKind::ExpectTx;
      break;
    default:
      kind = MbarrierKind::CompleteTx;
      break;
  }
  auto* wide = FixedVectorType::get(b.getInt64Ty(), 32);
  Value* addresses = llvm::Constant::getNullValue(wide);
  if (in.address) {
    const bool named = in.mods.space == AddressSpace::Generic || in.mods.space == AddressSpace::SharedCluster;
    const Location at = addresses_.location(*in.address, named ? in.mods.space : AddressSpace::Shared);
    addresses = addresses_.lane_addresses(at);
  }
  Value* operand = in.src.empty() ? llvm::Constant::getNullValue(wide) : values_.value_of(in.src[0], ir::Type::B64, 32);
  llvm::AllocaInst* out = f.entry_slot(wide, "phase");
  out->setAlignment(Align(64));
  f.call_runtime(runtime::mbarrier, {f.context, i32(index), i32(uint32_t(kind)), f.spill(addresses, "addresses"),
                                     f.active_mask(), f.spill(operand, "operand"), out});
  if (values_.unused(in, 0)) return;
  Value* result = b.CreateAlignedLoad(wide, out, Align(64));
  if (f.code.registers[in.dst[0].id].type == ir::Type::Pred) {
    values_.set(in, 0, b.CreateICmpNE(result, llvm::Constant::getNullValue(wide)), ir::Type::Pred);
  } else {
    values_.set(in, 0, result, ir::Type::B64);
  }
}

bool Waits::emit_wait(const ir::Instruction& in, uint32_t index, BlockId block) {
  switch (ir::info(in.op).family) {
    case ir::Family::Barrier:
      emit_barrier(in, index, block);
      return true;
    case ir::Family::Mbarrier:
      emit_mbarrier(in, index);
      return true;
    case ir::Family::AsyncCopy:
      if (in.op != Opcode::CpAsyncMbarrierArrive) return false;
      // The copies are complete already.
      if (f.options.events.copies && in.address)
        reports_.report_copies(
            in, f.spill(addresses_.lane_addresses(addresses_.location(*in.address, AddressSpace::Shared)), "objects"));
      emit_mbarrier(in, index);
      return true;
    case ir::Family::WarpSync:
      report_sync(in, f.warp_form());
      if (f.warp_form()) return true;  // the check at the block's start has found all lanes here
      f.call_runtime(runtime::group_warp_sync, {f.context, i32(f.code.blocks[block].successors[0]),
                                                b.CreateLoad(b.getInt32Ty(), f.mask_slot), member_mask(in)});
      b.CreateBr(f.return_block);
      b.SetInsertPoint(llvm::BasicBlock::Create(b.getContext(), "after.sync", f.function));
      return true;
    case ir::Family::WarpGroupSync:
      report_sync(in, true);
      if (in.op == Opcode::WgmmaCommitGroup) f.call_runtime(runtime::group_commit, {f.context});
      if (in.op == Opcode::WgmmaWaitGroup)
        f.call_runtime(runtime::group_wait, {f.context, i32(index), i32(static_cast<uint32_t>(in.src[0].bits))});
      return true;
    case ir::Family::Misc:
      if (in.op == Opcode::Nanosleep) {
        Value* time = in.src.empty() ? i32(0)
                      : values_.is_uniform(in.src[0])
                          ? values_.value_of(in.src[0], ir::Type::B32, 1)
                          : b.CreateExtractElement(values_.value_of(in.src[0], ir::Type::B32, 32), uint64_t{0});
        f.call_runtime(runtime::sleep, {f.context, time});
      }
      return ir::info(in.op).runs;
    case ir::Family::Control:
      if (in.op == Opcode::Trap || in.op == Opcode::Brkpt) {
        f.call_runtime(runtime::trap, {f.context, i32(index),
                                       i32(uint32_t(in.op == Opcode::Trap ? TrapReason::Trap : TrapReason::Breakpoint)),
                                       f.active_mask()});
        return true;
      }
      return false;
    default:
      return false;
  }
}

}  // namespace drywarp::jit
