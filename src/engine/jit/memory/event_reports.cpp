#include "engine/jit/memory/event_reports.h"

namespace drywarp::jit {

using ir::Opcode;

namespace {

AccessKind kind_of(const ir::Instruction& in) {
  switch (ir::info(in.op).family) {
    case ir::Family::Store:
      return AccessKind::Store;
    case ir::Family::Atomic:
      // A GPU without the instruction runs a compare-and-swap loop.
      return in.mods.atom == ir::AtomOp::Cas || ir::is_float(in.type) ? AccessKind::Swap : AccessKind::Atomic;
    default:
      return AccessKind::Load;
  }
}

}  // namespace

void EventReports::report_step(ir::BlockId block) {
  f.call_runtime(runtime::step, {f.context, i32(block), b.CreateLoad(b.getInt32Ty(), f.mask_slot)});
}

void EventReports::report_access(const ir::Instruction& in, uint32_t index) {
  const uint32_t slot = f.prepared.numbers.access[index];
  if (slot == ir::kNone || !in.address) return;
  auto tell = [&](const ir::Address& address, AddressSpace space, uint32_t access, uint64_t bytes, AccessKind kind) {
    const Location at = addresses_.location(address, space);
    if (at.space == AddressSpace::Param || at.space == AddressSpace::Const) return;
    f.call_runtime(runtime::access, {f.context, i32(access), i32(uint32_t(at.space)),
                                     addresses_.spill_addresses(addresses_.lane_addresses(at)), f.active_mask(),
                                     i32(bytes), i32(uint32_t(kind))});
  };
  if (in.op == Opcode::CpAsync) {
    if (!in.address2 || in.src.empty()) return;
    const uint64_t bytes = in.src[0].bits;
    tell(*in.address2, AddressSpace::Global, slot, bytes, AccessKind::Load);
    tell(*in.address, AddressSpace::Shared, f.prepared.numbers.written[index], bytes,
         copy_op(in) == SharedOp::CopyPastL1 ? AccessKind::CopyPastL1 : AccessKind::Copy);
    return;
  }
  tell(*in.address, in.mods.space, slot, uint64_t{ir::bits(in.type)} / 8 * in.mods.vector, kind_of(in));
}

void EventReports::report_arrival(Value* barrier, Value* threads, Value* mask) {
  f.call_runtime(runtime::arrive, {f.context, barrier, threads, mask});
}

// Watched code reports which global memory it is about to access: see engine/exec/memory/conflict_watch.h.
void EventReports::watch_access(const Location& at, uint32_t index, unsigned bytes, unsigned elements, WatchKind kind,
                                Value* values) {
  if (at.space != AddressSpace::Global && at.space != AddressSpace::Generic) return;
  const auto tell = [&] {
    Value* from = values ? values : llvm::ConstantPointerNull::get(b.getPtrTy());
    f.call_runtime(runtime::watch,
                   {f.context, i32(uint32_t(at.space)), addresses_.spill_addresses(addresses_.lane_addresses(at)),
                    f.active_mask(), i32(bytes), i32(elements), i32(uint32_t(kind)), from});
  };
  if (kind != WatchKind::Load) return tell();
  Value* wanted = b.CreateLoad(
      b.getInt8Ty(), b.CreateConstInBoundsGEP1_64(
                         b.getInt8Ty(), f.context_field(offsetof(WarpContext, watched_loads), b.getPtrTy()), index));
  f.when(b.CreateICmpNE(wanted, b.getInt8(0)), false, tell);
}

}  // namespace drywarp::jit
