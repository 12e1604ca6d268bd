// Arithmetic opcodes that exist for integers, reals, halves and packed pairs: dispatch by type.
#include "engine/jit/families/shared.h"

namespace drywarp::jit {

#define DW_KIND(op)                                \
  void integer_##op(Emitter&, const Instruction&); \
  void real_##op(Emitter&, const Instruction&);    \
  void half_##op(Emitter&, const Instruction&);    \
  void paired_##op(Emitter&, const Instruction&);
DW_KIND(add)
DW_KIND(sub)
DW_KIND(mul)
DW_KIND(mad)
DW_KIND(fma)
DW_KIND(div)
DW_KIND(abs)
DW_KIND(neg)
DW_KIND(min)
DW_KIND(max)
#undef DW_KIND

void emit_by_kind(Emitter& e, const Instruction& in, const ByKind& emitters) {
  EmitFunction chosen = is_half(in.type)         ? emitters.half
                        : ir::is_float(in.type)  ? emitters.real
                        : is_paired_int(in.type) ? emitters.paired
                                                 : emitters.integer;
  chosen(e, in);
}

void emit_Add(Emitter& e, const Instruction& in) { emit_by_kind(e, in, {integer_add, real_add, half_add, paired_add}); }
void emit_Sub(Emitter& e, const Instruction& in) { emit_by_kind(e, in, {integer_sub, real_sub, half_sub, paired_sub}); }
void emit_Mul(Emitter& e, const Instruction& in) { emit_by_kind(e, in, {integer_mul, real_mul, half_mul, nullptr}); }
void emit_Mad(Emitter& e, const Instruction& in) { emit_by_kind(e, in, {integer_mad, real_fma, half_fma, nullptr}); }
void emit_Fma(Emitter& e, const Instruction& in) { emit_by_kind(e, in, {nullptr, real_fma, half_fma, nullptr}); }
void emit_Div(Emitter& e, const Instruction& in) { emit_by_kind(e, in, {integer_div, real_div, nullptr, nullptr}); }
void emit_Abs(Emitter& e, const Instruction& in) { emit_by_kind(e, in, {integer_abs, real_abs, half_abs, nullptr}); }
void emit_Neg(Emitter& e, const Instruction& in) { emit_by_kind(e, in, {integer_neg, real_neg, half_neg, paired_neg}); }
void emit_Min(Emitter& e, const Instruction& in) { emit_by_kind(e, in, {integer_min, real_min, half_min, paired_min}); }
void emit_Max(Emitter& e, const Instruction& in) { emit_by_kind(e, in, {integer_max, real_max, half_max, paired_max}); }

}  // namespace drywarp::jit
