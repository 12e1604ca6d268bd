// Emits arithmetic whose result is affine or extended, as language/analysis/shapes.cpp decides.
#include "engine/jit/values/values.h"

namespace drywarp::jit {
namespace {

using ir::Opcode;
using ir::Operand;
using Kind = analysis::Shape::Kind;

Operand source_of(const ir::Instruction& in, unsigned i) { return i < in.src.size() ? in.src[i] : Operand{}; }

}  // namespace

// False: the instruction must be computed for every lane.
bool Values::emit_affine(const ir::Instruction& in) {
  if (in.dst.size() != 1 || in.dst[0].kind != Operand::Kind::Register) return false;
  switch (registers_[in.dst[0].id].shape.kind) {
    case Kind::Affine:
      return emit_affine_word(in, in.dst[0].id);
    case Kind::Extended:
      return emit_extended(in, in.dst[0].id);
    default:
      return false;
  }
}

bool Values::emit_affine_word(const ir::Instruction& in, ir::RegisterId r) {
  const auto source = [&](unsigned i) { return source_of(in, i); };
  auto scale = [&](const AffineValue& v, Value* k) {
    return AffineValue{b.CreateMul(v.base, k), b.CreateMul(v.stride1, k), b.CreateMul(v.stride2, k)};
  };
  auto sum = [&](const AffineValue& x, const AffineValue& y) {
    return AffineValue{b.CreateAdd(x.base, y.base), b.CreateAdd(x.stride1, y.stride1),
                       b.CreateAdd(x.stride2, y.stride2)};
  };
  if (in.op == Opcode::Cvt && ir::bits(in.type2) == 64) {
    auto e = read_extended(source(0));
    if (!e) return false;
    Value* k = b.CreateTrunc(e->scale, b.getInt32Ty());
    AffineValue v = scale(e->index, k);
    v.base = b.CreateAdd(v.base, b.CreateTrunc(e->addend, b.getInt32Ty()));
    write_affine(r, v);
    return true;
  }
  auto x = read_affine(source(0));
  if (!x) return false;
  switch (in.op) {
    case Opcode::Cvt:
      write_affine(r, *x);
      return true;
    case Opcode::Neg:
      write_affine(r, scale(*x, i32(~0u)));
      return true;
    case Opcode::Shl:
      write_affine(r, scale(*x, b.CreateShl(i32(1), value_of(source(1), ir::Type::B32, 1))));
      return true;
    case Opcode::And:
      x->base = b.CreateAnd(x->base, value_of(source(1), ir::Type::B32, 1));
      write_affine(r, *x);
      return true;
    default:
      break;
  }
  auto y = read_affine(source(1));
  if (!y) return false;
  switch (in.op) {
    case Opcode::Add:
      write_affine(r, sum(*x, *y));
      return true;
    case Opcode::Sub:
      write_affine(r, sum(*x, scale(*y, i32(~0u))));
      return true;
    case Opcode::Or:
      write_affine(
          r, {b.CreateOr(x->base, y->base), b.CreateAdd(x->stride1, y->stride1), b.CreateAdd(x->stride2, y->stride2)});
      return true;
    case Opcode::Mul:
    case Opcode::Mad: {
      const bool first = is_uniform(source(1));
      AffineValue v = scale(first ? *x : *y, (first ? *y : *x).base);
      if (in.op == Opcode::Mad) {
        auto z = read_affine(source(2));
        if (!z) return false;
        v = sum(v, *z);
      }
      write_affine(r, v);
      return true;
    }
    case Opcode::Selp: {
      Value* p = value_of(source(2), ir::Type::Pred, 1);
      write_affine(r, {b.CreateSelect(p, x->base, y->base), b.CreateSelect(p, x->stride1, y->stride1),
                       b.CreateSelect(p, x->stride2, y->stride2)});
      return true;
    }
    default:
      return false;
  }
}

bool Values::emit_extended(const ir::Instruction& in, ir::RegisterId r) {
  const auto source = [&](unsigned i) { return source_of(in, i); };
  const bool is_signed = registers_[r].shape.is_signed;
  if (in.mods.part == ir::Part::Wide || (in.op == Opcode::Cvt && ir::bits(in.type2) == 32)) {
    const bool first = in.op == Opcode::Cvt || is_uniform(source(1));
    auto x = read_affine(source(first ? 0 : 1));
    if (!x) return false;
    Value *scale = i64(1), *addend = i64(0);
    if (in.op != Opcode::Cvt) {
      Value* k = value_of(source(first ? 1 : 0), ir::Type::B32, 1);
      scale = is_signed ? b.CreateSExt(k, b.getInt64Ty()) : b.CreateZExt(k, b.getInt64Ty());
    }
    if (in.op == Opcode::Mad) addend = value_of(source(2), ir::Type::B64, 1);
    write_extended(r, {*x, is_signed, scale, addend});
    return true;
  }
  auto x = read_extended(source(0));
  auto y = in.src.size() > 1 ? read_extended(source(1)) : x;
  if (!x || !y) return false;
  const bool x_varies = !is_uniform(source(0));
  ExtendedValue v = x_varies ? *x : *y;
  switch (in.op) {
    case Opcode::Cvt:
      break;
    case Opcode::Add:
      v.addend = b.CreateAdd(x->addend, y->addend);
      break;
    case Opcode::Sub:
      v.addend = b.CreateSub(x->addend, y->addend);
      if (!x_varies) v.scale = b.CreateNeg(v.scale);
      break;
    case Opcode::Shl: {
      Value* k = b.CreateZExt(value_of(source(1), ir::Type::B32, 1), b.getInt64Ty());
      v.scale = b.CreateShl(x->scale, k);
      v.addend = b.CreateShl(x->addend, k);
      break;
    }
    case Opcode::Mul:
    case Opcode::Mad: {
      const bool product_varies = !is_uniform(source(0)) || !is_uniform(source(1));
      if (in.op == Opcode::Mad && !product_varies) {
        auto z = read_extended(source(2));
        if (!z) return false;
        v = *z;
        v.addend = b.CreateAdd(z->addend, b.CreateMul(x->addend, y->addend));
        break;
      }
      Value* k = (x_varies ? *y : *x).addend;
      v.scale = b.CreateMul(v.scale, k);
      v.addend = b.CreateMul(v.addend, k);
      if (in.op == Opcode::Mad) v.addend = b.CreateAdd(v.addend, value_of(source(2), ir::Type::B64, 1));
      break;
    }
    case Opcode::Selp: {
      Value* p = value_of(source(2), ir::Type::Pred, 1);
      v = {{b.CreateSelect(p, x->index.base, y->index.base), b.CreateSelect(p, x->index.stride1, y->index.stride1),
            b.CreateSelect(p, x->index.stride2, y->index.stride2)},
           is_signed,
           b.CreateSelect(p, x->scale, y->scale),
           b.CreateSelect(p, x->addend, y->addend)};
      break;
    }
    default:
      return false;
  }
  v.is_signed = is_signed;
  write_extended(r, v);
  return true;
}

}  // namespace drywarp::jit
