// Atomics: the runtime executes them lane by lane, in the order of lane numbers.
#include "engine/jit/function_emitter.h"

namespace drywarp::jit {

using llvm::Align;
using llvm::FixedVectorType;

void FunctionEmitter::emit_atomic(const ir::Instruction& in, uint32_t index) {
  const unsigned bits = ir::bits(in.type), count = in.mods.vector;
  auto* wide = FixedVectorType::get(b.getIntNTy(bits), 32);
  Location at = location(*in.address, in.mods.space);
  Value* mask = active_mask();
  if (options_.watched) watch_access(at, index, bits / 8, count, WatchKind::Atomic);
  // Operands as arrays, element-major: a, and for cas b.
  auto array = [&](unsigned first, unsigned n) -> Value* {
    llvm::AllocaInst* slot = entry_slot(llvm::ArrayType::get(wide, n), "atomic");
    slot->setAlignment(Align(64));
    for (unsigned c = 0; c < n; ++c) {
      Value* v = first + c < in.src.size() ? b.CreateBitCast(value_of(in.src[first + c], in.type, 32), wide)
                                           : llvm::Constant::getNullValue(wide);
      b.CreateAlignedStore(v, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), slot, uint64_t{c} * 32 * (bits / 8)),
                           Align(bits / 8));
    }
    return slot;
  };
  const bool compares = in.mods.atom == ir::AtomOp::Cas;
  Value* a = array(0, count);
  Value* second = compares ? array(1, 1) : static_cast<Value*>(llvm::ConstantPointerNull::get(b.getPtrTy()));
  bool wanted = false;
  for (unsigned c = 0; c < in.dst.size(); ++c) wanted |= !unused(in, c);
  Value* out = llvm::ConstantPointerNull::get(b.getPtrTy());
  if (wanted) {
    llvm::AllocaInst* slot = entry_slot(llvm::ArrayType::get(wide, count), "old");
    slot->setAlignment(Align(64));
    out = slot;
  }
  const uint32_t what = uint32_t(in.mods.atom) | uint32_t(in.type) << 8 | count << 16;
  call_runtime("dw_atomic", {context_, site(prepared_.access_slot[index]), i32(index), i32(uint32_t(at.space)),
                             i32(what), spill_addresses(lane_addresses(at)), mask, a, second, out});
  if (!wanted) return;
  for (unsigned c = 0; c < count; ++c)
    set(in, c,
        b.CreateAlignedLoad(wide, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), out, uint64_t{c} * 32 * (bits / 8)),
                            Align(bits / 8)),
        in.type);
}

}  // namespace drywarp::jit
