// Minima and maxima of integers: those that a program writes as a comparison and a selection, and those of three
// values.
#include "model/sass/passes/passes.h"

namespace drywarp::sass {

using enum machine::Operation;

// Hopper has the minimum of three, and of a sum and another value.
bool fold_minimum(Values& v, Instruction& c) {
  constexpr uint32_t kHopper = 90;
  if (v.kernel.compute_capability < kHopper || c.source[2] || c.form.minimum != Minimum::OfTwo) return false;
  for (unsigned side = 0; side < 2; ++side) {
    const Source mine = c.source[side], other = c.source[1 - side];
    const Instruction* d = v.definition(mine);
    if (!d || d->wide || d->guard || !v.usable(*d) || !v.only_use(mine) || d->source[2] || !d->source[1]) continue;
    const unsigned fixed = unsigned(d->source[1].is_immediate()) + unsigned(other.is_immediate());
    const bool sum = is_plain_add(*d) && d->role == Role::Pure && d->source[0].modifiers == 0 && fixed < 3;
    const bool three = d->op == Imnmx && d->form == c.form && fixed < 2;
    if (!sum && !three) continue;
    Form form = c.form;
    form.minimum = sum ? Minimum::OfSum : Minimum::OfThree;
    v.replace(c, Imnmx, form, {d->source[0], d->source[1], other});
    return true;
  }
  return false;
}

// a < b ? a : b, where nothing else needs the comparison.
bool fold_selected_minimum(Values& v, Instruction& c) {
  constexpr unsigned kWord = 32;
  const Source which = c.source[2];
  if (c.wide || c.role != Role::Pure || c.form != Form{} || !which.is_register() || !v.known[which.reg]) return false;
  const Instruction& d = v.made_by[which.reg];
  if (d.op != Isetp || d.wide || d.guard || d.source[2] || d.destination[1] != kNone || !v.usable(d) ||
      !v.only_use(which) || ir::bits(d.form.type) != kWord ||
      d.form != Form{.type = d.form.type, .compare = d.form.compare})
    return false;
  const bool less = d.form.compare == ir::Compare::Lt || d.form.compare == ir::Compare::Le;
  const bool greater = d.form.compare == ir::Compare::Gt || d.form.compare == ir::Compare::Ge;
  const bool same = c.source[0] == d.source[0] && c.source[1] == d.source[1];
  const bool swapped = c.source[0] == d.source[1] && c.source[1] == d.source[0];
  if ((!less && !greater) || (!same && !swapped)) return false;
  const bool minimum = (less == same) != ((which.modifiers & kInverted) != 0);
  v.replace(c, Imnmx, {.type = d.form.type, .compare = minimum ? ir::Compare::Lt : ir::Compare::Gt},
            {d.source[0], d.source[1]});
  return true;
}

}  // namespace drywarp::sass
