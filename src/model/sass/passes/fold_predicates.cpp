// Predicates: logic of several, a comparison with another predicate, tests of what a predicate selects.
#include <array>

#include "model/sass/passes/passes.h"

namespace drywarp::sass {

using enum machine::Operation;

unsigned table_over(const Instruction& c, const std::array<Source, 3>& inputs, unsigned count, unsigned inner_at,
                    unsigned inner) {
  unsigned table = 0;
  for (unsigned row = 0; row < 8; ++row) {
    unsigned index = 0;
    for (unsigned k = 0; k < 3; ++k) {
      bool bit = false;
      if (k == inner_at) {
        bit = (inner >> row & 1) != 0;
      } else {
        for (unsigned i = 0; i < count; ++i)
          if (c.source[k] && inputs[i] == c.source[k]) bit = (row >> (2 - i) & 1) != 0;
      }
      index |= unsigned{bit} << (2 - k);
    }
    table |= (unsigned{c.form.table} >> index & 1) << row;
  }
  return table;
}

namespace {

// PLOP3 has three inputs, as LOP3 has.
bool fold_predicate_pair(Values& v, Instruction& c) {
  const auto pairs = [](const Instruction& p) {
    const uint8_t table = p.form.table;
    return p.op == Plop3 && p.role == Role::Pure && !p.guard && p.source.size() == 2 &&
           p.form == Form{.table = table} && (table == kAnd || table == kOr || table == kXor);
  };
  if (!pairs(c) || c.destination[1] != kNone) return false;
  for (unsigned side = 0; side < 2; ++side) {
    const Source mine = c.source[side];
    const Instruction* d = mine.modifiers == 0 ? v.definition(mine) : nullptr;
    if (!d || !pairs(*d) || d->destination[1] != kNone || !v.usable(*d) || !v.only_use(mine)) continue;
    const std::array<Source, 3> inputs{c.source[1 - side], d->source[0], d->source[1]};
    if (inputs[0] == inputs[1] || inputs[0] == inputs[2] || inputs[1] == inputs[2]) continue;
    const unsigned inner = table_over(*d, inputs, 3, 3, 0);
    const unsigned table = table_over(c, inputs, 3, side, inner);
    v.replace(c, Plop3, {.table = static_cast<uint8_t>(table)}, {inputs[0], inputs[1], inputs[2]});
    return true;
  }
  return false;
}

}  // namespace

bool fold_predicates(Values& v, Instruction& c) {
  // An and/or of two predicates is a comparison if a comparison made one of them: the other one becomes its operand. A
  // comparison that has other uses, too, is repeated if it is of the same block. A zero test of logic costs nothing
  // (fuse_zero_tests()), so the other comparison is preferred.
  const auto tests_logic = [&](const Source& s) {
    if (!s.is_register() || !v.known[s.reg] || v.made_by[s.reg].op != Isetp) return false;
    const Instruction& compare = v.made_by[s.reg];
    const Instruction* of = v.definition(compare.source[0]);
    return of && of->op == Lop3 && compare.source[1].is_immediate() && compare.source[1].value == 0;
  };
  if (c.source[2]) return false;
  const unsigned first = tests_logic(c.source[0]) ? 1 : 0;
  for (const unsigned side : {first, 1 - first}) {
    const Source mine = c.source[side];
    if (!mine.is_register() || !v.known[mine.reg]) continue;
    const Instruction& d = v.made_by[mine.reg];
    if (!v.only_use(mine) && !in_one_block(v.kernel, d, c)) continue;
    const bool compares = d.op == Isetp || d.op == Fsetp || d.op == Dsetp;
    if (!compares || d.guard || d.source[2] || !v.usable(d) || d.destination[1] != kNone) continue;
    Form form = d.form;
    form.table = c.form.table;
    const bool wide = d.wide;
    v.replace(c, d.op, form, {d.source[0], d.source[1], c.source[1 - side]});
    c.wide = wide;
    return true;
  }
  return fold_predicate_pair(v, c);
}

// A selection of two numbers that is compared with a number: its predicate. (The comparisons of cuda_fp16.h are 0 or 1
// in PTX.)
bool fold_tested_selection(Values& v, Instruction& c) {
  using enum ir::Compare;
  const bool tests = (c.form.compare == Eq || c.form.compare == Ne) && c.source[1].is_immediate() && !c.source[2];
  if (!tests || c.destination[1] != kNone) return false;
  const Instruction* d = v.definition(c.source[0]);
  if (!d || d->op != Sel || d->wide || d->guard || !v.usable(*d)) return false;
  const Source &yes = d->source[0], &no = d->source[1];
  if (!yes.is_immediate() || !no.is_immediate() || (yes.value == c.source[1].value) == (no.value == c.source[1].value))
    return false;
  Source predicate = d->source[2];
  const bool holds_if_set = (yes.value == c.source[1].value) == (c.form.compare == Eq);
  if (!holds_if_set) predicate.modifiers ^= kInverted;
  v.become_copy(c, predicate);
  return true;
}

}  // namespace drywarp::sass
