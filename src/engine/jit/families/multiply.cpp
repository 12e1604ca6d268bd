// Integer products: mul and mad in their lo, hi and wide forms, the 24-bit ones, and the carry chain addc, subc, madc.
#include "engine/jit/families/shared.h"

namespace drywarp::jit {
namespace {

Type widened(Type t) {
  switch (t) {
    case Type::U16:
      return Type::U32;
    case Type::S16:
      return Type::S32;
    case Type::U32:
      return Type::U64;
    default:
      return Type::S64;
  }
}

// The upper 64 bits of a 64 x 64 product, from 32-bit halves: hosts have no vector instruction for it.
Value* high64(Emitter& e, Value* a, Value* b, bool is_signed) {
  auto& ir = e.b;
  Value* mask = e.constant(a->getType(), 0xffffffffu);
  Value* by = e.constant(a->getType(), 32);
  Value *al = ir.CreateAnd(a, mask), *ah = ir.CreateLShr(a, by);
  Value *bl = ir.CreateAnd(b, mask), *bh = ir.CreateLShr(b, by);
  Value* ll = ir.CreateMul(al, bl);
  Value* middle = ir.CreateAdd(ir.CreateMul(ah, bl), ir.CreateLShr(ll, by));
  Value* other = ir.CreateAdd(ir.CreateMul(al, bh), ir.CreateAnd(middle, mask));
  Value* high = ir.CreateAdd(ir.CreateMul(ah, bh), ir.CreateAdd(ir.CreateLShr(middle, by), ir.CreateLShr(other, by)));
  if (!is_signed) return high;
  Value* sign = e.constant(a->getType(), 63);
  high = ir.CreateSub(high, ir.CreateAnd(ir.CreateAShr(a, sign), b));
  return ir.CreateSub(high, ir.CreateAnd(ir.CreateAShr(b, sign), a));
}

Value* high_product(Emitter& e, Value* a, Value* b, bool is_signed) {
  unsigned bits = a->getType()->getScalarSizeInBits();
  if (bits == 64 && e.width() > 1) return high64(e, a, b, is_signed);
  Value* product = e.b.CreateMul(e.resize(a, 2 * bits, is_signed), e.resize(b, 2 * bits, is_signed));
  return e.resize(e.b.CreateLShr(product, e.constant(product->getType(), bits)), bits, false);
}

Value* product(Emitter& e, const Instruction& in) {
  Value *a = e.operand(in, 0, in.type), *b = e.operand(in, 1, in.type);
  bool is_signed = ir::is_signed(in.type);
  if (in.mods.part == ir::Part::Hi) return high_product(e, a, b, is_signed);
  if (in.mods.part != ir::Part::Wide) return e.b.CreateMul(a, b);
  unsigned bits = 2 * ir::bits(in.type);
  return e.b.CreateMul(e.resize(a, bits, is_signed), e.resize(b, bits, is_signed));
}

Type result_type(const Instruction& in) { return in.mods.part == ir::Part::Wide ? widened(in.type) : in.type; }

// Computes a + b, plus the carry if `with_carry`, and sets the carry if .cc.
void add_with_carry(Emitter& e, const Instruction& in, Value* a, Value* b, bool with_carry) {
  Value* sum = e.b.CreateAdd(a, b);
  Value* out = e.b.CreateICmpULT(sum, a);
  if (with_carry) {
    Value* flag = e.b.CreateZExt(e.carry(), a->getType());
    Value* total = e.b.CreateAdd(sum, flag);
    out = e.b.CreateOr(out, e.b.CreateICmpULT(total, sum));
    sum = total;
  }
  e.set(in, 0, sum, in.type);
  if (in.mods.carry_out) e.set_carry(out);
}

// mul24: the product of the low 24 bits of the operands.
Value* product24(Emitter& e, const Instruction& in) {
  bool is_signed = ir::is_signed(in.type);
  auto low24 = [&](unsigned i) {
    return e.resize(part_of(e, e.operand(in, i, in.type), 0, 24, is_signed), 64, is_signed);
  };
  Value* full = e.b.CreateMul(low24(0), low24(1));
  if (in.mods.part == ir::Part::Hi) full = e.b.CreateLShr(full, e.constant(full->getType(), 16));
  return e.resize(full, 32, false);
}

}  // namespace

void integer_mul(Emitter& e, const Instruction& in) { e.set(in, 0, product(e, in), result_type(in)); }

void integer_mad(Emitter& e, const Instruction& in) {
  Value* p = product(e, in);
  Value* c = e.operand(in, 2, result_type(in));
  if (in.mods.carry_out) return add_with_carry(e, in, p, c, false);
  Value* sum = in.mods.sat ? e.intrinsic(llvm::Intrinsic::sadd_sat, {p, c}) : e.b.CreateAdd(p, c);
  e.set(in, 0, sum, result_type(in));
}

void emit_Mul24(Emitter& e, const Instruction& in) { e.set(in, 0, product24(e, in), in.type); }

void emit_Mad24(Emitter& e, const Instruction& in) {
  Value *p = product24(e, in), *c = e.operand(in, 2, in.type);
  e.set(in, 0, in.mods.sat ? e.intrinsic(llvm::Intrinsic::sadd_sat, {p, c}) : e.b.CreateAdd(p, c), in.type);
}

void emit_Addc(Emitter& e, const Instruction& in) {
  add_with_carry(e, in, e.operand(in, 0, in.type), e.operand(in, 1, in.type), true);
}

void emit_Subc(Emitter& e, const Instruction& in) {
  Value *a = e.operand(in, 0, in.type), *b = e.operand(in, 1, in.type);
  Value* borrow = e.b.CreateZExt(e.b.CreateNot(e.carry()), a->getType());
  Value* difference = e.b.CreateSub(a, b);
  Value* total = e.b.CreateSub(difference, borrow);
  e.set(in, 0, total, in.type);
  if (in.mods.carry_out)
    e.set_carry(e.b.CreateNot(e.b.CreateOr(e.b.CreateICmpULT(a, b), e.b.CreateICmpULT(difference, borrow))));
}

void emit_Madc(Emitter& e, const Instruction& in) {
  add_with_carry(e, in, product(e, in), e.operand(in, 2, in.type), true);
}

// ---- dp4a and dp2a: dot products of packed 8- and 16-bit integers
namespace {

// `type` is a's signedness, `type2` b's; the sum wraps.
void dot(Emitter& e, const Instruction& in, unsigned terms, unsigned a_bits, unsigned b_first) {
  Value *a = e.operand(in, 0, in.type), *b = e.operand(in, 1, in.type2);
  Value* sum = e.operand(in, 2, Type::B32);
  for (unsigned i = 0; i < terms; ++i) {
    Value* x = part_of(e, a, i, a_bits, ir::is_signed(in.type));
    Value* y = part_of(e, b, b_first + i, 8, ir::is_signed(in.type2));
    sum = e.b.CreateAdd(sum, e.b.CreateMul(x, y));
  }
  e.set(in, 0, sum, Type::B32);
}

}  // namespace

void emit_Dp4a(Emitter& e, const Instruction& in) { dot(e, in, 4, 8, 0); }
void emit_Dp2a(Emitter& e, const Instruction& in) { dot(e, in, 2, 16, in.mods.part == ir::Part::Hi ? 2 : 0); }

}  // namespace drywarp::jit
