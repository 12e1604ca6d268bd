// Scalar video instructions, ISA 9.7.16. They extend parts of two registers, combine them in 64 bits (vmad: 128),
// saturate, and merge or combine the result with a third operand.
#include "engine/jit/families/video.h"

namespace drywarp::jit {
namespace {

using VideoOperation = Value* (*)(Emitter&, const Instruction&, Value* a, Value* b);

bool has_suffix(const Instruction& in, const char* suffix) { return in.mods.extra.find(suffix) != std::string::npos; }

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
    if (has_suffix(in, ".min") || in.mods.atom == ir::AtomOp::Min)
      result32 = e.intrinsic(is_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, {result32, c});
    else if (has_suffix(in, ".max") || in.mods.atom == ir::AtomOp::Max)
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
  if (has_suffix(in, ".po")) sum = ir.CreateAdd(sum, e.constant(sum->getType(), 1));
  unsigned shift = has_suffix(in, ".shr15") ? 15 : has_suffix(in, ".shr7") ? 7 : 0;
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

}  // namespace drywarp::jit
