// Integer arithmetic: add, sub, mul, mad, sad, abs, neg, min, max and the packed 16-bit pairs.
#include "engine/jit/families/shared.h"

namespace drywarp::jit {
namespace {

Value* src(Emitter& e, const Instruction& in, unsigned i) { return e.operand(in, i, in.type); }

void min_max(Emitter& e, const Instruction& in, llvm::Intrinsic::ID of_signed, llvm::Intrinsic::ID of_unsigned) {
  auto id = ir::is_signed(in.type) ? of_signed : of_unsigned;
  Value* r = e.intrinsic(id, {src(e, in, 0), src(e, in, 1)});
  if (in.mods.relu) r = e.intrinsic(llvm::Intrinsic::smax, {r, e.constant(r->getType(), 0)});
  e.set(in, 0, r, in.type);
}

template <class F>
void paired(Emitter& e, const Instruction& in, F f) {
  llvm::Type* i16 = e.b.getInt16Ty();
  std::vector<Value*> args;
  for (unsigned i = 0; i < in.src.size(); ++i) args.push_back(unpack_elements(e, src(e, in, i), i16));
  e.set(in, 0, pack_elements(e, f(args), 32), in.type);
}

void paired_min_max(Emitter& e, const Instruction& in, llvm::Intrinsic::ID of_signed, llvm::Intrinsic::ID of_unsigned) {
  paired(e, in, [&](const std::vector<Value*>& a) {
    Value* r = e.intrinsic(ir::is_signed(in.type) ? of_signed : of_unsigned, {a[0], a[1]});
    return in.mods.relu ? e.intrinsic(llvm::Intrinsic::smax, {r, e.constant(r->getType(), 0)}) : r;
  });
}

}  // namespace

Value* unpack_elements(Emitter& e, Value* packed, llvm::Type* element) {
  unsigned bits = packed->getType()->getScalarSizeInBits();
  unsigned lanes = packed->getType()->isVectorTy() ? 32 : 1;
  unsigned count = lanes * bits / element->getScalarSizeInBits();
  return e.b.CreateBitCast(packed, llvm::FixedVectorType::get(element, count));
}

Value* pack_elements(Emitter& e, Value* elements, unsigned bits) {
  auto* from = llvm::cast<llvm::FixedVectorType>(elements->getType());
  unsigned lanes = from->getNumElements() * from->getScalarSizeInBits() / bits;
  llvm::Type* scalar = e.b.getIntNTy(bits);
  return e.b.CreateBitCast(elements, lanes == 1 ? scalar : llvm::FixedVectorType::get(scalar, lanes));
}

Value* part_of(Emitter& e, Value* value, unsigned index, unsigned bits, bool is_signed) {
  unsigned from = value->getType()->getScalarSizeInBits();
  Value* up = e.b.CreateShl(value, e.constant(value->getType(), from - bits * (index + 1)));
  Value* down = e.constant(value->getType(), from - bits);
  return is_signed ? e.b.CreateAShr(up, down) : e.b.CreateLShr(up, down);
}

void integer_add(Emitter& e, const Instruction& in) {
  Value *a = src(e, in, 0), *b = src(e, in, 1);
  Value* sum = in.mods.sat ? e.intrinsic(llvm::Intrinsic::sadd_sat, {a, b}) : e.b.CreateAdd(a, b);
  e.set(in, 0, sum, in.type);
  if (in.mods.carry_out) e.set_carry(e.b.CreateICmpULT(sum, a));
}

void integer_sub(Emitter& e, const Instruction& in) {
  Value *a = src(e, in, 0), *b = src(e, in, 1);
  Value* difference = in.mods.sat ? e.intrinsic(llvm::Intrinsic::ssub_sat, {a, b}) : e.b.CreateSub(a, b);
  e.set(in, 0, difference, in.type);
  // The flag is the adder's carry of a + ~b + 1: set if there is no borrow.
  if (in.mods.carry_out) e.set_carry(e.b.CreateICmpUGE(a, b));
}

void integer_abs(Emitter& e, const Instruction& in) {
  e.set(in, 0, e.b.CreateIntrinsic(llvm::Intrinsic::abs, {e.type(in.type)}, {src(e, in, 0), e.b.getFalse()}), in.type);
}

void integer_neg(Emitter& e, const Instruction& in) { e.set(in, 0, e.b.CreateNeg(src(e, in, 0)), in.type); }

void integer_min(Emitter& e, const Instruction& in) { min_max(e, in, llvm::Intrinsic::smin, llvm::Intrinsic::umin); }
void integer_max(Emitter& e, const Instruction& in) { min_max(e, in, llvm::Intrinsic::smax, llvm::Intrinsic::umax); }

void emit_Sad(Emitter& e, const Instruction& in) {
  Value *a = src(e, in, 0), *b = src(e, in, 1);
  bool is_signed = ir::is_signed(in.type);
  Value* low = e.intrinsic(is_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, {a, b});
  Value* high = e.intrinsic(is_signed ? llvm::Intrinsic::smax : llvm::Intrinsic::umax, {a, b});
  e.set(in, 0, e.b.CreateAdd(e.b.CreateSub(high, low), src(e, in, 2)), in.type);
}

void paired_add(Emitter& e, const Instruction& in) {
  paired(e, in, [&](const std::vector<Value*>& a) { return e.b.CreateAdd(a[0], a[1]); });
}
void paired_sub(Emitter& e, const Instruction& in) {
  paired(e, in, [&](const std::vector<Value*>& a) { return e.b.CreateSub(a[0], a[1]); });
}
void paired_neg(Emitter& e, const Instruction& in) {
  paired(e, in, [&](const std::vector<Value*>& a) { return e.b.CreateNeg(a[0]); });
}
void paired_min(Emitter& e, const Instruction& in) {
  paired_min_max(e, in, llvm::Intrinsic::smin, llvm::Intrinsic::umin);
}
void paired_max(Emitter& e, const Instruction& in) {
  paired_min_max(e, in, llvm::Intrinsic::smax, llvm::Intrinsic::umax);
}

}  // namespace drywarp::jit
