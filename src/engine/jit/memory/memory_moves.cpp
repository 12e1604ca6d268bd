// Moves the data of affine accesses: as one or a few vector loads or stores if elements are contiguous, else by gather
// and scatter. Generated code chooses at run time where the strides are not known before.
#include "engine/jit/memory/memory_accesses.h"

namespace drywarp::jit {

using llvm::Align;
using llvm::BasicBlock;
using llvm::FixedVectorType;

namespace {

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

// For each element, a vector of the 32 lanes' pointers.
std::vector<llvm::Value*> MemoryAccesses::lane_pointers(const AffineAccess& a, unsigned count, unsigned bytes) {
  Value* offsets = b.CreateMul(f.widen(a.stride1), values_.pattern1(b.getInt64Ty()));
  if (f.prepared.shapes.pattern.rows() > 1)
    offsets = b.CreateAdd(offsets, b.CreateMul(f.widen(a.stride2), values_.pattern2(b.getInt64Ty())));
  Value* addresses = b.CreateAdd(f.widen(a.base), offsets);
  std::vector<Value*> pointers;
  for (unsigned c = 0; c < count; ++c)
    pointers.push_back(
        b.CreateIntToPtr(b.CreateAdd(addresses, f.widen(i64(c * bytes))), FixedVectorType::get(b.getPtrTy(), 32)));
  return pointers;
}

std::vector<llvm::Value*> MemoryAccesses::load_affine(const AffineAccess& a, llvm::Type* element, unsigned count,
                                                      Value* mask, bool uniform) {
  const unsigned bytes = element->getIntegerBitWidth() / 8, total = bytes * count;
  auto pointer = [&](Value* address) { return b.CreateIntToPtr(address, b.getPtrTy()); };
  std::vector<Value*> values(count);
  if (uniform) {
    for (unsigned c = 0; c < count; ++c)
      values[c] = b.CreateAlignedLoad(element, pointer(b.CreateAdd(a.base, i64(c * bytes))), Align(bytes));
    return values;
  }
  const unsigned width = f.prepared.shapes.pattern.width, rows = f.prepared.shapes.pattern.rows();
  llvm::Type* wide = FixedVectorType::get(element, 32);
  Value* lanes = f.mask_to_lanes(mask);
  Value* all = b.CreateICmpEQ(mask, i32(~0u));

  auto gather = [&] {
    const std::vector<Value*> pointers = lane_pointers(a, count, bytes);
    for (unsigned c = 0; c < count; ++c)
      values[c] = b.CreateMaskedGather(wide, pointers[c], Align(bytes), lanes, llvm::Constant::getNullValue(wide));
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
    if (f.options.masked_memory()) {
      values[0] = rows_of(true);
      return;
    }
    Value* slot = f.entry_slot(wide, "row");
    auto* full = BasicBlock::Create(b.getContext(), "full", f.function);
    auto* part = BasicBlock::Create(b.getContext(), "part", f.function);
    auto* after = BasicBlock::Create(b.getContext(), "loaded", f.function);
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
  // Generated code decides at run time.
  std::vector<Value*> slots;
  for (unsigned c = 0; c < count; ++c) slots.push_back(f.entry_slot(wide, "element"));
  auto* fast = BasicBlock::Create(b.getContext(), "fast", f.function);
  auto* slow = BasicBlock::Create(b.getContext(), "gather", f.function);
  auto* after = BasicBlock::Create(b.getContext(), "loaded", f.function);
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

void MemoryAccesses::store_affine(const AffineAccess& a, const std::vector<Value*>& values, llvm::Type* element,
                                  Value* mask, bool uniform) {
  const unsigned count = values.size(), bytes = element->getIntegerBitWidth() / 8, total = bytes * count;
  auto pointer = [&](Value* address) { return b.CreateIntToPtr(address, b.getPtrTy()); };
  if (uniform) {  // one address: the highest lane's value stays, as on hardware
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
  const unsigned width = f.prepared.shapes.pattern.width, rows = f.prepared.shapes.pattern.rows();
  Value* lanes = f.mask_to_lanes(mask);
  Value* all = b.CreateICmpEQ(mask, i32(~0u));
  std::vector<Value*> wide;
  for (Value* v : values) wide.push_back(f.widen(v));
  auto scatter = [&] {
    const std::vector<Value*> pointers = lane_pointers(a, count, bytes);
    for (unsigned c = 0; c < count; ++c) b.CreateMaskedScatter(wide[c], pointers[c], Align(bytes), lanes);
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
    if (f.options.masked_memory()) return rows_of(true);
    auto* full = BasicBlock::Create(b.getContext(), "full", f.function);
    auto* part = BasicBlock::Create(b.getContext(), "part", f.function);
    auto* after = BasicBlock::Create(b.getContext(), "stored", f.function);
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
  auto* fast = BasicBlock::Create(b.getContext(), "fast", f.function);
  auto* slow = BasicBlock::Create(b.getContext(), "scatter", f.function);
  auto* after = BasicBlock::Create(b.getContext(), "stored", f.function);
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

}  // namespace drywarp::jit
