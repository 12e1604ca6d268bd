// Loads and stores. Where addresses are uniform or affine, the check is two comparisons, the count one addition, and
// the data moves as one or a few vector loads; any other pattern goes to the runtime as 32 addresses.
#include "jit/function_emitter.h"

namespace drywarp::jit {

using ir::Opcode;
using ir::Operand;
using ir::Space;
using Kind = analysis::Shape::Kind;
using llvm::Align;
using llvm::BasicBlock;
using llvm::FixedVectorType;

namespace {

AddressSpace address_space(Space space) {
  switch (space) {
    case Space::Global:
      return AddressSpace::Global;
    case Space::Shared:
    case Space::SharedCluster:
      return AddressSpace::Shared;
    case Space::Local:
    case Space::ParamFunc:
      return AddressSpace::Local;
    case Space::Const:
      return AddressSpace::Const;
    case Space::Param:
      return AddressSpace::Param;
    default:
      return AddressSpace::Generic;
  }
}

std::optional<int64_t> known(llvm::Value* v) {
  auto* c = llvm::dyn_cast<llvm::ConstantInt>(v);
  if (!c) return std::nullopt;
  return c->getSExtValue();
}

// The mask's bits each repeated `times` times: the lanes' elements of a contiguous access.
llvm::Value* take_row(llvm::IRBuilder<>& b, llvm::Value* lanes, unsigned first, unsigned count) {
  if (count == 32) return lanes;
  std::vector<int> index;
  for (unsigned i = 0; i < count; ++i) index.push_back(static_cast<int>(first + i));
  return b.CreateShuffleVector(lanes, index);
}

llvm::Value* concatenate(llvm::IRBuilder<>& b, std::vector<llvm::Value*> rows) {
  while (rows.size() > 1) {
    std::vector<llvm::Value*> next;
    for (size_t i = 0; i < rows.size(); i += 2) {
      const unsigned n = llvm::cast<FixedVectorType>(rows[i]->getType())->getNumElements();
      std::vector<int> index;
      for (unsigned k = 0; k < 2 * n; ++k) index.push_back(static_cast<int>(k));
      next.push_back(b.CreateShuffleVector(rows[i], rows[i + 1], index));
    }
    rows = std::move(next);
  }
  return rows[0];
}

}  // namespace

llvm::Value* FunctionEmitter::site(uint32_t slot) {
  if (slot == ir::kNone) return llvm::ConstantPointerNull::get(b.getPtrTy());
  return counter(offsetof(WarpContext, sites), uint64_t{slot} * sizeof(AccessSite));
}

FunctionEmitter::Location FunctionEmitter::location(const ir::Address& address, Space space) {
  Location at = plain_location(address, space);
  if (at.space != AddressSpace::Local || !at.uniform) return at;
  // One offset for all threads: each in its own memory, a fixed distance apart.
  const unsigned width = prepared_.shapes.pattern.width;
  Value* stride = context_field(offsetof(WarpContext, local_stride), b.getInt64Ty());
  Value* base = b.CreatePtrToInt(context_field(offsetof(WarpContext, local), b.getPtrTy()), b.getInt64Ty());
  at.affine =
      ExtendedValue{{i32(0), i32(1), i32(width == 32 ? 0 : width)}, false, stride, b.CreateAdd(base, at.uniform)};
  at.uniform = nullptr;
  at.on_host = true;
  return at;
}

FunctionEmitter::Location FunctionEmitter::plain_location(const ir::Address& address, Space space) {
  Location at;
  at.space = address_space(space);
  const auto offset = static_cast<uint64_t>(address.offset);
  if (address.symbol != ir::kNone) {
    if (module_.symbols[address.symbol].space == Space::ParamFunc) at.space = AddressSpace::Local;
    at.uniform = symbol_address(address.symbol, address.offset);
    return at;
  }
  if (address.reg == ir::kNone) {
    at.uniform = i64(offset);
    return at;
  }
  const Operand reg{Operand::Kind::Register, false, {}, address.reg, 0, 0, {}};
  const bool narrow = ir::bits(code_.registers[address.reg].type) == 32;
  if (is_uniform(reg)) {
    at.uniform = b.CreateAdd(value_of(reg, ir::Type::B64, 1), i64(offset));
  } else if (registers_[address.reg].shape.kind == Kind::Affine && narrow) {
    at.affine = ExtendedValue{*read_affine(reg), false, i64(1), i64(offset)};
  } else if (registers_[address.reg].shape.kind == Kind::Extended) {
    at.affine = read_extended(reg);
    at.affine->addend = b.CreateAdd(at.affine->addend, i64(offset));
  } else {
    at.lanes = b.CreateAdd(value_of(reg, ir::Type::B64, 32), widen(i64(offset)));
  }
  return at;
}

// A 64-bit host address from an address of the location's space. Local addresses differ from lane to lane.
llvm::Value* FunctionEmitter::to_host(const Location& at, Value* address) {
  const unsigned width = address->getType()->isVectorTy() ? 32 : 1;
  if (at.on_host) return address;
  switch (at.space) {
    case AddressSpace::Shared:
      return b.CreateAdd(address, generic_base(Space::Shared, width));
    case AddressSpace::Param:
      return b.CreateAdd(address, generic_base(Space::Param, width));
    case AddressSpace::Local:
      return b.CreateAdd(widen(address), generic_base(Space::Local, 32));
    default:
      return address;
  }
}

llvm::Value* FunctionEmitter::lane_addresses(const Location& at) {
  Value* lanes = at.lanes ? at.lanes : at.affine ? expand(*at.affine) : widen(at.uniform);
  return to_host(at, lanes);
}

FunctionEmitter::AffineAccess FunctionEmitter::affine_access(const ExtendedValue& v) {
  llvm::Type* wide = b.getInt64Ty();
  Value* index = v.is_signed ? b.CreateSExt(v.index.base, wide) : b.CreateZExt(v.index.base, wide);
  // Nothing times something that is not known yet is known all the same.
  auto scaled = [&](Value* stride) {
    return known(stride) == 0 ? i64(0) : b.CreateMul(b.CreateSExt(stride, wide), v.scale);
  };
  return {b.CreateAdd(b.CreateMul(index, v.scale), v.addend), scaled(v.index.stride1), scaled(v.index.stride2)};
}

// True if no lane's 32-bit index wraps around, so that extending commutes with adding the strides.
llvm::Value* FunctionEmitter::extension_exact(const ExtendedValue& v) {
  llvm::Type* wide = b.getInt64Ty();
  Value* low = v.is_signed ? b.CreateSExt(v.index.base, wide) : b.CreateZExt(v.index.base, wide);
  Value* high = low;
  auto reach = [&](Value* stride, unsigned count) {
    if (count <= 1) return;
    Value* far = b.CreateMul(b.CreateSExt(stride, wide), i64(count - 1));
    low = b.CreateAdd(low, b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, far, i64(0)));
    high = b.CreateAdd(high, b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, far, i64(0)));
  };
  reach(v.index.stride1, prepared_.shapes.pattern.width);
  reach(v.index.stride2, prepared_.shapes.pattern.rows());
  Value* least = v.is_signed ? b.getInt64(static_cast<uint64_t>(INT32_MIN)) : i64(0);
  Value* most = v.is_signed ? i64(INT32_MAX) : i64(UINT32_MAX);
  return b.CreateAnd(b.CreateICmpSGE(low, least), b.CreateICmpSLE(high, most));
}

// Branches: to where an access goes on that is known to be good, and counted there; and to where the runtime does it
// all.
FunctionEmitter::AccessPaths FunctionEmitter::check_and_count(const Location& at, const AffineAccess& a, uint32_t slot,
                                                              unsigned bytes, Value* mask) {
  const unsigned width = prepared_.shapes.pattern.width, rows = prepared_.shapes.pattern.rows();
  Value* record = site(slot);
  if (at.space == AddressSpace::Generic && slot != ir::kNone) {
    Value* offset = b.CreateSub(a.base, generic_base(Space::Shared, 1));
    Value* shared = b.CreateICmpULT(offset, context_field(offsetof(WarpContext, shared_bytes), b.getInt64Ty()));
    record = b.CreateSelect(shared, site(slot + static_cast<uint32_t>(Memory::Shared)), record);
  }
  auto field = [&](size_t offset) {
    return b.CreateLoad(b.getInt64Ty(), b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), record, offset));
  };

  Value *low = a.base, *high = b.CreateAdd(a.base, i64(bytes));
  Value* bits = a.base;
  auto reach = [&](Value* stride, unsigned count) {
    if (count <= 1 || known(stride) == 0) return;
    Value* far = b.CreateMul(stride, i64(count - 1));
    low = b.CreateAdd(low, b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, far, i64(0)));
    high = b.CreateAdd(high, b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, far, i64(0)));
    bits = b.CreateOr(bits, stride);
  };
  reach(a.stride1, width);
  reach(a.stride2, rows);
  Value *window_base, *window_end;
  if (at.space == AddressSpace::Shared) {
    window_base = generic_base(Space::Shared, 1);
    window_end = b.CreateAdd(window_base, context_field(offsetof(WarpContext, shared_bytes), b.getInt64Ty()));
  } else if (at.space == AddressSpace::Local) {
    window_base = b.CreatePtrToInt(context_field(offsetof(WarpContext, local), b.getPtrTy()), b.getInt64Ty());
    Value* all = b.CreateShl(context_field(offsetof(WarpContext, local_stride), b.getInt64Ty()), 5);
    window_end = b.CreateAdd(window_base, all);
  } else {
    window_base = field(offsetof(AccessSite, window_base));
    window_end = field(offsetof(AccessSite, window_end));
  }
  Value* good = b.CreateAnd(b.CreateICmpUGE(low, window_base), b.CreateICmpULE(high, window_end));
  if (bytes > 1) good = b.CreateAnd(good, b.CreateICmpEQ(b.CreateAnd(bits, i64(bytes - 1)), i64(0)));
  const bool counted = options_.counters && slot != ir::kNone && at.space != AddressSpace::Const;
  Value* memo = nullptr;
  if (counted) {
    // What the base's alignment can change: the word's place for shared memory (banks rotate), the place in the sector
    // for global memory, but not there when the elements are whole sectors apart.
    // Threads at one offset of their local memories cost the same at every offset.
    Value* alignment = i64(at.space == AddressSpace::Local ? 0 : 3);
    if (at.space != AddressSpace::Shared && at.space != AddressSpace::Local) {
      Value* strides = rows > 1 ? b.CreateOr(a.stride1, a.stride2) : a.stride1;
      Value* apart = b.CreateICmpEQ(b.CreateAnd(strides, i64(31)), i64(0));
      alignment = b.CreateSelect(apart, i64(0), i64(31));
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
  AccessPaths paths{BasicBlock::Create(b.getContext(), "slow", function_),
                    BasicBlock::Create(b.getContext(), "done", function_)};
  auto* hit = BasicBlock::Create(b.getContext(), "hit", function_);
  b.CreateCondBr(good, hit, paths.slow, llvm::MDBuilder(b.getContext()).createBranchWeights(1000, 1));
  b.SetInsertPoint(hit);
  if (counted) add_counter(memo, offsetof(AccessMemo, hits), i64(1));
  return paths;
}

// The slow path of an affine access: the runtime gets what the addresses are made of.
void FunctionEmitter::call_affine(const char* name, const Location& at, uint32_t slot, uint32_t index, unsigned bytes,
                                  unsigned count, Value* mask, Value* buffer) {
  ExtendedValue v = at.affine ? *at.affine : ExtendedValue{{i32(0), i32(0), i32(0)}, false, i64(0), at.uniform};
  const uint32_t how = prepared_.shapes.pattern.width | (v.is_signed ? 0x100u : 0u);
  Value* addend = to_host(at, v.addend);
  call_runtime(name, {context_, site(slot), i32(index), i32(uint32_t(at.space)), v.index.base, v.index.stride1,
                      v.index.stride2, i32(how), v.scale, addend, mask, i32(bytes), i32(count), buffer});
}

// Room for the values or addresses that go to and from the runtime: used up at once, so that one of each serves all.
llvm::Value* FunctionEmitter::transfer_buffer() {
  if (!transfer_buffer_) {
    transfer_buffer_ = entry_slot(llvm::ArrayType::get(b.getInt8Ty(), kTransferBytes), "transfer");
    transfer_buffer_->setAlignment(Align(64));
  }
  return transfer_buffer_;
}

llvm::Value* FunctionEmitter::spill_addresses(Value* addresses) {
  if (!address_buffer_) {
    address_buffer_ = entry_slot(FixedVectorType::get(b.getInt64Ty(), 32), "addresses");
    address_buffer_->setAlignment(Align(64));
  }
  b.CreateAlignedStore(addresses, address_buffer_, Align(64));
  return address_buffer_;
}

std::vector<llvm::Value*> FunctionEmitter::from_buffer(llvm::Type* element, unsigned count) {
  auto* wide = FixedVectorType::get(element, 32);
  const unsigned bytes = element->getIntegerBitWidth() / 8;
  std::vector<Value*> values;
  for (unsigned c = 0; c < count; ++c) {
    Value* at = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), transfer_buffer(), uint64_t{c} * 32 * bytes);
    values.push_back(b.CreateAlignedLoad(wide, at, Align(std::min(64u, bytes * 32))));
  }
  return values;
}

void FunctionEmitter::to_buffer(const std::vector<Value*>& values, unsigned bytes) {
  for (unsigned c = 0; c < values.size(); ++c) {
    Value* at = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), transfer_buffer(), uint64_t{c} * 32 * bytes);
    b.CreateAlignedStore(widen(values[c]), at, Align(std::min(64u, bytes * 32)));
  }
}

std::vector<llvm::Value*> FunctionEmitter::load_affine(const AffineAccess& a, llvm::Type* element, unsigned count,
                                                       Value* mask, bool uniform) {
  const unsigned bytes = element->getIntegerBitWidth() / 8, total = bytes * count;
  auto pointer = [&](Value* address) { return b.CreateIntToPtr(address, b.getPtrTy()); };
  std::vector<Value*> values(count);
  if (uniform) {
    for (unsigned c = 0; c < count; ++c)
      values[c] = b.CreateAlignedLoad(element, pointer(b.CreateAdd(a.base, i64(c * bytes))), Align(bytes));
    return values;
  }
  const unsigned width = prepared_.shapes.pattern.width, rows = prepared_.shapes.pattern.rows();
  llvm::Type* wide = FixedVectorType::get(element, 32);
  Value* lanes = mask_to_lanes(mask);
  Value* all = b.CreateICmpEQ(mask, i32(~0u));

  auto gather = [&] {
    Value* offsets = b.CreateMul(widen(a.stride1), pattern1(b.getInt64Ty()));
    if (rows > 1) offsets = b.CreateAdd(offsets, b.CreateMul(widen(a.stride2), pattern2(b.getInt64Ty())));
    Value* addresses = b.CreateAdd(widen(a.base), offsets);
    for (unsigned c = 0; c < count; ++c) {
      Value* pointers =
          b.CreateIntToPtr(b.CreateAdd(addresses, widen(i64(c * bytes))), FixedVectorType::get(b.getPtrTy(), 32));
      values[c] = b.CreateMaskedGather(wide, pointers, Align(bytes), lanes, llvm::Constant::getNullValue(wide));
    }
  };
  auto contiguous = [&] {
    if (count > 1) {  // only for full warps of one row
      auto* whole = FixedVectorType::get(element, 32 * count);
      Value* data = b.CreateAlignedLoad(whole, pointer(a.base), Align(bytes));
      for (unsigned c = 0; c < count; ++c) {
        std::vector<int> index;
        for (unsigned l = 0; l < 32; ++l) index.push_back(static_cast<int>(l * count + c));
        values[c] = b.CreateShuffleVector(data, index);
      }
      return;
    }
    auto* row_type = FixedVectorType::get(element, width);
    auto rows_of = [&](bool masked) {
      std::vector<Value*> parts;
      for (unsigned r = 0; r < rows; ++r) {
        Value* address = r == 0 ? a.base : b.CreateAdd(a.base, b.CreateMul(a.stride2, i64(r)));
        parts.push_back(masked ? b.CreateMaskedLoad(row_type, pointer(address), Align(bytes),
                                                    take_row(b, lanes, r * width, width),
                                                    llvm::Constant::getNullValue(row_type))
                               : static_cast<Value*>(b.CreateAlignedLoad(row_type, pointer(address), Align(bytes))));
      }
      return concatenate(b, parts);
    };
    if (options_.masked_memory()) {
      values[0] = rows_of(true);
      return;
    }
    Value* slot = entry_slot(wide, "row");
    auto* full = BasicBlock::Create(b.getContext(), "full", function_);
    auto* part = BasicBlock::Create(b.getContext(), "part", function_);
    auto* after = BasicBlock::Create(b.getContext(), "loaded", function_);
    b.CreateCondBr(all, full, part);
    b.SetInsertPoint(full);
    b.CreateStore(rows_of(false), slot);
    b.CreateBr(after);
    b.SetInsertPoint(part);
    b.CreateStore(rows_of(true), slot);
    b.CreateBr(after);
    b.SetInsertPoint(after);
    values[0] = b.CreateLoad(wide, slot);
  };
  auto rows_broadcast = [&] {
    for (unsigned c = 0; c < count; ++c) {
      std::vector<Value*> parts;
      for (unsigned r = 0; r < rows; ++r) {
        Value* address = b.CreateAdd(a.base, b.CreateAdd(b.CreateMul(a.stride2, i64(r)), i64(c * bytes)));
        parts.push_back(b.CreateVectorSplat(width, b.CreateAlignedLoad(element, pointer(address), Align(bytes))));
      }
      values[c] = concatenate(b, parts);
    }
  };

  const auto stride = known(a.stride1);
  if (stride && *stride != total && !(*stride == 0 && rows > 1 && rows <= 8)) {
    gather();
    return values;
  }
  if (stride == total && count == 1) {
    contiguous();
    return values;
  }
  // The rest is decided when it runs.
  std::vector<Value*> slots;
  for (unsigned c = 0; c < count; ++c) slots.push_back(entry_slot(wide, "element"));
  auto* fast = BasicBlock::Create(b.getContext(), "fast", function_);
  auto* slow = BasicBlock::Create(b.getContext(), "gather", function_);
  auto* after = BasicBlock::Create(b.getContext(), "loaded", function_);
  Value* condition = b.getTrue();
  if (!stride) condition = b.CreateICmpEQ(a.stride1, i64(total));
  const bool broadcast = stride == 0;
  if (broadcast || count > 1) condition = b.CreateAnd(condition, all);
  if (!broadcast && count > 1 && rows > 1) condition = b.getFalse();
  b.CreateCondBr(condition, fast, slow);
  auto keep = [&] {
    for (unsigned c = 0; c < count; ++c) b.CreateStore(values[c], slots[c]);
    b.CreateBr(after);
  };
  b.SetInsertPoint(fast);
  broadcast ? rows_broadcast() : contiguous();
  keep();
  b.SetInsertPoint(slow);
  gather();
  keep();
  b.SetInsertPoint(after);
  for (unsigned c = 0; c < count; ++c) values[c] = b.CreateLoad(wide, slots[c]);
  return values;
}

void FunctionEmitter::store_affine(const AffineAccess& a, const std::vector<Value*>& values, llvm::Type* element,
                                   Value* mask, bool uniform) {
  const unsigned count = values.size(), bytes = element->getIntegerBitWidth() / 8, total = bytes * count;
  auto pointer = [&](Value* address) { return b.CreateIntToPtr(address, b.getPtrTy()); };
  if (uniform) {  // one address: one of the lanes wins, the highest as on hardware
    for (unsigned c = 0; c < count; ++c) {
      Value* value = values[c];
      if (value->getType()->isVectorTy()) {
        Value* last =
            b.CreateSub(i32(31), b.CreateIntrinsic(llvm::Intrinsic::ctlz, {b.getInt32Ty()}, {mask, b.getTrue()}));
        value = b.CreateExtractElement(value, last);
      }
      b.CreateAlignedStore(value, pointer(b.CreateAdd(a.base, i64(c * bytes))), Align(bytes));
    }
    return;
  }
  const unsigned width = prepared_.shapes.pattern.width, rows = prepared_.shapes.pattern.rows();
  Value* lanes = mask_to_lanes(mask);
  Value* all = b.CreateICmpEQ(mask, i32(~0u));
  std::vector<Value*> wide;
  for (Value* v : values) wide.push_back(widen(v));
  auto scatter = [&] {
    Value* offsets = b.CreateMul(widen(a.stride1), pattern1(b.getInt64Ty()));
    if (rows > 1) offsets = b.CreateAdd(offsets, b.CreateMul(widen(a.stride2), pattern2(b.getInt64Ty())));
    Value* addresses = b.CreateAdd(widen(a.base), offsets);
    for (unsigned c = 0; c < count; ++c) {
      Value* pointers =
          b.CreateIntToPtr(b.CreateAdd(addresses, widen(i64(c * bytes))), FixedVectorType::get(b.getPtrTy(), 32));
      b.CreateMaskedScatter(wide[c], pointers, Align(bytes), lanes);
    }
  };
  auto contiguous = [&] {
    if (count > 1) {
      std::vector<Value*> padded = wide;
      while (padded.size() & (padded.size() - 1)) padded.push_back(llvm::UndefValue::get(wide[0]->getType()));
      Value* together = concatenate(b, padded);
      std::vector<int> index;
      for (unsigned l = 0; l < 32; ++l)
        for (unsigned c = 0; c < count; ++c) index.push_back(static_cast<int>(c * 32 + l));
      b.CreateAlignedStore(b.CreateShuffleVector(together, index), pointer(a.base), Align(bytes));
      return;
    }
    auto rows_of = [&](bool masked) {
      for (unsigned r = 0; r < rows; ++r) {
        Value* address = r == 0 ? a.base : b.CreateAdd(a.base, b.CreateMul(a.stride2, i64(r)));
        Value* row = take_row(b, wide[0], r * width, width);
        if (masked) {
          b.CreateMaskedStore(row, pointer(address), Align(bytes), take_row(b, lanes, r * width, width));
        } else {
          b.CreateAlignedStore(row, pointer(address), Align(bytes));
        }
      }
    };
    if (options_.masked_memory()) return rows_of(true);
    auto* full = BasicBlock::Create(b.getContext(), "full", function_);
    auto* part = BasicBlock::Create(b.getContext(), "part", function_);
    auto* after = BasicBlock::Create(b.getContext(), "stored", function_);
    b.CreateCondBr(all, full, part);
    b.SetInsertPoint(full);
    rows_of(false);
    b.CreateBr(after);
    b.SetInsertPoint(part);
    rows_of(true);
    b.CreateBr(after);
    b.SetInsertPoint(after);
  };
  const auto stride = known(a.stride1);
  if (stride && *stride != total) return scatter();
  if (stride == total && count == 1) return contiguous();
  auto* fast = BasicBlock::Create(b.getContext(), "fast", function_);
  auto* slow = BasicBlock::Create(b.getContext(), "scatter", function_);
  auto* after = BasicBlock::Create(b.getContext(), "stored", function_);
  Value* condition = stride ? b.getTrue() : b.CreateICmpEQ(a.stride1, i64(total));
  if (count > 1) condition = rows > 1 ? b.getFalse() : b.CreateAnd(condition, all);
  b.CreateCondBr(condition, fast, slow);
  b.SetInsertPoint(fast);
  contiguous();
  b.CreateBr(after);
  b.SetInsertPoint(slow);
  scatter();
  b.CreateBr(after);
  b.SetInsertPoint(after);
}

std::vector<llvm::Value*> FunctionEmitter::load_any(Value* addresses, AddressSpace space, uint32_t slot, uint32_t index,
                                                    llvm::Type* element, unsigned count, Value* mask) {
  const unsigned bytes = element->getIntegerBitWidth() / 8;
  call_runtime("dw_load", {context_, site(slot), i32(index), i32(uint32_t(space)), spill_addresses(addresses), mask,
                           i32(bytes), i32(count), transfer_buffer()});
  return from_buffer(element, count);
}

void FunctionEmitter::store_any(Value* addresses, AddressSpace space, uint32_t slot, uint32_t index,
                                const std::vector<Value*>& values, llvm::Type* element, Value* mask) {
  const unsigned bytes = element->getIntegerBitWidth() / 8;
  to_buffer(values, bytes);
  call_runtime("dw_store", {context_, site(slot), i32(index), i32(uint32_t(space)), spill_addresses(addresses), mask,
                            i32(bytes), i32(values.size()), transfer_buffer()});
}

void FunctionEmitter::emit_load(const ir::Instruction& in, uint32_t index) {
  const unsigned count = in.mods.vector, bits = ir::bits(in.type), bytes = bits / 8 * count;
  llvm::Type* element = b.getIntNTy(bits);
  const uint32_t slot = prepared_.access_slot[index];
  Location at = location(*in.address, in.mods.space);
  Value* mask = active_mask();
  auto give = [&](const std::vector<Value*>& values) {
    for (unsigned c = 0; c < count; ++c) set(in, c, values[c], in.type);
  };
  if (at.space == AddressSpace::Param && at.uniform) {
    Value* base = to_host(at, at.uniform);
    return give(load_affine({base, i64(0), i64(0)}, element, count, mask, true));
  }
  if (at.lanes || (at.space == AddressSpace::Local && !at.on_host) || at.space == AddressSpace::Param)
    return give(load_any(lane_addresses(at), at.space, slot, index, element, count, mask));
  const bool uniform = at.uniform != nullptr;
  AffineAccess a = uniform ? AffineAccess{at.uniform, i64(0), i64(0)} : affine_access(*at.affine);
  a.base = to_host(at, a.base);
  const AccessPaths paths = check_and_count(at, a, slot, bytes, mask);
  std::vector<Value*> slots;
  for (unsigned c = 0; c < count; ++c)
    slots.push_back(
        entry_slot(uniform ? element : static_cast<llvm::Type*>(FixedVectorType::get(element, 32)), "element"));
  auto keep = [&](const std::vector<Value*>& values) {
    for (unsigned c = 0; c < count; ++c) b.CreateStore(values[c], slots[c]);
    b.CreateBr(paths.done);
  };
  keep(load_affine(a, element, count, mask, uniform));
  b.SetInsertPoint(paths.slow);
  call_affine("dw_load_affine", at, slot, index, bits / 8, count, mask, transfer_buffer());
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

void FunctionEmitter::emit_store(const ir::Instruction& in, uint32_t index) {
  const unsigned count = in.mods.vector, bits = ir::bits(in.type), bytes = bits / 8 * count;
  llvm::Type* element = b.getIntNTy(bits);
  const uint32_t slot = prepared_.access_slot[index];
  Location at = location(*in.address, in.mods.space);
  Value* mask = active_mask();
  std::vector<Value*> values;
  for (unsigned c = 0; c < count; ++c) {
    const Operand& source = c < in.src.size() ? in.src[c] : Operand{};
    const unsigned width = is_uniform(source) ? 1 : 32;
    Value* v = value_of(source, in.type, width);
    if (in.type == ir::Type::F32 && makes_nan(source)) v = canonical_nan(v);
    values.push_back(
        b.CreateBitCast(v, width == 32 ? static_cast<llvm::Type*>(FixedVectorType::get(element, 32)) : element));
  }
  if (at.lanes || (at.space == AddressSpace::Local && !at.on_host))
    return store_any(lane_addresses(at), at.space, slot, index, values, element, mask);
  const bool uniform = at.uniform != nullptr;
  AffineAccess a = uniform ? AffineAccess{at.uniform, i64(0), i64(0)} : affine_access(*at.affine);
  a.base = to_host(at, a.base);
  const AccessPaths paths = check_and_count(at, a, slot, bytes, mask);
  store_affine(a, values, element, mask, uniform);
  b.CreateBr(paths.done);
  b.SetInsertPoint(paths.slow);
  to_buffer(values, bits / 8);
  call_affine("dw_store_affine", at, slot, index, bits / 8, count, mask, transfer_buffer());
  b.CreateBr(paths.done);
  b.SetInsertPoint(paths.done);
}

bool FunctionEmitter::emit_memory(const ir::Instruction& in, uint32_t index) {
  if (options_.traced) trace_access(in, index);
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
    case ir::Family::AsyncCopy:
      if (in.op == Opcode::CpAsync) emit_copy_async(in, index);
      return true;  // copies are done when issued: groups and waits have nothing to wait for
    case ir::Family::Cache:
      return in.op != Opcode::Createpolicy;  // prefetches and hints move no data that a program can see
    case ir::Family::Fence:
      b.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
      return true;
    default:
      return false;
  }
}

}  // namespace drywarp::jit
