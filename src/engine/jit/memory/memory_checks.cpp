// Checks an affine access by two comparisons and counts it by one addition. Each access caches the window of memory
// that it touched last, and the cost of its strides, alignment and mask (AccessSite in runtime_abi.h).
#include "engine/jit/memory/memory_accesses.h"

namespace drywarp::jit {

using llvm::BasicBlock;

llvm::Value* MemoryAccesses::site(uint32_t slot) {
  if (slot == ir::kNone) return llvm::ConstantPointerNull::get(b.getPtrTy());
  return f.counter(offsetof(WarpContext, sites), uint64_t{slot} * sizeof(AccessSite));
}

// Extends the bounds to `count` lanes that are `stride` apart.
void MemoryAccesses::extend_bounds(Bounds& bounds, Value* stride, unsigned count) {
  if (count <= 1 || known(stride) == 0) return;
  Value* far = b.CreateMul(stride, i64(count - 1));
  bounds.low = b.CreateAdd(bounds.low, b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, far, i64(0)));
  bounds.high = b.CreateAdd(bounds.high, b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, far, i64(0)));
}

// True if no lane's 32-bit index wraps around, so that extending commutes with adding the strides.
llvm::Value* MemoryAccesses::extension_exact(const ExtendedValue& v) {
  llvm::Type* wide = b.getInt64Ty();
  Value* base = v.is_signed ? b.CreateSExt(v.index.base, wide) : b.CreateZExt(v.index.base, wide);
  Bounds index{base, base};
  extend_bounds(index, b.CreateSExt(v.index.stride1, wide), f.prepared.shapes.pattern.width);
  extend_bounds(index, b.CreateSExt(v.index.stride2, wide), f.prepared.shapes.pattern.rows());
  Value* least = v.is_signed ? b.getInt64(static_cast<uint64_t>(INT32_MIN)) : i64(0);
  Value* most = v.is_signed ? i64(INT32_MAX) : i64(UINT32_MAX);
  return b.CreateAnd(b.CreateICmpSGE(index.low, least), b.CreateICmpSLE(index.high, most));
}

// Branches to the fast path if the access is known to be valid, and counts it there; else to `slow`, where the runtime
// checks, counts and moves.
MemoryAccesses::AccessPaths MemoryAccesses::check_and_count(const Location& at, const AffineAccess& a, uint32_t slot,
                                                            unsigned bytes, Value* mask, SharedOp op, Value* origin) {
  const unsigned width = f.prepared.shapes.pattern.width, rows = f.prepared.shapes.pattern.rows();
  Value* record = site(slot);
  if (at.space == AddressSpace::Generic && slot != ir::kNone) {
    Value* offset = b.CreateSub(a.base, values_.own_shared());
    Value* shared = b.CreateICmpULT(offset, f.context_field(offsetof(WarpContext, shared_bytes), b.getInt64Ty()));
    record = b.CreateSelect(shared, site(slot + static_cast<uint32_t>(Memory::Shared)), record);
  }
  auto field = [&](size_t offset) {
    return b.CreateLoad(b.getInt64Ty(), b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), record, offset));
  };

  Bounds bytes_touched{a.base, b.CreateAdd(a.base, i64(bytes))};
  extend_bounds(bytes_touched, a.stride1, width);
  extend_bounds(bytes_touched, a.stride2, rows);
  Value* bits = a.base;  // its low bits are zero if every lane's address is aligned
  if (width > 1) bits = b.CreateOr(bits, a.stride1);
  if (rows > 1) bits = b.CreateOr(bits, a.stride2);
  Value *window_base, *window_end;
  if (at.space == AddressSpace::Shared && !f.options.events.denials) {
    window_base = values_.own_shared();
    window_end = b.CreateAdd(window_base, f.context_field(offsetof(WarpContext, shared_bytes), b.getInt64Ty()));
  } else if (at.space == AddressSpace::Local) {
    window_base = b.CreatePtrToInt(f.context_field(offsetof(WarpContext, local), b.getPtrTy()), b.getInt64Ty());
    window_end =
        b.CreateAdd(window_base, b.CreateLoad(b.getInt64Ty(), f.context_address(offsetof(WarpContext, local_window))));
  } else {
    window_base = field(offsetof(AccessSite, window_base));
    window_end = field(offsetof(AccessSite, window_end));
  }
  Value* good =
      b.CreateAnd(b.CreateICmpUGE(bytes_touched.low, window_base), b.CreateICmpULE(bytes_touched.high, window_end));
  if (bytes > 1) good = b.CreateAnd(good, b.CreateICmpEQ(b.CreateAnd(bits, i64(bytes - 1)), i64(0)));
  // In the same allocation, or at its end.
  if (origin)
    good = b.CreateAnd(good, b.CreateAnd(b.CreateICmpUGE(origin, window_base), b.CreateICmpULE(origin, window_end)));
  const bool counted = f.options.counters && slot != ir::kNone && at.space != AddressSpace::Const;
  Value* memo = nullptr;
  if (counted) {
    // The cost depends on some low bits of the base. Shared memory: the offset in the word (banks rotate), or in a row
    // where banks deliver several words. Global memory: the offset in the sector, unless strides are whole sectors.
    // Local memory: nothing, if all threads use the same offset.
    const uint32_t in_period = f.options.shared_period - 1;
    Value* alignment = i64(at.space == AddressSpace::Local ? 0 : shared_alignment(f.options.shared_period, op));
    if (at.space != AddressSpace::Shared && at.space != AddressSpace::Local) {
      Value* strides = rows > 1 ? b.CreateOr(a.stride1, a.stride2) : a.stride1;
      Value* apart = b.CreateICmpEQ(b.CreateAnd(strides, i64(31)), i64(0));
      alignment = b.CreateSelect(apart, i64(0), i64(31));
      if (at.space == AddressSpace::Generic && in_period > 31) alignment = b.CreateOr(alignment, i64(in_period));
    }
    Value* key = b.CreateOr(b.CreateShl(b.CreateZExt(mask, b.getInt64Ty()), 32), b.CreateAnd(a.base, alignment));
    Value* sum = b.CreateAdd(key, a.stride1);
    if (rows > 1) sum = b.CreateAdd(sum, b.CreateMul(a.stride2, i64(3)));
    Value* hash = b.CreateLShr(b.CreateMul(sum, i64(0x9e3779b97f4a7c15)), i64(64 - kMemoBits));
    Value* place = b.CreateAdd(b.CreateMul(hash, i64(sizeof(AccessMemo))), i64(offsetof(AccessSite, memos)));
    memo = b.CreateInBoundsGEP(b.getInt8Ty(), record, place);
    auto remembered = [&](size_t offset) {
      return b.CreateLoad(b.getInt64Ty(), b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), memo, offset));
    };
    good = b.CreateAnd(good, b.CreateICmpEQ(remembered(offsetof(AccessMemo, key)), key));
    good = b.CreateAnd(good, b.CreateICmpEQ(remembered(offsetof(AccessMemo, stride1)), a.stride1));
    if (rows > 1) good = b.CreateAnd(good, b.CreateICmpEQ(remembered(offsetof(AccessMemo, stride2)), a.stride2));
  }
  if (at.affine && !at.on_host) good = b.CreateAnd(good, extension_exact(*at.affine));
  AccessPaths paths{BasicBlock::Create(b.getContext(), "slow", f.function),
                    BasicBlock::Create(b.getContext(), "done", f.function)};
  auto* hit = BasicBlock::Create(b.getContext(), "hit", f.function);
  b.CreateCondBr(good, hit, paths.slow, llvm::MDBuilder(b.getContext()).createBranchWeights(1000, 1));
  b.SetInsertPoint(hit);
  if (counted) f.add_counter(memo, offsetof(AccessMemo, hits), i64(1));
  return paths;
}

// Null in shared and local memory, to which tables of pointers do not lead.
llvm::Value* MemoryAccesses::origin_of(const ir::Instruction& in) {
  const AddressSpace space = in.mods.space;
  if (space != AddressSpace::Global && space != AddressSpace::Generic) return nullptr;
  return in.address->reg == ir::kNone ? nullptr : values_.origin(in.address->reg);
}

void MemoryAccesses::tell_origin(Value* origin) {
  if (!origin) return;
  if (!origin_buffer_) {
    origin_buffer_ = f.entry_slot(llvm::FixedVectorType::get(b.getInt64Ty(), 32), "origins");
    origin_buffer_->setAlignment(llvm::Align(64));
  }
  b.CreateAlignedStore(f.widen(origin), origin_buffer_, llvm::Align(64));
  b.CreateStore(origin_buffer_, f.context_address(offsetof(WarpContext, origins)));
}

// What the slow path of an affine access passes to the runtime.
MemoryAccesses::AffineArguments MemoryAccesses::affine_arguments(const Location& at) {
  ExtendedValue v = at.affine ? *at.affine : ExtendedValue{{i32(0), i32(0), i32(0)}, false, i64(0), at.uniform};
  const uint32_t how = f.prepared.shapes.pattern.width | (v.is_signed ? 0x100u : 0u);
  Value* addend = addresses_.to_host(at, v.addend);
  return {v.index.base, v.index.stride1, v.index.stride2, i32(how), v.scale, addend};
}

}  // namespace drywarp::jit
