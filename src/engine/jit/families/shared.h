// Functions that the files of this folder share: dispatch by kind of type, elements of packed types, IEEE rounding.
#pragma once

#include <llvm/IR/Intrinsics.h>

#include "engine/jit/emit/emitter.h"

namespace drywarp::jit {

using ir::Instruction;
using ir::Type;
using llvm::Value;

// ---- kinds of type
inline bool is_half(Type t) { return t == Type::F16 || t == Type::BF16 || t == Type::F16x2 || t == Type::BF16x2; }
inline bool is_bf16(Type t) { return t == Type::BF16 || t == Type::BF16x2; }
inline bool is_paired_int(Type t) { return t == Type::U16x2 || t == Type::S16x2; }

// One function for each kind of type, for opcodes that exist for several kinds.
struct ByKind {
  EmitFunction integer = nullptr;
  EmitFunction real = nullptr;    // f32, f64, and f32x2 as twice as many f32
  EmitFunction half = nullptr;    // f16, bf16 and their pairs
  EmitFunction paired = nullptr;  // u16x2, s16x2
};
void emit_by_kind(Emitter& e, const Instruction& in, const ByKind& emitters);

// A packed value as a vector of its elements (64 of 16 bits for a wide s16x2), and back to one integer a lane.
Value* unpack_elements(Emitter& e, Value* packed, llvm::Type* element);
Value* pack_elements(Emitter& e, Value* elements, unsigned bits);
// In each lane, part `index` of `bits` bits of `value`, extended to the lane's width.
Value* part_of(Emitter& e, Value* value, unsigned index, unsigned bits, bool is_signed = false);

// A source operand as the instruction's type reads it; a predicate as i1.
inline Value* source(Emitter& e, const Instruction& in, unsigned i) { return e.operand(in, i, in.type); }

// ---- types of values, not of instructions (packed values have more elements than lanes)
inline llvm::Type* ints_like(llvm::Type* t) {
  return t->getWithNewType(llvm::IntegerType::get(t->getContext(), t->getScalarSizeInBits()));
}
inline Value* as_ints(Emitter& e, Value* v) { return e.b.CreateBitCast(v, ints_like(v->getType())); }
inline bool is_f64(Value* v) { return v->getType()->getScalarType()->isDoubleTy(); }
inline Value* to_f64(Emitter& e, Value* v) {
  return e.b.CreateFPExt(v, v->getType()->getWithNewType(e.b.getDoubleTy()));
}
inline Value* to_f32(Emitter& e, Value* v) {
  return e.b.CreateFPTrunc(v, v->getType()->getWithNewType(e.b.getFloatTy()));
}
inline Value* fabs_of(Emitter& e, Value* v) { return e.intrinsic(llvm::Intrinsic::fabs, {v}); }

// ---- IEEE rounding (rounding.cpp)
// Moves `nearest`, the result rounded to nearest even, by one unit where `rounding` requires it. `too_big`,
// `too_small`: its magnitude is above or below the exact one's. Correct at zero, subnormals and overflow.
Value* round_directed(Emitter& e, Value* nearest, Value* too_big, Value* too_small, ir::Rounding rounding);
// f64 to f32 in any rounding mode.
Value* narrow(Emitter& e, Value* f64, ir::Rounding rounding);
// a + b in f64, rounded to odd: rounding it again to at most 51 bits equals rounding the exact sum once.
Value* add_to_odd(Emitter& e, Value* a, Value* b);
Value* narrow_to_odd(Emitter& e, Value* f64);  // f64 to f32, rounded to odd
inline bool is_directed(ir::Rounding r) {
  return r == ir::Rounding::Rz || r == ir::Rounding::Rm || r == ir::Rounding::Rp;
}
// a * b + c with one rounding to nearest; correct on hosts without FMA instructions too.
Value* fused(Emitter& e, Value* a, Value* b, Value* c);

// ---- f32 and f64 arithmetic (float.cpp)
Value* ordered_min_max(Emitter& e, Value* a, Value* b, bool is_max, bool nan);  // any LLVM floating type; -0 < +0
Value* real_operand(Emitter& e, const Instruction& in, unsigned index);  // flushed if .ftz; f32x2 as its elements
void set_real(Emitter& e, const Instruction& in, Value* result);         // .sat, .ftz applied

// ---- halves (half_values.cpp, half.cpp)
// f16 or bf16 bits (integers) to f32 and back, rounding to nearest even (or another rounding), NaN as 0x7fff.
Value* half_to_float(Emitter& e, Value* bits16, bool bf16);
Value* float_to_half(Emitter& e, Value* f32, bool bf16, ir::Rounding rounding = ir::Rounding::Rn);

// The operand of a half or packed half instruction as f32 elements. The result is set from f32 elements and rounded
// once.
Value* half_operand(Emitter& e, const Instruction& in, unsigned index);
void set_half(Emitter& e, const Instruction& in, Value* f32);

// ---- comparison of two values of type `t` (compare.cpp)
Value* compare(Emitter& e, Value* a, Value* b, ir::Compare how, Type t);
Value* combine(Emitter& e, Value* p, Value* q, ir::BoolOp how);

// ---- conversion (convert.cpp, convert_float.cpp)
// The source of a conversion from floating point, as f32 (halves, tf32) or f64; flushed if .ftz.
Value* float_source(Emitter& e, const Instruction& in, unsigned index = 0);
// Sets the result of a conversion from an f32 or f64; for halves, from an f32 that is not yet rounded. Applies the
// rounding, .sat, .relu, .satfinite and .ftz.
void set_converted(Emitter& e, const Instruction& in, Value* value);
void float_to_float(Emitter& e, const Instruction& in);
// Rounds to an integral value in the same format: rni, rzi, rmi, rpi (rn, rz, rm, rp mean the same here).
Value* round_integral(Emitter& e, Value* x, ir::Rounding rounding);

}  // namespace drywarp::jit
