// Packed video instructions, ISA 9.7.17: two 16-bit or four 8-bit elements, selected from the registers a and b. The
// results are merged with c under a mask, or added to c.
#include "engine/jit/families/video.h"

namespace drywarp::jit {
namespace {

using VideoOperation = Value* (*)(Emitter&, const Instruction&, Value*, Value*);

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
  bool accumulate = in.mods.atom == ir::AtomOp::Add || in.mods.extra.find(".add") != std::string::npos;
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
