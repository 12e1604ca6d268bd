// Scalar video instructions, ISA 9.7.16. They extend parts of two registers, combine them in 64 bits (vmad: 128),
// saturate, and merge or combine the result with a third operand.
#include "engine/jit/families/shared.h"

namespace drywarp::jit {
namespace {

// On extended values lo, ls, hi, hs mean lt, le, gt, ge.
ir::Compare signed_compare(ir::Compare c) {
  switch (c) {
    case ir::Compare::Lo:
      return ir::Compare::Lt;
    case ir::Compare::Ls:
      return ir::Compare::Le;
    case ir::Compare::Hi:
      return ir::Compare::Gt;
    case ir::Compare::Hs:
      return ir::Compare::Ge;
    default:
      return c;
  }
}

using VideoOperation = Value* (*)(Emitter&, const Instruction&, Value* a, Value* b);

struct PartOf {
  unsigned bits = 32, index = 0;
};
PartOf part_named(const char* selector) {
  if (selector[0] == 'b' && selector[1]) return {8, static_cast<unsigned>(selector[1] - '0')};
  if (selector[0] == 'h' && selector[1]) return {16, static_cast<unsigned>(selector[1] - '0')};
  return {};
}

// The selected part of a source operand, extended to 64 bits.
Value* selected(Emitter& e, const Instruction& in, unsigned index, Type type) {
  Value* v = e.operand(in, index, type);
  PartOf part = part_named(in.src[index].selector.data());
  bool is_signed = ir::is_signed(type);
  if (part.bits < 32) v = part_of(e, v, part.index, part.bits, is_signed);
  return e.resize(v, 64, is_signed);
}

// Clamps to `bits` bits of the destination's signedness.
Value* clamped(Emitter& e, Value* v, unsigned bits, bool to_signed, bool value_signed) {
  uint64_t most = (uint64_t{1} << (to_signed ? bits - 1 : bits)) - 1;
  if (!value_signed) return e.intrinsic(llvm::Intrinsic::umin, {v, e.constant(v->getType(), most)});
  uint64_t least = to_signed ? ~most : 0;
  v = e.intrinsic(llvm::Intrinsic::smin, {v, e.constant(v->getType(), most)});
  return e.intrinsic(llvm::Intrinsic::smax, {v, e.constant(v->getType(), least)});
}

// Sets the result: inserted into c if the destination names a part, combined with c, or alone.
void finish(Emitter& e, const Instruction& in, Value* result32, Type type) {
  auto& ir = e.b;
  PartOf part = part_named(in.dst[0].selector.data());
  if (part.bits < 32) {
    Value* c = e.operand(in, 2, Type::B32);
    uint64_t mask = ((uint64_t{1} << part.bits) - 1) << (part.bits * part.index);
    Value* shifted = ir.CreateShl(result32, e.constant(c->getType(), part.bits * part.index));
    result32 = ir.CreateOr(ir.CreateAnd(shifted, e.constant(c->getType(), mask)),
                           ir.CreateAnd(c, e.constant(c->getType(), ~mask)));
  } else if (in.src.size() > 2) {
    Value* c = e.operand(in, 2, Type::B32);
    bool is_signed = ir::is_signed(type);
    if (in.mods.atom == ir::AtomOp::Min)
      result32 = e.intrinsic(is_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, {result32, c});
    else if (in.mods.atom == ir::AtomOp::Max)
      result32 = e.intrinsic(is_signed ? llvm::Intrinsic::smax : llvm::Intrinsic::umax, {result32, c});
    else
      result32 = ir.CreateAdd(result32, c);
  }
  e.set(in, 0, result32, type);
}

void saturate_and_finish(Emitter& e, const Instruction& in, Value* v, bool value_signed = true) {
  if (in.mods.sat) {
    unsigned bits = part_named(in.dst[0].selector.data()).bits;
    v = clamped(e, v, bits, ir::is_signed(in.type), value_signed);
  }
  finish(e, in, e.resize(v, 32, false), in.type);
}

void video(Emitter& e, const Instruction& in, VideoOperation op) {
  saturate_and_finish(e, in, op(e, in, selected(e, in, 0, in.type2), selected(e, in, 1, in.type3)));
}

// The shift amount: unsigned, clamped at 32 or wrapped.
Value* shift_amount(Emitter& e, const Instruction& in) {
  Value* n = selected(e, in, 1, Type::U32);
  if (in.mods.wrap) return e.b.CreateAnd(n, e.constant(n->getType(), 31));
  return e.intrinsic(llvm::Intrinsic::umin, {n, e.constant(n->getType(), 32)});
}

}  // namespace

Value* video_difference(Emitter& e, const Instruction&, Value* a, Value* b) {
  return e.b.CreateIntrinsic(llvm::Intrinsic::abs, {a->getType()}, {e.b.CreateSub(a, b), e.b.getFalse()});
}
Value* video_add(Emitter& e, const Instruction&, Value* a, Value* b) { return e.b.CreateAdd(a, b); }
Value* video_sub(Emitter& e, const Instruction&, Value* a, Value* b) { return e.b.CreateSub(a, b); }
Value* video_min(Emitter& e, const Instruction&, Value* a, Value* b) {
  return e.intrinsic(llvm::Intrinsic::smin, {a, b});
}
Value* video_max(Emitter& e, const Instruction&, Value* a, Value* b) {
  return e.intrinsic(llvm::Intrinsic::smax, {a, b});
}
Value* video_compare(Emitter& e, const Instruction& in, Value* a, Value* b) {
  // Both are extended beyond their width, so signed and unsigned order are the same.
  return e.b.CreateZExt(compare(e, a, b, signed_compare(in.mods.compare), Type::S64), a->getType());
}

void emit_Vadd(Emitter& e, const Instruction& in) { video(e, in, video_add); }
void emit_Vsub(Emitter& e, const Instruction& in) { video(e, in, video_sub); }
void emit_Vabsdiff(Emitter& e, const Instruction& in) { video(e, in, video_difference); }
void emit_Vmin(Emitter& e, const Instruction& in) { video(e, in, video_min); }
void emit_Vmax(Emitter& e, const Instruction& in) { video(e, in, video_max); }

// vset names only the types of its sources; the result is unsigned.
void emit_Vset(Emitter& e, const Instruction& in) {
  Type a = in.type, b = in.type3 != Type::None ? in.type3 : in.type2;
  if (in.type3 != Type::None) a = in.type2;
  Value* bit = video_compare(e, in, selected(e, in, 0, a), selected(e, in, 1, b));
  finish(e, in, e.resize(bit, 32, false), Type::U32);
}

void emit_Vshl(Emitter& e, const Instruction& in) {
  Value* shifted = e.b.CreateShl(selected(e, in, 0, in.type2), shift_amount(e, in));
  saturate_and_finish(e, in, shifted, ir::is_signed(in.type2));
}

void emit_Vshr(Emitter& e, const Instruction& in) {
  saturate_and_finish(e, in, e.b.CreateAShr(selected(e, in, 0, in.type2), shift_amount(e, in)));
}

// a * b + c with signs, .po (plus one), a right shift and saturation, in 128 bits: -(u32 * u32) needs 65.
void emit_Vmad(Emitter& e, const Instruction& in) {
  auto& ir = e.b;
  bool negate_product = in.src[0].negate != in.src[1].negate;
  bool negate_addend = in.src[2].negate;
  bool is_signed = ir::is_signed(in.type2) || ir::is_signed(in.type3) || negate_product || negate_addend;
  Value* product = ir.CreateMul(e.resize(selected(e, in, 0, in.type2), 128, true),
                                e.resize(selected(e, in, 1, in.type3), 128, true));
  Value* c = e.operand(in, 2, Type::B32);
  if (negate_product) product = ir.CreateNeg(product);
  Value* addend = e.resize(c, 128, is_signed);
  if (negate_addend && !negate_product) addend = ir.CreateNeg(addend);
  Value* sum = ir.CreateAdd(product, addend);
  if (in.mods.plus_one) sum = ir.CreateAdd(sum, e.constant(sum->getType(), 1));
  const unsigned shift = in.mods.shift_right;
  if (shift) sum = ir.CreateAShr(sum, e.constant(sum->getType(), shift));
  Value* result = e.resize(sum, 64, false);
  if (in.mods.sat) {
    auto limit = [&](uint64_t v) { return llvm::ConstantInt::get(sum->getType(), llvm::APInt(128, v, true)); };
    Value* most = limit(is_signed ? 0x7fffffff : 0xffffffff);
    Value* least = is_signed ? limit(static_cast<uint64_t>(int64_t{-0x80000000ll})) : limit(0);
    Value* bounded = ir.CreateSelect(ir.CreateICmpSGT(sum, most), most, sum);
    result = e.resize(ir.CreateSelect(ir.CreateICmpSLT(bounded, least), least, bounded), 64, false);
  }
  e.set(in, 0, e.resize(result, 32, false), in.type);
}

// ---- packed video instructions, ISA 9.7.17: two 16-bit or four 8-bit elements, selected from the registers a and b.
// The results are merged with c under a mask, or added to c.
namespace {

// The elements of b:a that a source's selector picks ("h32", "b7610": most significant first). Without a selector: the
// operand's own, in order.
std::vector<unsigned> picks(const std::array<char, 6>& selector, unsigned count, unsigned operand) {
  std::vector<unsigned> result(count);
  for (unsigned i = 0; i < count; ++i)
    result[i] = selector[0] ? static_cast<unsigned>(selector[count - i] - '0') : operand * count + i;
  return result;
}

// The elements of the destination that are written: those that the mask (".h1", ".b320") names, or all without a mask.
std::vector<bool> written(const std::array<char, 6>& mask, unsigned count) {
  std::vector<bool> result(count, mask[0] == 0);
  for (unsigned i = 1; i < mask.size() && mask[0] && mask[i]; ++i) result[static_cast<unsigned>(mask[i] - '0')] = true;
  return result;
}

std::vector<Value*> elements(Emitter& e, const Instruction& in, unsigned operand, unsigned count, bool is_signed) {
  Value* registers[2] = {e.operand(in, 0, Type::B32), e.operand(in, 1, Type::B32)};
  std::vector<Value*> result;
  for (unsigned pick : picks(in.src[operand].selector, count, operand))
    result.push_back(part_of(e, registers[pick / count], pick % count, 32 / count, is_signed));
  return result;
}

void packed(Emitter& e, const Instruction& in, unsigned count, VideoOperation op) {
  auto& ir = e.b;
  unsigned bits = 32 / count;
  // vset names only the sources' types.
  bool three = in.type3 != Type::None;
  Type a_type = three ? in.type2 : in.type, b_type = three ? in.type3 : in.type2;
  std::vector<Value*> a = elements(e, in, 0, count, ir::is_signed(a_type));
  std::vector<Value*> b = elements(e, in, 1, count, ir::is_signed(b_type));
  std::vector<bool> chosen = written(in.dst[0].selector, count);
  bool accumulate = in.mods.atom == ir::AtomOp::Add;
  bool to_signed = three && ir::is_signed(in.type);
  Value* c = in.src.size() > 2 ? e.operand(in, 2, Type::B32) : e.constant(e.int_type(32), 0);
  Value* result = accumulate ? c : e.constant(c->getType(), 0);
  uint64_t kept = 0;
  for (unsigned i = 0; i < count; ++i) {
    uint64_t mask = (uint64_t{1} << bits) - 1;
    if (!chosen[i]) {
      kept |= mask << (bits * i);
      continue;
    }
    Value* t = op(e, in, a[i], b[i]);
    if (in.mods.sat) {
      uint64_t most = to_signed ? mask >> 1 : mask, least = to_signed ? ~most : 0;
      t = e.intrinsic(llvm::Intrinsic::smin, {t, e.constant(t->getType(), most)});
      t = e.intrinsic(llvm::Intrinsic::smax, {t, e.constant(t->getType(), least)});
    }
    if (accumulate) {
      result = ir.CreateAdd(result, t);
    } else {
      t = ir.CreateAnd(t, e.constant(t->getType(), mask));
      result = ir.CreateOr(result, ir.CreateShl(t, e.constant(t->getType(), bits * i)));
    }
  }
  if (!accumulate && kept) result = ir.CreateOr(result, ir.CreateAnd(c, e.constant(c->getType(), kept)));
  e.set(in, 0, result, Type::B32);
}

// Rounds up if the sum is at least zero; the arithmetic shift rounds negative sums down.
Value* average(Emitter& e, const Instruction&, Value* a, Value* b) {
  Value* sum = e.b.CreateAdd(a, b);
  Value* positive = e.b.CreateICmpSGE(sum, e.constant(sum->getType(), 0));
  return e.b.CreateAShr(e.b.CreateAdd(sum, e.b.CreateZExt(positive, sum->getType())), e.constant(sum->getType(), 1));
}

}  // namespace

void emit_Vadd2(Emitter& e, const Instruction& in) { packed(e, in, 2, video_add); }
void emit_Vsub2(Emitter& e, const Instruction& in) { packed(e, in, 2, video_sub); }
void emit_Vavrg2(Emitter& e, const Instruction& in) { packed(e, in, 2, average); }
void emit_Vabsdiff2(Emitter& e, const Instruction& in) { packed(e, in, 2, video_difference); }
void emit_Vmin2(Emitter& e, const Instruction& in) { packed(e, in, 2, video_min); }
void emit_Vmax2(Emitter& e, const Instruction& in) { packed(e, in, 2, video_max); }
void emit_Vset2(Emitter& e, const Instruction& in) { packed(e, in, 2, video_compare); }
void emit_Vadd4(Emitter& e, const Instruction& in) { packed(e, in, 4, video_add); }
void emit_Vsub4(Emitter& e, const Instruction& in) { packed(e, in, 4, video_sub); }
void emit_Vavrg4(Emitter& e, const Instruction& in) { packed(e, in, 4, average); }
void emit_Vabsdiff4(Emitter& e, const Instruction& in) { packed(e, in, 4, video_difference); }
void emit_Vmin4(Emitter& e, const Instruction& in) { packed(e, in, 4, video_min); }
void emit_Vmax4(Emitter& e, const Instruction& in) { packed(e, in, 4, video_max); }
void emit_Vset4(Emitter& e, const Instruction& in) { packed(e, in, 4, video_compare); }

}  // namespace drywarp::jit
