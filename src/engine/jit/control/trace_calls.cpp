// The calls by which generated code tells an observer what happens: traced code which blocks run, which memory each
// access touches and where warps meet at barriers; watched code which global memory it is about to access.
#include "engine/jit/function_emitter.h"

namespace drywarp::jit {

using ir::Opcode;

namespace {

TraceKind kind_of(const ir::Instruction& in) {
  switch (ir::info(in.op).family) {
    case ir::Family::Store:
      return TraceKind::Store;
    case ir::Family::Atomic:
      // A GPU without the instruction runs a compare-and-swap loop.
      return in.mods.atom == ir::AtomOp::Cas || ir::is_float(in.type) ? TraceKind::Swap : TraceKind::Atomic;
    default:
      return TraceKind::Load;
  }
}

}  // namespace

void FunctionEmitter::trace_block(ir::BlockId block) {
  call_runtime("dw_trace_step", {context_, i32(block), b.CreateLoad(b.getInt32Ty(), mask_slot_)});
}

void FunctionEmitter::trace_access(const ir::Instruction& in, uint32_t index) {
  const uint32_t slot = prepared_.numbers.access[index];
  if (slot == ir::kNone || !in.address) return;
  auto tell = [&](const ir::Address& address, AddressSpace space, uint32_t access, uint64_t bytes, TraceKind kind) {
    const Location at = location(address, space);
    if (at.space == AddressSpace::Param || at.space == AddressSpace::Const) return;
    call_runtime("dw_trace_access",
                 {context_, i32(access), i32(uint32_t(at.space)), spill_addresses(lane_addresses(at)), active_mask(),
                  i32(bytes), i32(uint32_t(kind))});
  };
  if (in.op == Opcode::CpAsync) {
    if (!in.address2 || in.src.empty()) return;
    const uint64_t bytes = in.src[0].bits;
    tell(*in.address2, AddressSpace::Global, slot, bytes, TraceKind::Load);
    tell(*in.address, AddressSpace::Shared, prepared_.numbers.written[index], bytes,
         copy_op(in) == SharedOp::CopyPastL1 ? TraceKind::CopyPastL1 : TraceKind::Copy);
    return;
  }
  tell(*in.address, in.mods.space, slot, uint64_t{ir::bits(in.type)} / 8 * in.mods.vector, kind_of(in));
}

void FunctionEmitter::trace_barrier(Value* barrier, Value* threads, Value* mask) {
  call_runtime("dw_trace_barrier", {context_, barrier, threads, mask});
}

// Watched code reports which global memory it is about to access: see engine/exec/memory/conflict_watch.h.
void FunctionEmitter::watch_access(const Location& at, uint32_t index, unsigned bytes, unsigned elements,
                                   WatchKind kind, Value* values) {
  if (at.space != AddressSpace::Global && at.space != AddressSpace::Generic) return;
  const auto tell = [&] {
    Value* from = values ? values : llvm::ConstantPointerNull::get(b.getPtrTy());
    call_runtime("dw_watch", {context_, i32(uint32_t(at.space)), spill_addresses(lane_addresses(at)), active_mask(),
                              i32(bytes), i32(elements), i32(uint32_t(kind)), from});
  };
  if (kind != WatchKind::Load) return tell();
  Value* wanted = b.CreateLoad(
      b.getInt8Ty(), b.CreateConstInBoundsGEP1_64(
                         b.getInt8Ty(), context_field(offsetof(WarpContext, watched_loads), b.getPtrTy()), index));
  when(b.CreateICmpNE(wanted, b.getInt8(0)), false, tell);
}

}  // namespace drywarp::jit
