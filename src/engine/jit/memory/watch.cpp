// Watched code reports to the runtime which global memory it is about to access: see
// engine/exec/memory/conflict_watch.h.
#include "engine/jit/function_emitter.h"

namespace drywarp::jit {

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
