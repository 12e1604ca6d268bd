// Pointers that a kernel loads from tables: beside each address that is computed from one, code for memcheck keeps the
// pointer itself, so that an access which skips the padding and ends in another allocation is told.
#include "engine/jit/values/values.h"
#include "language/analysis/passes.h"

namespace drywarp::jit {

using ir::Opcode;
using ir::Operand;
using Kind = analysis::Shape::Kind;

void Values::allocate_origins() {
  const std::vector<bool> followed = analysis::computed_addresses(f.module, f.code);
  origins_.resize(followed.size());
  for (ir::RegisterId r = 0; r < followed.size(); ++r) {
    if (!followed[r]) continue;
    // Only lanes with pointers of their own have a register that varies: a base and strides have one.
    llvm::Type* type = b.getInt64Ty();
    if (registers_[r].shape.kind == Kind::Varying) type = llvm::FixedVectorType::get(type, 32);
    origins_[r] = f.entry_slot(type, "origin");
    b.CreateStore(llvm::Constant::getNullValue(type), origins_[r]);
  }
}

llvm::Value* Values::origin(ir::RegisterId r) {
  if (r >= origins_.size() || !origins_[r]) return nullptr;
  return b.CreateLoad(origins_[r]->getAllocatedType(), origins_[r]);
}

// Of the operand that is the address; null: there is none.
llvm::Value* Values::source_origin(const ir::Instruction& in, bool wide) {
  const auto of = [&](size_t s) -> Value* {
    Value* from = in.src[s].kind == Operand::Kind::Register ? origin(in.src[s].id) : nullptr;
    return from && wide ? f.widen(from) : from;
  };
  if (in.op == Opcode::Selp && in.src.size() == 3) {
    Value *first = of(0), *second = of(1);
    if (!first || !second) return nullptr;
    return b.CreateSelect(value_of(in.src[2], ir::Type::Pred, wide ? 32 : 1), first, second);
  }
  for (size_t s = 0; s < in.src.size(); ++s)
    if (Value* from = of(s)) return from;
  return nullptr;
}

void Values::follow_origins(const ir::Instruction& in) {
  if (origins_.empty()) return;
  for (const Operand& d : in.dst) {
    if (d.kind != Operand::Kind::Register || !origins_[d.id]) continue;
    llvm::AllocaInst* const slot = origins_[d.id];
    const bool wide = slot->getAllocatedType()->isVectorTy();
    Value* from = in.address ? (wide ? read_wide(d.id) : read_scalar(d.id)) : source_origin(in, wide);
    if (!from) from = llvm::Constant::getNullValue(slot->getAllocatedType());
    if (wide && preserves_inactive_lanes(d.id))
      from = b.CreateSelect(f.active_lanes(), from, origin(d.id));
    else if (wide && f.guard)
      from = b.CreateSelect(f.guard, from, origin(d.id));
    b.CreateStore(from, slot);
  }
}

}  // namespace drywarp::jit
