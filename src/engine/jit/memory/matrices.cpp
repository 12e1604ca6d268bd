// Matrix instructions: ldmatrix and stmatrix access shared memory by rows of 16 bytes, a lane each, and exchange words
// or halves between the lanes; the runtime multiplies.
#include <algorithm>

#include "engine/jit/memory/memory_accesses.h"
#include "language/ir/accesses.h"

namespace drywarp::jit {

using llvm::Align;
using llvm::FixedVectorType;

namespace {

constexpr unsigned kLanes = 32, kMatrices = 4, kWords = 4;      // words of a row
constexpr uint64_t kMatrixAlignment = 32, kLineAlignment = 16;  // bytes; CUDA's guide, of wmma
using Vectors = std::array<Value*, 4>;
struct Element {
  unsigned vector, at;
};

// Element i of the result is element `from(i)` of four vectors.
template <class From>
Value* choose(llvm::IRBuilder<>& b, const Vectors& vectors, From from) {
  const unsigned count = llvm::cast<FixedVectorType>(vectors[0]->getType())->getNumElements();
  std::vector<int> low(count), high(count), both(count);
  for (unsigned i = 0; i < count; ++i) {
    const Element e = from(i);
    std::vector<int>& pair = e.vector < 2 ? low : high;
    pair[i] = static_cast<int>(e.at + e.vector % 2 * count);
    both[i] = static_cast<int>(e.vector < 2 ? i : i + count);
  }
  return b.CreateShuffleVector(b.CreateShuffleVector(vectors[0], vectors[1], low),
                               b.CreateShuffleVector(vectors[2], vectors[3], high), both);
}

Vectors as_halves(llvm::IRBuilder<>& b, const Vectors& words) {
  auto* halves = FixedVectorType::get(b.getInt16Ty(), 2 * kLanes);
  Vectors out;
  for (unsigned i = 0; i < words.size(); ++i) out[i] = b.CreateBitCast(words[i], halves);
  return out;
}

}  // namespace

void MemoryAccesses::emit_matrix(const ir::Instruction& in, uint32_t index) {
  if (in.op == ir::Opcode::Mma || in.op == ir::Opcode::MmaSp) return emit_product(in, index);
  if (f.prepared.late_readers[index]) let_others_read();
  in.op == ir::Opcode::Ldmatrix ? load_rows(in, index) : store_rows(in, index);
}

// Of a part of a wmma that computes the addresses of its matrix's lines: the first that does. Its sources are a line's
// number, the distance of two lines in bytes, and the matrix's address. Code without memcheck looks at the distance
// alone.
void MemoryAccesses::report_matrix(uint32_t index) {
  const std::vector<ir::Instruction>& code = f.code.instructions;
  uint32_t whole = index;
  while (whole > 0 && code[whole].origin == ir::Origin::Part) --whole;
  const bool loads = code[whole].op == ir::Opcode::WmmaLoad;
  if (code[whole].origin != ir::Origin::Expanded || (!loads && code[whole].op != ir::Opcode::WmmaStore)) return;
  const auto is_address = [&](uint32_t i) {
    const ir::Instruction& in = code[i];
    if (in.op != ir::Opcode::Mad || in.src.size() != 3 || in.src[2].kind != Operand::Kind::Register) return false;
    return std::none_of(code.begin() + whole + 1, code.begin() + i, [&](const ir::Instruction& earlier) {
      const bool symbol = earlier.op == ir::Opcode::Mov && earlier.src[0].kind == Operand::Kind::Symbol;
      return !symbol && !earlier.dst.empty() && earlier.dst[0].id == in.src[2].id;
    });
  };
  for (uint32_t i = whole + 1; i < index; ++i)
    if (is_address(i)) return;
  if (!is_address(index)) return;
  const auto access =
      std::find_if(code.begin() + index, code.end(), [](const auto& in) { return in.address.has_value(); });
  if (access == code.end()) return;
  const ir::Instruction& in = code[index];
  const bool watched = f.options.events.pointers;
  Operand distance = in.src[1];
  if (distance.kind == Operand::Kind::Immediate) {
    if (!watched && distance.bits % kLineAlignment == 0) return;
  } else {
    distance.bits = 0;  // as the program has it
  }
  Value* strides = values_.value_of(distance, ir::Type::U32, kLanes);
  const Location at = addresses_.location({in.src[2].id, ir::kNone, access->address->offset}, code[whole].mods.space);
  const auto below = [&](Value* value, uint64_t multiple) {
    Value* low = b.CreateAnd(value, llvm::ConstantInt::get(value->getType(), multiple - 1));
    return b.CreateICmpNE(low, llvm::Constant::getNullValue(value->getType()));
  };
  Value *bad = below(strides, kLineAlignment), *addresses = nullptr;
  if (watched) addresses = addresses_.lane_addresses(at), bad = b.CreateOr(bad, below(addresses, kMatrixAlignment));
  Value* mask = b.CreateAnd(f.lanes_to_mask(bad), f.active_mask());
  f.when(b.CreateICmpNE(mask, i32(0)), false, [&] {
    if (!addresses) addresses = addresses_.lane_addresses(at);
    f.call_runtime(runtime::matrix,
                   {f.context, i32(whole), mask, addresses_.spill_addresses(addresses), f.spill(strides, "strides")});
  });
}

// Runs `access` for the lanes that give rows: of fewer than four matrices, the first.
template <class Access>
void MemoryAccesses::for_rows(const ir::Instruction& in, Access access) {
  Value* const guard = f.guard;
  if (in.mods.matrix.count < kMatrices) {
    Value* rows = f.mask_to_lanes(i32((uint64_t{1} << 8 * in.mods.matrix.count) - 1));
    f.guard = guard ? b.CreateAnd(guard, rows) : rows;
  }
  access();
  f.guard = guard;
}

void MemoryAccesses::emit_product(const ir::Instruction& in, uint32_t index) {
  const bool wide = in.type == ir::Type::F64;
  const ir::Type as = wide ? ir::Type::B64 : ir::Type::B32;
  auto* lanes = FixedVectorType::get(b.getIntNTy(ir::bits(as)), kLanes);
  const uint64_t bytes = kLanes * ir::bits(as) / 8;
  const auto slot = [&](size_t registers, const char* name) {
    llvm::AllocaInst* made = f.entry_slot(llvm::ArrayType::get(b.getInt8Ty(), registers * bytes), name);
    made->setAlignment(Align(64));
    return made;
  };
  const auto place = [&](Value* first, size_t i) {
    return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), first, i * bytes);
  };
  Value *operands = slot(in.src.size(), "factors"), *out = slot(in.dst.size(), "product");
  for (size_t i = 0; i < in.src.size(); ++i)
    b.CreateAlignedStore(b.CreateBitCast(values_.value_of(in.src[i], as, kLanes), lanes), place(operands, i),
                         Align(64));
  f.call_runtime(runtime::mma, {f.context, i32(index), operands, out});
  for (size_t i = 0; i < in.dst.size(); ++i)
    values_.set(in, unsigned(i), b.CreateAlignedLoad(lanes, place(out, i), Align(64)), as);
}

// Matrix m's row r is lane 8m + r's. Lane l gets word l % 4 of row l / 4; transposed, the elements of rows 2 (l % 4)
// and the next in column l / 4. ISA 9.0, 9.7.14.5.15.
void MemoryAccesses::load_rows(const ir::Instruction& in, uint32_t index) {
  std::vector<Value*> loaded;
  for_rows(in, [&] {
    if (f.options.events.accesses) reports_.report_access(in, index);
    const Location at = addresses_.location(*in.address, in.mods.space);
    loaded = load_lanes(addresses_.lane_addresses(at), at.space, f.prepared.numbers.access[index], index,
                        b.getInt32Ty(), kWords, f.active_mask());
  });
  flows_.report(in, index);
  const Vectors words{loaded[0], loaded[1], loaded[2], loaded[3]};
  for (unsigned m = 0; m < in.mods.matrix.count; ++m) {
    Value* result = nullptr;
    if (in.mods.matrix.transposed) {
      result = choose(b, as_halves(b, words), [&](unsigned i) {
        const unsigned row = 2 * (i / 2 % 4) + i % 2, column = i / 8;
        return Element{column / 2, 2 * (8 * m + row) + column % 2};
      });
      result = b.CreateBitCast(result, words[0]->getType());
    } else {
      result = choose(b, words, [&](unsigned lane) { return Element{lane % 4, 8 * m + lane / 4}; });
    }
    values_.set(in, m, result, ir::Type::B32);
  }
}

void MemoryAccesses::store_rows(const ir::Instruction& in, uint32_t index) {
  Vectors registers;
  for (unsigned m = 0; m < kMatrices; ++m)
    registers[m] = values_.value_of(in.src[std::min<size_t>(m, in.src.size() - 1)], ir::Type::B32, kLanes);
  std::vector<Value*> words;
  for (unsigned w = 0; w < kWords; ++w) {
    if (in.mods.matrix.transposed) {
      Value* halves = choose(b, as_halves(b, registers), [&](unsigned i) {
        const unsigned lane = i / 2, row = lane % 8, column = 2 * w + i % 2;
        return Element{lane / 8, 2 * (4 * column + row / 2) + row % 2};
      });
      words.push_back(b.CreateBitCast(halves, registers[0]->getType()));
    } else {
      words.push_back(choose(b, registers, [&](unsigned lane) { return Element{lane / 8, lane % 8 * 4 + w}; }));
    }
  }
  flows_.report(in, index);
  for_rows(in, [&] {
    if (f.options.events.accesses) {
      to_buffer(words, 4);
      reports_.report_access(in, index, f.options.events.values ? transfer_buffer() : nullptr);
    }
    const Location at = addresses_.location(*in.address, in.mods.space);
    store_lanes(addresses_.lane_addresses(at), at.space, f.prepared.numbers.access[index], index, words, b.getInt32Ty(),
                f.active_mask());
  });
}

}  // namespace drywarp::jit
