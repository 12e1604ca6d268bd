// Loads, stores and atomics. With uniform or affine addresses, the check is two comparisons, the count one addition,
// and the data moves as one or a few vector loads (memory_addresses, memory_checks, memory_moves). Any other pattern
// goes to the runtime as 32 addresses.
#include "engine/jit/memory/memory_accesses.h"

#include "language/ir/accesses.h"

namespace drywarp::jit {

using ir::Opcode;
using ir::Operand;
using llvm::Align;
using llvm::FixedVectorType;

// A buffer for values on their way to or from the runtime. It is read at once, so all accesses share it.
llvm::Value* MemoryAccesses::transfer_buffer() {
  if (!transfer_buffer_) {
    transfer_buffer_ = f.entry_slot(llvm::ArrayType::get(b.getInt8Ty(), kTransferBytes), "transfer");
    transfer_buffer_->setAlignment(Align(64));
  }
  return transfer_buffer_;
}

std::vector<llvm::Value*> MemoryAccesses::from_buffer(llvm::Type* element, unsigned count) {
  auto* wide = FixedVectorType::get(element, 32);
  const unsigned bytes = element->getIntegerBitWidth() / 8;
  std::vector<Value*> values;
  for (unsigned c = 0; c < count; ++c) {
    Value* at = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), transfer_buffer(), uint64_t{c} * 32 * bytes);
    values.push_back(b.CreateAlignedLoad(wide, at, Align(std::min(64u, bytes * 32))));
  }
  return values;
}

void MemoryAccesses::to_buffer(const std::vector<Value*>& values, unsigned bytes) {
  for (unsigned c = 0; c < values.size(); ++c) {
    Value* at = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), transfer_buffer(), uint64_t{c} * 32 * bytes);
    b.CreateAlignedStore(f.widen(values[c]), at, Align(std::min(64u, bytes * 32)));
  }
}

std::vector<llvm::Value*> MemoryAccesses::load_lanes(Value* addresses, AddressSpace space, uint32_t slot,
                                                     uint32_t index, llvm::Type* element, unsigned count, Value* mask) {
  const unsigned bytes = element->getIntegerBitWidth() / 8;
  f.call_runtime(runtime::load,
                 {f.context, site(slot), i32(index), i32(uint32_t(space)), addresses_.spill_addresses(addresses), mask,
                  i32(bytes), i32(count), transfer_buffer()});
  return from_buffer(element, count);
}

void MemoryAccesses::store_lanes(Value* addresses, AddressSpace space, uint32_t slot, uint32_t index,
                                 const std::vector<Value*>& values, llvm::Type* element, Value* mask) {
  const unsigned bytes = element->getIntegerBitWidth() / 8;
  to_buffer(values, bytes);
  f.call_runtime(runtime::store,
                 {f.context, site(slot), i32(index), i32(uint32_t(space)), addresses_.spill_addresses(addresses), mask,
                  i32(bytes), i32(values.size()), transfer_buffer()});
}

void MemoryAccesses::emit_load(const ir::Instruction& in, uint32_t index) {
  const unsigned count = in.mods.vector, bits = ir::bits(in.type), bytes = bits / 8 * count;
  llvm::Type* element = b.getIntNTy(bits);
  const uint32_t slot = f.prepared.numbers.access[index];
  Location at = addresses_.location(*in.address, in.mods.space);
  Value* mask = f.active_mask();
  if (f.options.watched) reports_.watch_access(at, index, bits / 8, count, WatchKind::Load);
  auto give = [&](const std::vector<Value*>& values) {
    for (unsigned c = 0; c < count; ++c) values_.set(in, c, values[c], in.type);
  };
  if (at.space == AddressSpace::Param && at.uniform) {
    if (in.address->reg == ir::kNone)
      return give(load_affine({addresses_.to_host(at, at.uniform), i64(0), i64(0)}, element, count, mask, true));
    return give(load_indexed_parameter(at, slot, index, element, count, mask));
  }
  Value* origin = origin_of(in);
  if (at.lanes || (at.space == AddressSpace::Local && !at.on_host) || at.space == AddressSpace::Param) {
    tell_origin(origin);
    return give(load_lanes(addresses_.lane_addresses(at), at.space, slot, index, element, count, mask));
  }
  const bool uniform = at.uniform != nullptr;
  AffineAccess a = uniform ? AffineAccess{at.uniform, i64(0), i64(0)} : addresses_.affine_access(*at.affine);
  a.base = addresses_.to_host(at, a.base);
  const AccessPaths paths = check_and_count(at, a, slot, bytes, mask, SharedOp::Load, origin);
  std::vector<Value*> slots;
  for (unsigned c = 0; c < count; ++c)
    slots.push_back(
        f.entry_slot(uniform ? element : static_cast<llvm::Type*>(FixedVectorType::get(element, 32)), "element"));
  auto keep = [&](const std::vector<Value*>& values) {
    for (unsigned c = 0; c < count; ++c) b.CreateStore(values[c], slots[c]);
    b.CreateBr(paths.done);
  };
  keep(load_affine(a, element, count, mask, uniform));
  b.SetInsertPoint(paths.slow);
  tell_origin(origin);
  call_affine(runtime::load_affine, at, slot, index, mask, i32(bits / 8), i32(count), transfer_buffer());
  if (uniform) {
    Value* lane =
        b.CreateZExt(b.CreateIntrinsic(llvm::Intrinsic::cttz, {b.getInt32Ty()}, {mask, b.getTrue()}), b.getInt64Ty());
    std::vector<Value*> values;
    for (unsigned c = 0; c < count; ++c) {
      Value* part = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), transfer_buffer(), uint64_t{c} * 32 * (bits / 8));
      values.push_back(b.CreateLoad(element, b.CreateInBoundsGEP(element, part, lane)));
    }
    keep(values);
  } else {
    keep(from_buffer(element, count));
  }
  b.SetInsertPoint(paths.done);
  std::vector<Value*> values;
  for (Value* part : slots)
    values.push_back(b.CreateLoad(llvm::cast<llvm::AllocaInst>(part)->getAllocatedType(), part));
  give(values);
}

// The same place for all lanes, which an index decides: the runtime is told if it is none of the kernel's parameters.
std::vector<llvm::Value*> MemoryAccesses::load_indexed_parameter(const Location& at, uint32_t slot, uint32_t index,
                                                                 llvm::Type* element, unsigned count, Value* mask) {
  const uint64_t bytes = element->getIntegerBitWidth() / 8 * count, all = f.code.parameter_bytes;
  Value* aligned = b.CreateICmpEQ(b.CreateAnd(at.uniform, i64(bytes - 1)), i64(0));
  Value* inside = all < bytes ? b.getFalse() : b.CreateAnd(aligned, b.CreateICmpULE(at.uniform, i64(all - bytes)));
  f.when(b.CreateNot(inside), false,
         [&] { load_lanes(addresses_.lane_addresses(at), at.space, slot, index, element, count, mask); });
  Value* place = b.CreateSelect(inside, at.uniform, i64(0));
  std::vector<Value*> values = load_affine({addresses_.to_host(at, place), i64(0), i64(0)}, element, count, mask, true);
  for (Value*& value : values) value = b.CreateSelect(inside, value, llvm::Constant::getNullValue(value->getType()));
  return values;
}

void MemoryAccesses::emit_store(const ir::Instruction& in, uint32_t index) {
  const unsigned count = in.mods.vector, bits = ir::bits(in.type), bytes = bits / 8 * count;
  llvm::Type* element = b.getIntNTy(bits);
  const uint32_t slot = f.prepared.numbers.access[index];
  Location at = addresses_.location(*in.address, in.mods.space);
  Value* mask = f.active_mask();
  std::vector<Value*> values;
  for (unsigned c = 0; c < count; ++c) {
    const Operand& source = c < in.src.size() ? in.src[c] : Operand{};
    const unsigned width = values_.is_uniform(source) ? 1 : 32;
    Value* v = values_.value_of(source, in.type, width);
    if (in.type == ir::Type::F32 && values_.needs_canonical_nan(source)) v = values_.canonical_nan(v);
    values.push_back(
        b.CreateBitCast(v, width == 32 ? static_cast<llvm::Type*>(FixedVectorType::get(element, 32)) : element));
  }
  if (f.options.events.accesses && f.options.events.values) {
    to_buffer(values, bits / 8);
    reports_.report_access(in, index, transfer_buffer());
    flows_.report(in, index);
  }
  if (f.options.watched) {
    to_buffer(values, bits / 8);
    reports_.watch_access(at, index, bits / 8, count, WatchKind::Store, transfer_buffer());
  }
  Value* origin = origin_of(in);
  if (at.lanes || (at.space == AddressSpace::Local && !at.on_host)) {
    tell_origin(origin);
    return store_lanes(addresses_.lane_addresses(at), at.space, slot, index, values, element, mask);
  }
  const bool uniform = at.uniform != nullptr;
  AffineAccess a = uniform ? AffineAccess{at.uniform, i64(0), i64(0)} : addresses_.affine_access(*at.affine);
  a.base = addresses_.to_host(at, a.base);
  const AccessPaths paths = check_and_count(at, a, slot, bytes, mask, SharedOp::Load, origin);
  store_affine(a, values, element, mask, uniform);
  b.CreateBr(paths.done);
  b.SetInsertPoint(paths.slow);
  to_buffer(values, bits / 8);
  tell_origin(origin);
  call_affine(runtime::store_affine, at, slot, index, mask, i32(bits / 8), i32(count), transfer_buffer());
  b.CreateBr(paths.done);
  b.SetInsertPoint(paths.done);
}

bool MemoryAccesses::emit_memory(const ir::Instruction& in, uint32_t index) {
  if (ir::info(in.op).family == ir::Family::Matrix) {
    emit_matrix(in, index);
    return true;
  }
  // With its values, a store is reported where they are known; what flows into it is, behind it.
  const bool later = f.options.events.values && ir::info(in.op).family == ir::Family::Store;
  if (f.options.events.accesses && !later) reports_.report_access(in, index);
  const ir::Family family = ir::info(in.op).family;
  const bool of_runtime = family == ir::Family::Texture || family == ir::Family::Surface;  // which reports the access
  if (!ir::accesses(in).empty() && !later && !of_runtime) flows_.report(in, index);
  if (f.prepared.late_readers[index]) let_others_read();
  switch (ir::info(in.op).family) {
    case ir::Family::Load:
      emit_load(in, index);
      return true;
    case ir::Family::Store:
      emit_store(in, index);
      return true;
    case ir::Family::Atomic:
      emit_atomic(in, index);
      return true;
    case ir::Family::Texture:
    case ir::Family::Surface:
      emit_texture(in, index);
      if (!ir::accesses(in).empty()) flows_.report(in, index);
      return true;
    case ir::Family::AsyncCopy:
      if (in.op == Opcode::CpAsync)
        emit_copy_async(in, index);
      else if (f.options.events.copies)
        reports_.report_copies(in);
      return true;  // copies are complete when issued, so groups and waits do nothing
    case ir::Family::BulkCopy:
      emit_bulk(in, index);
      return true;
    case ir::Family::WarpGroup:
      emit_group_product(in, index);
      return true;
    case ir::Family::Cache:
      return in.op != Opcode::Createpolicy;  // prefetches and hints move no data that a program can see
    case ir::Family::Fence:
      if (f.options.events.fences) reports_.report_fence(in);
      b.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
      return true;
    default:
      return false;
  }
}

// Atomics: the runtime executes them lane by lane, in the order of lane numbers.
void MemoryAccesses::emit_atomic(const ir::Instruction& in, uint32_t index) {
  const unsigned bits = ir::bits(in.type), count = in.mods.vector;
  auto* wide = FixedVectorType::get(b.getIntNTy(bits), 32);
  Location at = addresses_.location(*in.address, in.mods.space);
  Value* mask = f.active_mask();
  if (f.options.watched) reports_.watch_access(at, index, bits / 8, count, WatchKind::Atomic);
  // Operands as arrays, element-major: a, and for cas b.
  auto array = [&](unsigned first, unsigned n) -> Value* {
    llvm::AllocaInst* slot = f.entry_slot(llvm::ArrayType::get(wide, n), "atomic");
    slot->setAlignment(Align(64));
    for (unsigned c = 0; c < n; ++c) {
      Value* v = first + c < in.src.size() ? b.CreateBitCast(values_.value_of(in.src[first + c], in.type, 32), wide)
                                           : llvm::Constant::getNullValue(wide);
      b.CreateAlignedStore(v, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), slot, uint64_t{c} * 32 * (bits / 8)),
                           Align(bits / 8));
    }
    return slot;
  };
  const bool compares = in.mods.atom == ir::AtomOp::Cas;
  Value* a = array(0, count);
  Value* second = compares ? array(1, 1) : static_cast<Value*>(llvm::ConstantPointerNull::get(b.getPtrTy()));
  bool used = false;
  for (unsigned c = 0; c < in.dst.size(); ++c) used |= !values_.unused(in, c);
  const bool replaces = used && count == 1 && in.mods.atom == ir::AtomOp::Exch;
  const bool wanted = used || (f.options.events.outcomes && compares);
  Value* out = llvm::ConstantPointerNull::get(b.getPtrTy());
  if (wanted) {
    llvm::AllocaInst* slot = f.entry_slot(llvm::ArrayType::get(wide, count), "old");
    slot->setAlignment(Align(64));
    out = slot;
  }
  const uint32_t what = uint32_t(in.mods.atom) | uint32_t(in.type) << 8 | count << 16;
  tell_origin(origin_of(in));
  f.call_runtime(runtime::atomic,
                 {f.context, site(f.prepared.numbers.access[index]), i32(index), i32(uint32_t(at.space)), i32(what),
                  addresses_.spill_addresses(addresses_.lane_addresses(at)), mask, a, second, out});
  if (f.options.events.outcomes) {
    const auto lanes_of = [&](Value* slot) { return b.CreateAlignedLoad(wide, slot, Align(bits / 8)); };
    Value *wrote = f.active_mask(), *replaced = i32(0);
    if (compares) wrote = b.CreateAnd(wrote, f.lanes_to_mask(b.CreateICmpEQ(lanes_of(out), lanes_of(a))));
    if (replaces) replaced = b.CreateAnd(wrote, f.lanes_to_mask(b.CreateICmpNE(lanes_of(out), lanes_of(a))));
    reports_.report_outcome(index, wrote, replaced, a);
  }
  if (!wanted || in.dst.empty()) return;
  for (unsigned c = 0; c < count; ++c)
    values_.set(
        in, c,
        b.CreateAlignedLoad(wide, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), out, uint64_t{c} * 32 * (bits / 8)),
                            Align(bits / 8)),
        in.type);
}

// Behind a barrier, a GPU's warps run concurrently, while ours run one after the other. The first warp that overwrites
// a value lets the others run first if they may still read it.
void MemoryAccesses::let_others_read() {
  Value* place = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), f.context, offsetof(WarpContext, ahead));
  f.when(b.CreateICmpNE(b.CreateLoad(b.getInt32Ty(), place), i32(0)), false,
         [&] { f.call_runtime(runtime::let_others_read, {f.context}); });
}

}  // namespace drywarp::jit
