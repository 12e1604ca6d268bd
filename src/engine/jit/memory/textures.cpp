// Texture fetches and accesses to surfaces: the runtime, which knows the objects, does them lane by lane.
#include "engine/jit/memory/memory_accesses.h"
#include "language/ir/operand_forms.h"

namespace drywarp::jit {

namespace {

constexpr uint64_t kOperandBytes = 32 * 8;  // a 64-bit value a lane

ir::Type untyped(unsigned bits) {
  return bits == 64 ? ir::Type::B64 : bits == 32 ? ir::Type::B32 : bits == 16 ? ir::Type::B16 : ir::Type::B8;
}

}  // namespace

void MemoryAccesses::emit_texture(const ir::Instruction& in, uint32_t index) {
  auto* wide = llvm::FixedVectorType::get(b.getInt64Ty(), 32);
  const auto place = [&](size_t number) {
    return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), transfer_buffer(), number * kOperandBytes);
  };
  for (size_t i = 0; i < in.src.size(); ++i) {
    const ir::Type as = untyped(ir::bits(ir::source_type(in, i)));
    b.CreateAlignedStore(b.CreateZExt(values_.value_of(in.src[i], as, 32), wide), place(i), llvm::Align(64));
  }
  Value* handles =
      addresses_.spill_addresses(addresses_.lane_addresses(addresses_.location(*in.address, AddressSpace::Global)));
  Value* out = place(in.src.size());
  f.call_runtime(runtime::texture, {f.context, i32(f.prepared.numbers.access[index]), i32(index), handles,
                                    f.active_mask(), transfer_buffer(), out});
  auto* result = llvm::FixedVectorType::get(b.getIntNTy(ir::bits(in.type)), 32);
  for (size_t i = 0; i < in.dst.size(); ++i) {
    Value* lanes = b.CreateAlignedLoad(wide, place(in.src.size() + i), llvm::Align(64));
    values_.set(in, unsigned(i), b.CreateTrunc(lanes, result), in.type);
  }
}

}  // namespace drywarp::jit
