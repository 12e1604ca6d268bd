// Copies of many bytes, and products of matrices in shared memory: the runtime does them, told of operands as they are.
#include "engine/jit/memory/memory_accesses.h"
#include "language/ir/group_products.h"

namespace drywarp::jit {

using llvm::Align;
using llvm::FixedVectorType;

namespace {
constexpr unsigned kLanesOfWarp = 32;
}

// Complete when issued, as their groups are; a barrier object hears of the bytes at once.
void MemoryAccesses::emit_bulk(const ir::Instruction& in, uint32_t index) {
  if (in.op == ir::Opcode::CpAsyncBulkCommitGroup || in.op == ir::Opcode::CpAsyncBulkWaitGroup) {
    if (f.options.events.copies) reports_.report_copies(in);
    return;
  }
  auto* lanes = FixedVectorType::get(b.getInt64Ty(), kLanesOfWarp);
  llvm::AllocaInst* operands = f.entry_slot(llvm::ArrayType::get(lanes, in.src.size()), "operands");
  operands->setAlignment(Align(64));
  for (size_t i = 0; i < in.src.size(); ++i)
    b.CreateAlignedStore(values_.value_of(in.src[i], ir::Type::B64, kLanesOfWarp),
                         b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), operands, i * kLanesOfWarp * 8), Align(64));
  f.call_runtime(runtime::bulk, {f.context, i32(index), f.active_mask(), operands});
}

void MemoryAccesses::emit_group_product(const ir::Instruction& in, uint32_t index) {
  const auto product = ir::group_product(in);
  if (!product) return;
  auto* lanes = FixedVectorType::get(b.getInt32Ty(), kLanesOfWarp);
  constexpr uint64_t kBytes = kLanesOfWarp * 4;
  const auto place = [&](Value* first, size_t i) {
    return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), first, i * kBytes);
  };
  const auto registers = [&](size_t first, size_t count, const char* name) {
    llvm::AllocaInst* made = f.entry_slot(llvm::ArrayType::get(b.getInt8Ty(), count * kBytes), name);
    made->setAlignment(Align(64));
    for (size_t i = 0; i < count; ++i) {
      Value* value = values_.value_of(in.src[first + i], ir::Type::B32, kLanesOfWarp);
      b.CreateAlignedStore(b.CreateBitCast(value, lanes), place(made, i), Align(64));
    }
    return made;
  };
  // One value for the warp: of its first lane.
  const auto scalar = [&](size_t i, ir::Type type) -> Value* {
    if (values_.is_uniform(in.src[i])) return values_.value_of(in.src[i], type, 1);
    Value* first = b.CreateIntrinsic(llvm::Intrinsic::cttz, {b.getInt32Ty()}, {f.active_mask(), b.getTrue()});
    return b.CreateExtractElement(values_.value_of(in.src[i], type, kLanesOfWarp), first);
  };
  Value* a = llvm::ConstantPointerNull::get(b.getPtrTy());
  Value* a_descriptor = i64(0);
  if (product->a_in_registers)
    a = registers(product->a, product->b - product->a, "factors");
  else
    a_descriptor = scalar(product->a, ir::Type::B64);
  Value* sums = registers(product->sums, in.dst.size(), "sums");
  const bool constant = in.src[product->scale_d].kind == ir::Operand::Kind::Immediate;
  Value* adds = constant ? i32(in.src[product->scale_d].bits != 0)
                         : b.CreateZExt(scalar(product->scale_d, ir::Type::Pred), b.getInt32Ty());
  f.call_runtime(runtime::group_multiply,
                 {f.context, i32(index), a, a_descriptor, scalar(product->b, ir::Type::B64), adds, sums});
  for (size_t i = 0; i < in.dst.size(); ++i)
    values_.set(in, unsigned(i), b.CreateAlignedLoad(lanes, place(sums, i), Align(64)), ir::Type::B32);
}

}  // namespace drywarp::jit
