// cvt between integers, and between integers and floating point. convert_float.cpp has the others.
#include <cmath>

#include "engine/jit/families/shared.h"

namespace drywarp::jit {
namespace {

bool is_int(Type t) { return !ir::is_float(t) && t != Type::TF32; }

uint64_t greatest(Type t) { return (~uint64_t{0} >> (64 - ir::bits(t))) >> (ir::is_signed(t) ? 1 : 0); }

// Clamps in the source's width. Limits of the destination that do not fit there do not matter.
Value* clamp_int(Emitter& e, Value* v, Type from, Type to) {
  llvm::Type* type = v->getType();
  bool from_signed = ir::is_signed(from), to_signed = ir::is_signed(to);
  if (from_signed) {
    if (!to_signed)
      v = e.intrinsic(llvm::Intrinsic::smax, {v, e.constant(type, 0)});
    else if (ir::bits(to) < ir::bits(from))
      v = e.intrinsic(llvm::Intrinsic::smax, {v, e.constant(type, ~greatest(to))});
  }
  if (greatest(to) < greatest(from)) {
    auto min = from_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin;
    v = e.intrinsic(min, {v, e.constant(type, greatest(to))});
  }
  return v;
}

void int_to_int(Emitter& e, const Instruction& in) {
  Value* v = e.operand(in, 0, in.type2);
  if (in.mods.sat) v = clamp_int(e, v, in.type2, in.type);
  e.set(in, 0, e.resize(v, ir::bits(in.type), ir::is_signed(in.type2)), in.type);
}

// An integer as f64: exact, except that 64 bits are rounded to odd.
Value* int_to_f64_odd(Emitter& e, Value* v, bool is_signed) {
  auto& ir = e.b;
  llvm::Type* f64 = v->getType()->getWithNewType(ir.getDoubleTy());
  auto convert = [&](Value* x, bool s) { return s ? ir.CreateSIToFP(x, f64) : ir.CreateUIToFP(x, f64); };
  if (v->getType()->getScalarSizeInBits() < 64) return convert(v, is_signed);
  Value* by = e.constant(v->getType(), 32);
  Value* high = is_signed ? ir.CreateAShr(v, by) : ir.CreateLShr(v, by);
  Value* low = ir.CreateAnd(v, e.constant(v->getType(), 0xffffffffu));
  // Both halves are exact. They have 32 bits, which every host can convert; some cannot convert 64.
  Value* top = ir.CreateFMul(convert(e.resize(high, 32, false), is_signed), e.real(f64, 0x1p32));
  return add_to_odd(e, top, convert(e.resize(low, 32, false), false));
}

void int_to_float(Emitter& e, const Instruction& in) {
  auto& ir = e.b;
  Value* v = e.operand(in, 0, in.type2);
  bool is_signed = ir::is_signed(in.type2);
  unsigned from = ir::bits(in.type2);
  ir::Rounding rounding = in.mods.rounding;
  Value* result;
  if (in.type == Type::F64) {
    if (from == 64 && is_directed(rounding)) {
      result = is_signed ? e.map_lanes(lane::f64_from_s64.towards(rounding), v)
                         : e.map_lanes(lane::f64_from_u64.towards(rounding), v);
    } else {
      result = is_signed ? ir.CreateSIToFP(v, e.double_type()) : ir.CreateUIToFP(v, e.double_type());
    }
  } else if (in.type == Type::F32 && !is_directed(rounding)) {
    result = is_signed ? ir.CreateSIToFP(v, e.float_type()) : ir.CreateUIToFP(v, e.float_type());
  } else if (in.type == Type::F32) {
    result = narrow(e, int_to_f64_odd(e, v, is_signed), rounding);
  } else {
    result = narrow_to_odd(e, int_to_f64_odd(e, v, is_signed));
  }
  set_converted(e, in, result);
}

llvm::Intrinsic::ID integral_rounding(ir::Rounding r) {
  switch (r) {
    case ir::Rounding::Rn:
    case ir::Rounding::Rni:
      return llvm::Intrinsic::roundeven;
    case ir::Rounding::Rm:
    case ir::Rounding::Rmi:
      return llvm::Intrinsic::floor;
    case ir::Rounding::Rp:
    case ir::Rounding::Rpi:
      return llvm::Intrinsic::ceil;
    default:
      return llvm::Intrinsic::trunc;
  }
}

// Values out of range clamp. A NaN becomes zero, or the pattern 100..0 if source or destination has 64 bits.
void float_to_int(Emitter& e, const Instruction& in) {
  auto& ir = e.b;
  Value* x = float_source(e, in);
  bool is_signed = ir::is_signed(in.type);
  unsigned bits = ir::bits(in.type);
  if (integral_rounding(in.mods.rounding) != llvm::Intrinsic::trunc) x = round_integral(e, x, in.mods.rounding);
  auto id = is_signed ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
  unsigned via = std::max(bits, 32u);
  Value* result;
  if (bits < 32) {
    Type wide = Type::S32;
    result = ir.CreateIntrinsic(llvm::Intrinsic::fptosi_sat, {e.int_type(via), x->getType()}, {x});
    result = e.resize(clamp_int(e, result, wide, in.type), bits, false);
  } else {
    result = ir.CreateIntrinsic(id, {e.int_type(via), x->getType()}, {x});
  }
  if (in.type2 == Type::F64 || bits == 64) {
    Value* top = e.constant(result->getType(), uint64_t{1} << (bits - 1));
    result = ir.CreateSelect(ir.CreateFCmpUNO(x, x), top, result);
  }
  e.set(in, 0, result, in.type);
}

}  // namespace

Value* round_integral(Emitter& e, Value* x, ir::Rounding rounding) {
  return e.intrinsic(integral_rounding(rounding), {x});
}

void emit_Cvt(Emitter& e, const Instruction& in) {
  bool to_int = is_int(in.type), from_int = is_int(in.type2);
  EmitFunction chosen = to_int && from_int ? int_to_int
                        : from_int         ? int_to_float
                        : to_int           ? float_to_int
                                           : float_to_float;
  chosen(e, in);
}

}  // namespace drywarp::jit
