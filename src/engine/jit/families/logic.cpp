// Bitwise logic and shifts. PTX clamps shift amounts at the width; in LLVM larger amounts are undefined.
#include "engine/jit/families/shared.h"

namespace drywarp::jit {
namespace {

// Functions of (b, c) by the four bits of their truth table.
Value* of_two(Emitter& e, unsigned table, Value* b, Value* c) {
  auto& ir = e.b;
  switch (table & 15) {  // bit index: b * 2 + c
    case 0x0:
      return e.constant(b->getType(), 0);
    case 0x1:
      return ir.CreateNot(ir.CreateOr(b, c));
    case 0x2:
      return ir.CreateAnd(ir.CreateNot(b), c);
    case 0x3:
      return ir.CreateNot(b);
    case 0x4:
      return ir.CreateAnd(b, ir.CreateNot(c));
    case 0x5:
      return ir.CreateNot(c);
    case 0x6:
      return ir.CreateXor(b, c);
    case 0x7:
      return ir.CreateNot(ir.CreateAnd(b, c));
    case 0x8:
      return ir.CreateAnd(b, c);
    case 0x9:
      return ir.CreateNot(ir.CreateXor(b, c));
    case 0xa:
      return c;
    case 0xb:
      return ir.CreateOr(ir.CreateNot(b), c);
    case 0xc:
      return b;
    case 0xd:
      return ir.CreateOr(b, ir.CreateNot(c));
    case 0xe:
      return ir.CreateOr(b, c);
    default:
      return e.constant(b->getType(), ~uint64_t{0});
  }
}

// Splits by the value of `a`. Common tables take one or two operations, which LLVM merges into the host's three-input
// logic.
Value* of_three(Emitter& e, unsigned table, Value* a, Value* b, Value* c) {
  auto& ir = e.b;
  unsigned when_clear = table & 15, when_set = (table >> 4) & 15;
  if (when_clear == when_set) return of_two(e, when_clear, b, c);
  if (when_clear == (when_set ^ 15)) return ir.CreateXor(a, of_two(e, when_clear, b, c));
  if (when_clear == 0) return ir.CreateAnd(a, of_two(e, when_set, b, c));
  if (when_set == 15) return ir.CreateOr(a, of_two(e, when_clear, b, c));
  if (when_set == 0) return ir.CreateAnd(ir.CreateNot(a), of_two(e, when_clear, b, c));
  if (when_clear == 15) return ir.CreateOr(ir.CreateNot(a), of_two(e, when_set, b, c));
  Value* one = ir.CreateAnd(a, of_two(e, when_set, b, c));
  Value* other = ir.CreateAnd(ir.CreateNot(a), of_two(e, when_clear, b, c));
  return ir.CreateOr(one, other);
}

// The shift amount, a u32 clamped to `limit`, at the width of the shifted value.
Value* amount(Emitter& e, const Instruction& in, unsigned limit) {
  Value* n = e.operand(in, 1, Type::U32);
  n = e.intrinsic(llvm::Intrinsic::umin, {n, e.constant(n->getType(), limit)});
  return e.resize(n, ir::bits(in.type), false);
}

}  // namespace

void emit_And(Emitter& e, const Instruction& in) {
  e.set(in, 0, e.b.CreateAnd(source(e, in, 0), source(e, in, 1)), in.type);
}
void emit_Or(Emitter& e, const Instruction& in) {
  e.set(in, 0, e.b.CreateOr(source(e, in, 0), source(e, in, 1)), in.type);
}
void emit_Xor(Emitter& e, const Instruction& in) {
  e.set(in, 0, e.b.CreateXor(source(e, in, 0), source(e, in, 1)), in.type);
}
void emit_Not(Emitter& e, const Instruction& in) { e.set(in, 0, e.b.CreateNot(source(e, in, 0)), in.type); }

void emit_Cnot(Emitter& e, const Instruction& in) {
  Value* a = source(e, in, 0);
  e.set(in, 0, e.b.CreateZExt(e.b.CreateICmpEQ(a, e.constant(a->getType(), 0)), a->getType()), in.type);
}

// lop3.b32 d, a, b, c, table; lop3.BoolOp.b32 d|p, a, b, c, table, q: p = (d != 0) BoolOp q.
void emit_Lop3(Emitter& e, const Instruction& in) {
  auto table = static_cast<unsigned>(in.src[3].bits & 0xff);
  Value* d = of_three(e, table, source(e, in, 0), source(e, in, 1), source(e, in, 2));
  e.set(in, 0, d, in.type);
  if (in.dst.size() < 2) return;
  Value* nonzero = e.b.CreateICmpNE(d, e.constant(d->getType(), 0));
  e.set(in, 1, combine(e, nonzero, e.operand(in, 4, Type::Pred), in.mods.combine), Type::Pred);
}

void emit_Shl(Emitter& e, const Instruction& in) {
  unsigned bits = ir::bits(in.type);
  Value *a = source(e, in, 0), *n = amount(e, in, bits);
  Value* inside = e.b.CreateICmpULT(n, e.constant(n->getType(), bits));
  // A shift by the width is poison, but the select never picks it.
  e.set(in, 0, e.b.CreateSelect(inside, e.b.CreateShl(a, n), e.constant(a->getType(), 0)), in.type);
}

void emit_Shr(Emitter& e, const Instruction& in) {
  unsigned bits = ir::bits(in.type);
  Value* a = source(e, in, 0);
  if (ir::is_signed(in.type)) return e.set(in, 0, e.b.CreateAShr(a, amount(e, in, bits - 1)), in.type);
  Value* n = amount(e, in, bits);
  Value* inside = e.b.CreateICmpULT(n, e.constant(n->getType(), bits));
  e.set(in, 0, e.b.CreateSelect(inside, e.b.CreateLShr(a, n), e.constant(a->getType(), 0)), in.type);
}

// Funnel shift of the 64 bits b:a. Below the width, and always with .wrap, LLVM's intrinsic does the same.
void emit_Shf(Emitter& e, const Instruction& in) {
  Value *a = source(e, in, 0), *b = source(e, in, 1), *n = e.operand(in, 2, Type::U32);
  auto id = in.mods.left ? llvm::Intrinsic::fshl : llvm::Intrinsic::fshr;
  Value* shifted = e.intrinsic(id, {b, a, n});
  if (!in.mods.wrap) {
    // Amounts of 32 and more select one of the words.
    Value* inside = e.b.CreateICmpULT(n, e.constant(n->getType(), 32));
    shifted = e.b.CreateSelect(inside, shifted, in.mods.left ? a : b);
  }
  e.set(in, 0, shifted, in.type);
}

}  // namespace drywarp::jit
