// Counting, finding, reversing, extracting and permuting bits.
#include "engine/jit/families/shared.h"

namespace drywarp::jit {
namespace {

// Position or length of a field: the low 8 bits. For 64-bit fields the hardware reads all 32.
Value* byte_operand(Emitter& e, const Instruction& in, unsigned i) {
  Value* v = e.operand(in, i, Type::U32);
  return ir::bits(in.type) == 64 ? v : e.b.CreateAnd(v, e.constant(v->getType(), 0xff));
}

// value << n and value >> n. If n is at least the width, the result is zero (or the sign).
Value* shl(Emitter& e, Value* value, Value* n) {
  unsigned bits = value->getType()->getScalarSizeInBits();
  n = e.resize(n, bits, false);
  Value* inside = e.b.CreateICmpULT(n, e.constant(n->getType(), bits));
  return e.b.CreateSelect(inside, e.b.CreateShl(value, n), e.constant(value->getType(), 0));
}
Value* lshr(Emitter& e, Value* value, Value* n) {
  unsigned bits = value->getType()->getScalarSizeInBits();
  n = e.resize(n, bits, false);
  Value* inside = e.b.CreateICmpULT(n, e.constant(n->getType(), bits));
  return e.b.CreateSelect(inside, e.b.CreateLShr(value, n), e.constant(value->getType(), 0));
}
Value* ashr(Emitter& e, Value* value, Value* n) {
  unsigned bits = value->getType()->getScalarSizeInBits();
  n = e.intrinsic(llvm::Intrinsic::umin, {n, e.constant(n->getType(), bits - 1)});
  return e.b.CreateAShr(value, e.resize(n, bits, false));
}

Value* count32(Emitter& e, Value* count) { return e.resize(count, 32, false); }

// For each value of c[1:0] four 4-bit selectors; those for c == 0 are the lowest 16 bits.
uint64_t permute_selectors(ir::Mode mode) {
  switch (mode) {
    case ir::Mode::PrmtF4e:
      return 0x6543'5432'4321'3210;
    case ir::Mode::PrmtB4e:
      return 0x0123'7012'6701'5670;
    case ir::Mode::PrmtRc8:
      return 0x3333'2222'1111'0000;
    case ir::Mode::PrmtEcl:
      return 0x3333'3222'3211'3210;
    case ir::Mode::PrmtEcr:
      return 0x3210'2210'1110'0000;
    case ir::Mode::PrmtRc16:
      return 0x3232'1010'3232'1010;
    default:
      return 0;
  }
}

const llvm::ConstantInt* constant_int(Value* v) {
  auto* c = llvm::dyn_cast<llvm::Constant>(v);
  if (c && c->getType()->isVectorTy()) c = c->getSplatValue();
  return llvm::dyn_cast_or_null<llvm::ConstantInt>(c);
}

// prmt with a constant selector: one shuffle of the bytes of a and b.
Value* permute_bytes(Emitter& e, Value* a, Value* b, unsigned selector) {
  llvm::Type* i8 = e.b.getInt8Ty();
  Value *bytes_a = unpack_elements(e, a, i8), *bytes_b = unpack_elements(e, b, i8);
  int total = static_cast<int>(llvm::cast<llvm::FixedVectorType>(bytes_a->getType())->getNumElements());
  std::vector<int> order;
  std::vector<llvm::Constant*> is_sign;
  bool any_sign = false;
  for (int lane = 0; lane < total / 4; ++lane) {
    for (int i = 0; i < 4; ++i) {
      int nibble = static_cast<int>((selector >> (4 * i)) & 15);
      order.push_back((nibble & 4 ? total : 0) + 4 * lane + (nibble & 3));
      is_sign.push_back(e.b.getInt1((nibble & 8) != 0));
      any_sign |= (nibble & 8) != 0;
    }
  }
  Value* picked = e.b.CreateShuffleVector(bytes_a, bytes_b, order);
  if (any_sign) {
    Value* signs = e.b.CreateAShr(picked, e.constant(picked->getType(), 7));
    picked = e.b.CreateSelect(llvm::ConstantVector::get(is_sign), signs, picked);
  }
  return pack_elements(e, picked, 32);
}

}  // namespace

void emit_Popc(Emitter& e, const Instruction& in) {
  e.set(in, 0, count32(e, e.intrinsic(llvm::Intrinsic::ctpop, {source(e, in, 0)})), Type::U32);
}

void emit_Clz(Emitter& e, const Instruction& in) {
  e.set(in, 0,
        count32(e, e.b.CreateIntrinsic(llvm::Intrinsic::ctlz, {e.type(in.type)}, {source(e, in, 0), e.b.getFalse()})),
        Type::U32);
}

// The position of the most significant bit that is not a copy of the sign. With .shiftamt: the shift that moves it to
// the top.
void emit_Bfind(Emitter& e, const Instruction& in) {
  Value* a = source(e, in, 0);
  unsigned bits = ir::bits(in.type);
  if (ir::is_signed(in.type)) a = e.b.CreateXor(a, e.b.CreateAShr(a, e.constant(a->getType(), bits - 1)));
  Value* zeros = e.b.CreateIntrinsic(llvm::Intrinsic::ctlz, {a->getType()}, {a, e.b.getFalse()});
  Value* position = in.mods.shiftamt ? zeros : e.b.CreateSub(e.constant(a->getType(), bits - 1), zeros);
  Value* none = e.b.CreateICmpEQ(a, e.constant(a->getType(), 0));
  position = count32(e, position);
  e.set(in, 0, e.b.CreateSelect(none, e.constant(position->getType(), 0xffffffffu), position), Type::U32);
}

void emit_Fns(Emitter& e, const Instruction& in) {
  e.set(in, 0,
        e.map_lanes(lane::fns, e.operand(in, 0, Type::U32), e.operand(in, 1, Type::U32), e.operand(in, 2, Type::S32)),
        Type::U32);
}

void emit_Brev(Emitter& e, const Instruction& in) {
  e.set(in, 0, e.intrinsic(llvm::Intrinsic::bitreverse, {source(e, in, 0)}), in.type);
}

// Extends the field by shifting it to the top and down again. A field that reaches beyond the top is filled by the
// first shift right, with zero or the sign.
void emit_Bfe(Emitter& e, const Instruction& in) {
  Value *a = source(e, in, 0), *position = byte_operand(e, in, 1), *length = byte_operand(e, in, 2);
  bool is_signed = ir::is_signed(in.type);
  unsigned bits = ir::bits(in.type);
  Value* low = is_signed ? ashr(e, a, position) : lshr(e, a, position);
  Value* width = e.constant(length->getType(), bits);
  length = e.intrinsic(llvm::Intrinsic::umin, {length, width});
  Value* none = e.b.CreateICmpEQ(length, e.constant(length->getType(), 0));
  Value* zero = e.constant(a->getType(), 0);
  Value* field;
  if (is_signed) {
    Value* up =
        e.resize(e.b.CreateAnd(e.b.CreateSub(width, length), e.constant(length->getType(), bits - 1)), bits, false);
    field = e.b.CreateAShr(e.b.CreateShl(low, up), up);
    field = e.b.CreateSelect(none, zero, field);
  } else {
    Value* mask = e.b.CreateNot(shl(e, e.constant(a->getType(), ~uint64_t{0}), length));
    field = e.b.CreateAnd(low, mask);
  }
  e.set(in, 0, field, in.type);
}

void emit_Bfi(Emitter& e, const Instruction& in) {
  Value *a = source(e, in, 0), *b = source(e, in, 1);
  Value *position = byte_operand(e, in, 2), *length = byte_operand(e, in, 3);
  Value* ones = e.constant(a->getType(), ~uint64_t{0});
  Value* mask = shl(e, e.b.CreateNot(shl(e, ones, length)), position);
  Value* inserted = e.b.CreateAnd(shl(e, a, position), mask);
  e.set(in, 0, e.b.CreateOr(e.b.CreateAnd(b, e.b.CreateNot(mask)), inserted), in.type);
}

void emit_Bmsk(Emitter& e, const Instruction& in) {
  Value *first = e.operand(in, 0, Type::U32), *length = e.operand(in, 1, Type::U32);
  Value* ones = e.constant(first->getType(), 0xffffffffu);
  if (in.mods.wrap) {
    Value* low = e.constant(first->getType(), 31);
    first = e.b.CreateAnd(first, low);
    length = e.b.CreateAnd(length, low);
  }
  e.set(in, 0, shl(e, e.b.CreateNot(shl(e, ones, length)), first), in.type);
}

void emit_Szext(Emitter& e, const Instruction& in) {
  Value *a = source(e, in, 0), *n = e.operand(in, 1, Type::U32);
  Value* low = e.constant(n->getType(), 31);
  Value* zero = e.constant(a->getType(), 0);
  Value* wrapped = e.b.CreateAnd(n, low);
  Value* unchanged = in.mods.wrap ? nullptr : e.b.CreateICmpUGE(n, e.constant(n->getType(), 32));
  Value* result;
  if (ir::is_signed(in.type)) {
    Value* up = e.b.CreateAnd(e.b.CreateSub(e.constant(n->getType(), 32), wrapped), low);
    result = e.b.CreateAShr(e.b.CreateShl(a, up), up);
    result = e.b.CreateSelect(e.b.CreateICmpEQ(wrapped, e.constant(n->getType(), 0)), zero, result);
  } else {
    result = e.b.CreateAnd(a, e.b.CreateNot(e.b.CreateShl(e.constant(a->getType(), 0xffffffffu), wrapped)));
  }
  e.set(in, 0, unchanged ? e.b.CreateSelect(unchanged, a, result) : result, in.type);
}

void emit_Prmt(Emitter& e, const Instruction& in) {
  auto& ir = e.b;
  Value *a = e.operand(in, 0, Type::U32), *b = e.operand(in, 1, Type::U32), *selector = e.operand(in, 2, Type::U32);
  bool direct_nibbles = in.mods.mode == ir::Mode::None;
  if (!direct_nibbles) {
    Value* table = e.constant(e.int_type(64), permute_selectors(in.mods.mode));
    Value* which = e.resize(ir.CreateAnd(selector, e.constant(selector->getType(), 3)), 64, false);
    selector = e.resize(ir.CreateLShr(table, ir.CreateShl(which, e.constant(table->getType(), 4))), 32, false);
  }
  if (const llvm::ConstantInt* known = constant_int(selector)) {
    e.set(in, 0, permute_bytes(e, a, b, static_cast<unsigned>(known->getZExtValue())), in.type);
    return;
  }
  Value* both =
      ir.CreateOr(e.resize(a, 64, false), ir.CreateShl(e.resize(b, 64, false), e.constant(e.int_type(64), 32)));
  Value* result = e.constant(a->getType(), 0);
  for (unsigned i = 0; i < 4; ++i) {
    Value* nibble = part_of(e, selector, i, 4);
    Value* shift = ir.CreateShl(ir.CreateAnd(nibble, e.constant(a->getType(), 7)), e.constant(a->getType(), 3));
    Value* byte = e.resize(ir.CreateLShr(both, e.resize(shift, 64, false)), 8, false);
    Value* sign = ir.CreateAShr(byte, e.constant(byte->getType(), 7));
    Value* replicate = ir.CreateICmpUGE(nibble, e.constant(a->getType(), 8));
    byte = e.resize(ir.CreateSelect(replicate, sign, byte), 32, false);
    result = ir.CreateOr(result, ir.CreateShl(byte, e.constant(a->getType(), 8 * i)));
  }
  e.set(in, 0, result, in.type);
}

}  // namespace drywarp::jit
