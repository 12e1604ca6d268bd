// Arithmetic of floats: signs as modifiers, fused products, roundings, saturations.
#include <algorithm>
#include <bit>
#include <iterator>

#include "model/sass/passes/passes.h"

namespace drywarp::sass {

using machine::Operation;
using enum machine::Operation;

// floor, then conversion to an integer: the conversion rounds.
bool fold_rounding(Values& v, Instruction& c) {
  const Instruction* d = v.definition(c.source[0]);
  if (!d || d->op != Frnd || d->guard || !v.usable(*d)) return false;
  Form form = c.form;
  form.rounding = d->form.rounding;
  v.replace(c, F2i, form, {d->source[0]});
  return true;
}

// A negation or absolute value is a modifier of the operand.
bool fold_float_signs(Values& v, Instruction& c) {
  for (Source& s : c.source) {
    if (!s.is_register() || !v.known[s.reg]) continue;
    const Instruction& d = v.made_by[s.reg];
    const bool sign = d.form.changes_sign && (d.op == Fadd || d.op == Lop3);
    if (!sign || d.guard || !v.usable(d) || !d.source[0].is_register()) continue;
    Source from = d.source[0];
    from.modifiers = s.modifiers & kAbsolute ? s.modifiers : from.modifiers ^ s.modifiers;
    v.set(s, from);
    return true;
  }
  return false;
}

// A product and its sum without an explicit rounding mode are fused (-fmad) if both flush subnormals or neither does.
// The sum may saturate. ptxas 13 fused 11 of 11 such pairs (f32, f64, f16, f16x2, bf16) and 0 of 8 others: .rn on
// either or both, .ftz on one, .sat on the product.
bool fuse_product(Values& v, Instruction& c) {
  static constexpr struct {
    Operation sum, product, fused;
  } kFused[] = {{Fadd, Fmul, Ffma}, {Dadd, Dmul, Dfma}, {Hadd2, Hmul2, Hfma2}};
  const Form of_product{.type = c.form.type, .flushes = c.form.flushes};
  Form of_sum = of_product;
  of_sum.saturates = c.form.saturates;
  const auto* const fused = std::ranges::find(kFused, c.op, [](const auto& f) { return f.sum; });
  if (fused == std::end(kFused) || c.form != of_sum || c.source[2]) return false;
  for (unsigned side = 0; side < 2; ++side) {
    Source product = c.source[side];
    const uint8_t sign = product.modifiers;
    if ((sign & ~kNegated) != 0) continue;
    product.modifiers = 0;
    const Instruction* d = v.definition(product);
    if (!d || d->op != fused->product || d->form != of_product || d->guard || !v.only_use(product) || !v.usable(*d))
      continue;
    if (d->source[2]) continue;
    Source first = d->source[0];
    if (sign != 0 && !first.is_register()) continue;
    first.modifiers ^= sign;
    v.replace(c, fused->fused, of_sum, {first, d->source[1], c.source[1 - side]});
    return true;
  }
  return false;
}

// A product of literals is a literal.
bool fold_literal_product(Values& v, Instruction& c) {
  const Instruction* d = v.definition(c.source[0]);
  const Source a = d && d->op == Mov && !d->guard && v.usable(*d) ? d->source[0] : c.source[0];
  const Source& b = c.source[1];
  if (!a.is_immediate() || !b.is_immediate() || a.modifiers != 0 || b.modifiers != 0) return false;
  const float value =
      std::bit_cast<float>(static_cast<uint32_t>(a.value)) * std::bit_cast<float>(static_cast<uint32_t>(b.value));
  v.become_copy(c, Source::immediate(std::bit_cast<uint32_t>(value)));
  return true;
}

// cvt.sat of a value without other uses: the operation that computes it saturates. (As nvcc writes expf.)
bool fold_saturation(Values& v, Instruction& c) {
  const Form conversion{.type = ir::Type::F32, .from = ir::Type::F32, .saturates = true};
  if (c.op != Fadd || c.form != conversion || c.source[1] || c.source[0].modifiers != 0) return false;
  const Instruction* d = v.definition(c.source[0]);
  if (!d || d->guard || !v.usable(*d) || !v.only_use(c.source[0])) return false;
  if ((d->op != Ffma && d->op != Fadd && d->op != Fmul) || d->form.type != ir::Type::F32 || d->form.in_sequence)
    return false;
  Form form = d->form;
  form.saturates = true;
  v.replace(c, d->op, form, {d->source[0], d->source[1], d->source[2]});
  return true;
}

}  // namespace drywarp::sass
