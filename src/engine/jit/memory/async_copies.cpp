// cp.async: a read of global memory and a write of shared memory, complete when issued. Both are checked and counted
// like loads and stores. If both are affine, rows of a warp move as vectors.
#include "engine/jit/memory/memory_accesses.h"

namespace drywarp::jit {

using llvm::Align;
using llvm::BasicBlock;
using llvm::FixedVectorType;

SharedOp copy_op(const ir::Instruction& in) {
  return in.mods.cache == ir::CacheOperator::Cg ? SharedOp::CopyPastL1 : SharedOp::Copy;
}

// How many bytes are read from global memory; null: all. src[1] is a number of bytes, a predicate that ignores the
// source, or, with 64 bits, a cache policy.
llvm::Value* MemoryAccesses::source_bytes(const ir::Instruction& in, uint64_t bytes) {
  if (in.src.size() < 2 || in.src[1].kind == ir::Operand::Kind::None) return nullptr;
  const ir::Operand& o = in.src[1];
  const unsigned width = values_.is_uniform(o) ? 1 : 32;
  if (o.kind == ir::Operand::Kind::Register) {
    const ir::Type type = f.code.registers[o.id].type;
    if (ir::bits(type) == 64) return nullptr;
    if (type == ir::Type::Pred) {
      Value* all = i32(bytes);
      Value* none = i32(0);
      return b.CreateSelect(values_.value_of(o, type, width), width == 32 ? f.widen(none) : none,
                            width == 32 ? f.widen(all) : all);
    }
  }
  return values_.value_of(o, ir::Type::B32, width);
}

void MemoryAccesses::emit_copy_async(const ir::Instruction& in, uint32_t index) {
  if (!in.address || !in.address2 || in.src.empty()) return;
  const Location to = addresses_.location(*in.address, AddressSpace::Shared),
                 from = addresses_.location(*in.address2, AddressSpace::Global);
  const uint64_t bytes = in.src[0].bits;
  if (f.options.watched) reports_.watch_access(from, index, static_cast<unsigned>(bytes), 1, WatchKind::Load);
  Value* size = source_bytes(in, bytes);
  auto by_lanes = [&] {
    Value* sizes = size ? f.spill(f.widen(size), "bytes") : llvm::ConstantPointerNull::get(b.getPtrTy());
    f.call_runtime(runtime::copy_async,
                   {f.context, site(f.prepared.numbers.written[index]), i32(index),
                    f.spill(addresses_.lane_addresses(to), "to"), f.spill(addresses_.lane_addresses(from), "from"),
                    f.active_mask(), i32(bytes), sizes, i32(uint32_t(copy_op(in)))});
  };
  if (!size) return copy_whole(to, from, in, index, bytes);
  if (size->getType()->isVectorTy()) return by_lanes();
  auto* whole = BasicBlock::Create(b.getContext(), "whole", f.function);
  auto* part = BasicBlock::Create(b.getContext(), "part", f.function);
  auto* after = BasicBlock::Create(b.getContext(), "copied", f.function);
  b.CreateCondBr(b.CreateICmpUGE(size, i32(bytes)), whole, part);
  b.SetInsertPoint(whole);
  copy_whole(to, from, in, index, bytes);
  b.CreateBr(after);
  b.SetInsertPoint(part);
  by_lanes();
  b.CreateBr(after);
  b.SetInsertPoint(after);
}

void MemoryAccesses::copy_whole(const Location& to, const Location& from, const ir::Instruction& in, uint32_t index,
                                unsigned bytes) {
  Value* mask = f.active_mask();
  Value* in_rows = b.CreateICmpEQ(mask, i32(~0u));  // whole rows of the warp are contiguous on both sides
  // Lanes that may access both sides: the others leave the copy out.
  llvm::AllocaInst* allowed = f.entry_slot(b.getInt32Ty(), "allowed");
  b.CreateStore(mask, allowed);
  const auto allow = [&](Value* lanes) {
    b.CreateStore(b.CreateAnd(b.CreateLoad(b.getInt32Ty(), allowed), lanes), allowed);
  };
  auto check = [&](const Location& at, uint32_t slot, SharedOp op) -> AffineAccess {
    if (at.lanes) {
      allow(f.call_runtime(runtime::check_lanes, {f.context, site(slot), i32(index), i32(uint32_t(at.space)),
                                                  addresses_.spill_addresses(addresses_.lane_addresses(at)), mask,
                                                  i32(bytes), i32(uint32_t(op))}));
      return {};
    }
    AffineAccess a = at.uniform ? AffineAccess{at.uniform, i64(0), i64(0)} : addresses_.affine_access(*at.affine);
    a.base = addresses_.to_host(at, a.base);
    if (at.affine && !at.on_host) in_rows = b.CreateAnd(in_rows, extension_exact(*at.affine));
    in_rows = b.CreateAnd(in_rows, b.CreateICmpEQ(a.stride1, i64(bytes)));
    const AccessPaths paths = check_and_count(at, a, slot, bytes, mask, op);
    b.CreateBr(paths.done);
    b.SetInsertPoint(paths.slow);
    allow(call_affine(runtime::check_affine, at, slot, index, mask, i32(bytes), i32(uint32_t(op))));
    b.CreateBr(paths.done);
    b.SetInsertPoint(paths.done);
    return a;
  };
  const AffineAccess target = check(to, f.prepared.numbers.written[index], copy_op(in));
  const AffineAccess source = check(from, f.prepared.numbers.access[index], SharedOp::Load);
  Value* copied = b.CreateLoad(b.getInt32Ty(), allowed);
  in_rows = b.CreateAnd(in_rows, b.CreateICmpEQ(copied, mask));
  auto by_lanes = [&] {
    f.call_runtime(runtime::copy_lanes, {f.spill(addresses_.lane_addresses(to), "to"),
                                         f.spill(addresses_.lane_addresses(from), "from"), copied, i32(bytes)});
  };
  if (to.lanes || from.lanes) return by_lanes();
  auto* rows = BasicBlock::Create(b.getContext(), "rows", f.function);
  auto* lanes = BasicBlock::Create(b.getContext(), "lanes", f.function);
  auto* after = BasicBlock::Create(b.getContext(), "moved", f.function);
  b.CreateCondBr(in_rows, rows, lanes);
  b.SetInsertPoint(rows);
  auto* row = FixedVectorType::get(b.getInt32Ty(), f.prepared.shapes.pattern.width * bytes / 4);
  for (unsigned r = 0; r < f.prepared.shapes.pattern.rows(); ++r) {
    auto place = [&](const AffineAccess& a) {
      Value* address = r == 0 ? a.base : b.CreateAdd(a.base, b.CreateMul(a.stride2, i64(r)));
      return b.CreateIntToPtr(address, b.getPtrTy());
    };
    b.CreateAlignedStore(b.CreateAlignedLoad(row, place(source), Align(bytes)), place(target), Align(bytes));
  }
  b.CreateBr(after);
  b.SetInsertPoint(lanes);
  by_lanes();
  b.CreateBr(after);
  b.SetInsertPoint(after);
}

}  // namespace drywarp::jit
