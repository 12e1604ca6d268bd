// Registers that a loop doubles or halves, as the stride of a reduction: they are no linear form, but take few values.
#include <algorithm>

#include "language/analysis/address_forms.h"
#include "language/analysis/dominance.h"
#include "language/analysis/passes.h"

namespace drywarp::analysis {
namespace {

using ir::Compare;
using ir::Opcode;
using ir::Operand;

constexpr size_t kMostValues = 64;

// Nothing if the comparison is not of two numbers that have one meaning, signed or not.
std::optional<bool> holds(Compare compare, const LinearForm& a, const LinearForm& b) {
  if (!a.is_number() || !b.is_number() || a.constant < 0 || b.constant < 0) return std::nullopt;
  switch (compare) {
    case Compare::Eq:
      return a.constant == b.constant;
    case Compare::Ne:
      return a.constant != b.constant;
    case Compare::Lt:
    case Compare::Lo:
      return a.constant < b.constant;
    case Compare::Le:
    case Compare::Ls:
      return a.constant <= b.constant;
    case Compare::Gt:
    case Compare::Hi:
      return a.constant > b.constant;
    case Compare::Ge:
    case Compare::Hs:
      return a.constant >= b.constant;
    default:
      return std::nullopt;
  }
}

bool is_step(Opcode op) { return op == Opcode::Shl || op == Opcode::Shr || op == Opcode::Mul || op == Opcode::Div; }

// The value that follows; negative: it has left the range in which signed and unsigned numbers agree.
int64_t after(Opcode op, int64_t value, int64_t by) {
  const int64_t factor = op == Opcode::Shl || op == Opcode::Shr ? int64_t{1} << by : by;
  const int64_t next = op == Opcode::Shl || op == Opcode::Mul ? saturated_multiply(value, factor) : value / factor;
  return next > INT32_MAX ? -1 : next;
}

}  // namespace

std::vector<SteppedRegister> AddressForms::stepped_registers() {
  std::vector<SteppedRegister> found;
  for (ir::RegisterId r = 0; r < definitions_.size(); ++r) {
    if (definitions_[r].size() != 2) continue;
    for (const size_t update : {0, 1})
      if (auto stepped = stepped_register(r, definitions_[r][1 - update], definitions_[r][update]))
        found.push_back(std::move(*stepped));
  }
  assume({});
  return found;
}

std::optional<SteppedRegister> AddressForms::stepped_register(ir::RegisterId r, uint32_t first, uint32_t update) {
  const ir::Instruction* step = &code_.instructions[update];
  while (step && step->op == Opcode::Mov && !step->guard && step->src.size() == 1 &&
         step->src[0].kind == Operand::Kind::Register)
    step = only_definition(step->src[0].id);
  if (!step || !is_step(step->op) || step->guard || step->mods.part == ir::Part::Hi ||
      step->mods.part == ir::Part::Wide || step->src.size() != 2 || step->src[0].kind != Operand::Kind::Register ||
      step->src[0].id != r || step->src[0].negate || code_.instructions[update].guard ||
      code_.instructions[first].guard)
    return std::nullopt;
  assume({});
  const LinearForm by = of_source(*step, 1), begin = evaluate(code_.instructions[first], r);
  if (!by.is_number() || by.constant < 1 || by.constant > 31 || !begin.is_number() || begin.constant < 0)
    return std::nullopt;
  const std::optional<CountedLoop> loop = loop_of(update, {first});
  if (!loop) return std::nullopt;
  SteppedRegister result{r, {}, {}, mixed_with(r), {}};
  std::vector<uint32_t> before;  // between the first value and the loop
  for (const uint32_t use : uses_afterwards(r, update, *loop)) {
    const ir::BlockId at = block_of_[use];
    if (code_.instructions[use].op == Opcode::Setp)
      result.of_next.push_back(use);
    else if (dominates(dominators_, block_of_[first], at) && dominates(dominators_, at, loop->header) &&
             at != loop->header && (at != block_of_[first] || use > first))
      before.push_back(use);
    else
      return std::nullopt;
  }
  assume({{&result, begin.constant}});
  for (const uint32_t use : before)
    for_each_definition(code_.instructions[use], [&](ir::RegisterId d) {
      result.of_first.emplace_back(d, definitions_[d].size() == 1 ? of(d) : LinearForm::unknown());
    });
  for (int64_t value = begin.constant; value >= 0;) {
    if (result.values.size() == kMostValues) return std::nullopt;
    result.values.push_back(value);
    const int64_t next = after(step->op, value, by.constant);
    if (next == value) return result;
    for (const Comparison& c : loop->repeats_while) {
      const bool of_next =
          std::find(result.of_next.begin(), result.of_next.end(), c.instruction) != result.of_next.end();
      if (of_next && next < 0) continue;
      assume({{&result, of_next ? next : value}});
      if (holds(c.compare, of(c.a, c.type), of(c.b, c.type)) == false) return result;
    }
    value = next;
  }
  return std::nullopt;  // it may wrap around
}

// Registers made of `r` whose value may come from an earlier iteration than the value of `r`.
std::vector<ir::RegisterId> AddressForms::mixed_with(ir::RegisterId r) const {
  std::vector<bool> made(definitions_.size(), false);
  made[r] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (const ir::BlockId b : flow_.order) {
      for (uint32_t i = code_.blocks[b].first; i < code_.blocks[b].end; ++i) {
        bool uses = false;
        for_each_use(code_.instructions[i], [&](ir::RegisterId used) { uses |= made[used]; });
        if (!uses) continue;
        for_each_definition(code_.instructions[i], [&](ir::RegisterId d) {
          changed |= !made[d];
          made[d] = true;
        });
      }
    }
  }
  std::vector<bool> mixed(definitions_.size(), false);
  for (ir::RegisterId d = 0; d < definitions_.size(); ++d)
    mixed[d] = made[d] && (definitions_[d].size() != 1 || code_.instructions[definitions_[d][0]].guard);
  for (const ir::BlockId b : flow_.order) {
    for (uint32_t i = code_.blocks[b].first; i < code_.blocks[b].end; ++i) {
      for_each_use(code_.instructions[i], [&](ir::RegisterId used) {
        if (!made[used] || mixed[used] || used == r) return;
        const uint32_t definition = definitions_[used][0];
        const ir::BlockId made_in = block_of_[definition];
        mixed[used] = !dominates(dominators_, made_in, b) || (made_in == b && definition >= i);
      });
    }
  }
  std::vector<ir::RegisterId> result;
  for (ir::RegisterId d = 0; d < definitions_.size(); ++d)
    if (mixed[d] && d != r) result.push_back(d);
  return result;
}

void AddressForms::assume(const std::vector<std::pair<const SteppedRegister*, int64_t>>& values) {
  std::fill(states_.begin(), states_.end(), State::New);
  const auto set = [&](ir::RegisterId r, const LinearForm& form) { forms_[r] = form, states_[r] = State::Done; };
  for (const auto& [stepped, value] : values)
    for (const auto& [r, form] : stepped->of_first) set(r, form);
  for (const auto& [stepped, value] : values)
    for (const ir::RegisterId r : stepped->mixed) set(r, LinearForm::unknown());
  for (const auto& [stepped, value] : values) set(stepped->reg, LinearForm::number(value));
}

}  // namespace drywarp::analysis
