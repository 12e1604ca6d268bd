// setp, set, selp, slct, testp.
#include <cmath>

#include "engine/jit/families/shared.h"

namespace drywarp::jit {
namespace {

using P = llvm::CmpInst::Predicate;
using C = ir::Compare;

struct Predicates {
  P of_signed, of_unsigned, of_real;
};

// By ir::Compare. Integer types that are not signed compare as unsigned.
constexpr Predicates kPredicates[] = {
    /* None */ {P::ICMP_EQ, P::ICMP_EQ, P::FCMP_FALSE},
    /* Eq */ {P::ICMP_EQ, P::ICMP_EQ, P::FCMP_OEQ},
    /* Ne */ {P::ICMP_NE, P::ICMP_NE, P::FCMP_ONE},
    /* Lt */ {P::ICMP_SLT, P::ICMP_ULT, P::FCMP_OLT},
    /* Le */ {P::ICMP_SLE, P::ICMP_ULE, P::FCMP_OLE},
    /* Gt */ {P::ICMP_SGT, P::ICMP_UGT, P::FCMP_OGT},
    /* Ge */ {P::ICMP_SGE, P::ICMP_UGE, P::FCMP_OGE},
    /* Lo */ {P::ICMP_ULT, P::ICMP_ULT, P::FCMP_OLT},
    /* Ls */ {P::ICMP_ULE, P::ICMP_ULE, P::FCMP_OLE},
    /* Hi */ {P::ICMP_UGT, P::ICMP_UGT, P::FCMP_OGT},
    /* Hs */ {P::ICMP_UGE, P::ICMP_UGE, P::FCMP_OGE},
    /* Equ */ {P::ICMP_EQ, P::ICMP_EQ, P::FCMP_UEQ},
    /* Neu */ {P::ICMP_NE, P::ICMP_NE, P::FCMP_UNE},
    /* Ltu */ {P::ICMP_SLT, P::ICMP_ULT, P::FCMP_ULT},
    /* Leu */ {P::ICMP_SLE, P::ICMP_ULE, P::FCMP_ULE},
    /* Gtu */ {P::ICMP_SGT, P::ICMP_UGT, P::FCMP_UGT},
    /* Geu */ {P::ICMP_SGE, P::ICMP_UGE, P::FCMP_UGE},
    /* Num */ {P::ICMP_EQ, P::ICMP_EQ, P::FCMP_ORD},
    /* Nan */ {P::ICMP_NE, P::ICMP_NE, P::FCMP_UNO},
};

// The operand of a comparison: halves as f32, flushed if .ftz. `part` selects an element of a pair.
Value* comparable(Emitter& e, const Instruction& in, unsigned index, Type t, unsigned part) {
  Value* v = e.operand(in, index, t);
  if (is_half(t)) {
    v = half_to_float(e, ir::bits(t) == 32 ? e.resize(part_of(e, v, part, 16), 16, false) : v, is_bf16(t));
    if (!in.mods.ftz) return v;
    Value* tiny = e.b.CreateFCmpOLT(fabs_of(e, v), e.real(v->getType(), 0x1p-14));
    return e.b.CreateSelect(tiny, e.real(v->getType(), 0.0), v);
  }
  return in.mods.ftz && t == Type::F32 ? e.flush_denormal(v) : v;
}

Value* comparison(Emitter& e, const Instruction& in, Type t, unsigned part = 0) {
  return compare(e, comparable(e, in, 0, t, part), comparable(e, in, 1, t, part), in.mods.compare, t);
}

bool is_half_pair(Type t) { return t == Type::F16x2 || t == Type::BF16x2; }

// The value that `set` writes for true, by destination type.
uint64_t true_value(Type destination) {
  switch (destination) {
    case Type::F32:
      return 0x3f800000;
    case Type::F16:
    case Type::F16x2:
      return 0x3c00;
    case Type::BF16:
    case Type::BF16x2:
      return 0x3f80;
    default:
      return ~uint64_t{0};
  }
}

}  // namespace

Value* compare(Emitter& e, Value* a, Value* b, C how, Type t) {
  const Predicates& p = kPredicates[static_cast<size_t>(how)];
  if (a->getType()->isFPOrFPVectorTy()) return e.b.CreateFCmp(p.of_real, a, b);
  return e.b.CreateICmp(ir::is_signed(t) ? p.of_signed : p.of_unsigned, a, b);
}

Value* combine(Emitter& e, Value* p, Value* q, ir::BoolOp how) {
  switch (how) {
    case ir::BoolOp::And:
      return e.b.CreateAnd(p, q);
    case ir::BoolOp::Or:
      return e.b.CreateOr(p, q);
    case ir::BoolOp::Xor:
      return e.b.CreateXor(p, q);
    default:
      return p;
  }
}

// setp p|q: q is the negated comparison or, for pairs, the comparison of the upper elements.
void emit_Setp(Emitter& e, const Instruction& in) {
  bool combined = in.mods.combine != ir::BoolOp::None;
  Value* c = combined ? e.operand(in, 2, Type::Pred) : nullptr;
  Value* p = comparison(e, in, in.type);
  e.set(in, 0, combine(e, p, c, in.mods.combine), Type::Pred);
  if (in.dst.size() < 2 || e.unused(in, 1)) return;
  Value* q = is_half_pair(in.type) ? comparison(e, in, in.type, 1) : e.b.CreateNot(p);
  e.set(in, 1, combine(e, q, c, in.mods.combine), Type::Pred);
}

void emit_Set(Emitter& e, const Instruction& in) {
  Value* c = in.mods.combine != ir::BoolOp::None ? e.operand(in, 2, Type::Pred) : nullptr;
  bool pair = is_half_pair(in.type2);
  unsigned bits = pair ? 16 : ir::bits(in.type);
  auto result = [&](unsigned part) {
    Value* p = combine(e, comparison(e, in, in.type2, part), c, in.mods.combine);
    Value* yes = e.constant(e.int_type(bits), true_value(in.type));
    return e.b.CreateSelect(p, yes, e.constant(yes->getType(), 0));
  };
  Value* d = result(0);
  if (pair) {
    Value* high = e.b.CreateShl(e.resize(result(1), 32, false), e.constant(e.int_type(32), 16));
    d = e.b.CreateOr(e.resize(d, 32, false), high);
  }
  e.set(in, 0, d, in.type);
}

void emit_Selp(Emitter& e, const Instruction& in) {
  Value* p = e.operand(in, 2, Type::Pred);
  e.set(in, 0, e.b.CreateSelect(p, e.operand(in, 0, in.type), e.operand(in, 1, in.type)), in.type);
}

void emit_Slct(Emitter& e, const Instruction& in) {
  Value* c = e.operand(in, 2, in.type2);
  Value* nonnegative;
  if (in.type2 == Type::F32) {
    if (in.mods.ftz) c = e.flush_denormal(c);
    nonnegative = e.b.CreateFCmpOGE(c, e.real(c->getType(), 0.0));
  } else {
    nonnegative = e.b.CreateICmpSGE(c, e.constant(c->getType(), 0));
  }
  e.set(in, 0, e.b.CreateSelect(nonnegative, e.operand(in, 0, in.type), e.operand(in, 1, in.type)), in.type);
}

// testp counts zero as a normal number.
void emit_Testp(Emitter& e, const Instruction& in) {
  Value* x = e.operand(in, 0, in.type);
  Value* magnitude = fabs_of(e, x);
  Value* infinite = e.real(x->getType(), HUGE_VAL);
  Value* least_normal = e.real(x->getType(), in.type == Type::F32 ? 0x1p-126 : 0x1p-1022);
  Value* zero = e.real(x->getType(), 0.0);
  Value* tiny = e.b.CreateAnd(e.b.CreateFCmpOGT(magnitude, zero), e.b.CreateFCmpOLT(magnitude, least_normal));
  Value* finite = e.b.CreateFCmpOLT(magnitude, infinite);
  Value* p;
  switch (in.mods.mode) {
    case ir::Mode::TestpFinite:
      p = finite;
      break;
    case ir::Mode::TestpInfinite:
      p = e.b.CreateFCmpOEQ(magnitude, infinite);
      break;
    case ir::Mode::TestpNumber:
      p = e.b.CreateFCmpORD(x, x);
      break;
    case ir::Mode::TestpNotanumber:
      p = e.b.CreateFCmpUNO(x, x);
      break;
    case ir::Mode::TestpNormal:
      p = e.b.CreateAnd(finite, e.b.CreateNot(tiny));
      break;
    default:
      p = tiny;
      break;
  }
  e.set(in, 0, p, Type::Pred);
}

}  // namespace drywarp::jit
