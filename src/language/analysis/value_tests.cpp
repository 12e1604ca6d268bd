#include "language/analysis/value_tests.h"

#include <algorithm>
#include <optional>

#include "language/analysis/passes.h"
#include "language/ir/accesses.h"

namespace drywarp::analysis {
namespace {

using ir::Opcode;
using ir::Operand;
using Op = ValueTest::Op;

bool is_immediate(const Operand& o) { return o.kind == Operand::Kind::Immediate; }
bool is_register(const Operand& o) { return o.kind == Operand::Kind::Register && !o.negate; }

bool leaves_word(const ir::Instruction& in) {
  using enum ir::AtomOp;
  const ir::AtomOp op = in.mods.atom;
  if (op == Cas)
    return in.src.size() == 2 && is_immediate(in.src[0]) && is_immediate(in.src[1]) && in.src[0].bits == in.src[1].bits;
  return (op == Add || op == Or || op == Xor) && in.src.size() == 1 && is_immediate(in.src[0]) && in.src[0].bits == 0;
}

bool may_be_tested(const ir::Instruction& in) {
  if (in.dst.size() != 1 || !is_register(in.dst[0]) || in.mods.vector != 1) return false;
  if (ir::is_float(in.type) || ir::bits(in.type) < 8 || ir::bits(in.type) > 64) return false;
  if (in.op == Opcode::Atom) return leaves_word(in);
  return in.op == Opcode::Ld && (in.mods.order != ir::Order::Weak || ir::meets_in_l2(in));
}

struct Comparison {
  ir::Compare compare;
  Op op;
  bool is_signed, negated, reversed;  // Less: as it is, or the other way
};
// Those whose order is the type's have a row for each.
constexpr Comparison kComparisons[] = {
    {ir::Compare::Eq, Op::Equal, false, false, false}, {ir::Compare::Ne, Op::Equal, false, true, false},
    {ir::Compare::Lt, Op::Less, true, false, false},   {ir::Compare::Ge, Op::Less, true, true, false},
    {ir::Compare::Gt, Op::Less, true, false, true},    {ir::Compare::Le, Op::Less, true, true, true},
    {ir::Compare::Lo, Op::Less, false, false, false},  {ir::Compare::Hs, Op::Less, false, true, false},
    {ir::Compare::Hi, Op::Less, false, false, true},   {ir::Compare::Ls, Op::Less, false, true, true},
};

struct Arithmetic {
  Opcode op;
  Op step, swapped;  // `swapped`: the value is the second operand
};
constexpr Arithmetic kArithmetic[] = {
    {Opcode::And, Op::And, Op::And},
    {Opcode::Or, Op::Or, Op::Or},
    {Opcode::Xor, Op::Xor, Op::Xor},
    {Opcode::Add, Op::Add, Op::Add},
    {Opcode::Sub, Op::Subtract, Op::SubtractFrom},
};

class Tests {
 public:
  explicit Tests(const ir::Function& f) : f_(f), users_(f.registers.size()) {
    for (uint32_t i = 0; i < f.instructions.size(); ++i)
      for_each_use(f.instructions[i], [&](ir::RegisterId r) {
        if (users_[r].empty() || users_[r].back() != i) users_[r].push_back(i);
      });
  }

  // The test of the value that instruction `first` of `block` reads.
  [[nodiscard]] std::optional<TestedValue> of(const ir::Block& block, uint32_t first) {
    TestedValue t;
    const ir::Instruction& read = f_.instructions[first];
    if (!add(t,
             {ir::is_signed(read.type) ? Op::SignExtend : Op::ZeroExtend, static_cast<uint8_t>(ir::bits(read.type))}))
      return std::nullopt;
    first_ = first;
    ir::RegisterId value = read.dst[0].id;
    for (uint32_t at = first;;) {
      const std::vector<uint32_t>& users = users_[value];
      if (users.size() != 1 || users[0] <= at || users[0] >= block.end) return std::nullopt;
      if (defined(value, at + 1, users[0])) return std::nullopt;
      at = users[0];
      const ir::Instruction& in = f_.instructions[at];
      if (in.guard || in.dst.size() != 1 || !is_register(in.dst[0])) return std::nullopt;
      if (in.op == Opcode::Setp) return compares(t, in, value, at) ? std::optional(t) : std::nullopt;
      if (!computes(t, in, value, at)) return std::nullopt;
      value = in.dst[0].id;
    }
  }

 private:
  static bool add(TestedValue& t, const ValueTest::Step& step) {
    if (t.test.count == ValueTest::kMostSteps) return false;
    t.test.steps[t.test.count++] = step;
    return true;
  }
  [[nodiscard]] bool defined(ir::RegisterId r, uint32_t from, uint32_t to) const {
    for (uint32_t i = from; i < to; ++i) {
      bool any = false;
      for_each_definition(f_.instructions[i], [&](ir::RegisterId d) { any |= d == r; });
      if (any) return true;
    }
    return false;
  }
  // A step with the operand that is not the value. A register is one that has its value before the access already.
  bool with_other(TestedValue& t, ValueTest::Step step, const ir::Instruction& in, const Operand& other, uint32_t at) {
    step.bits = static_cast<uint8_t>(ir::bits(in.type));
    if (is_immediate(other)) {
      step.immediate = other.bits;
    } else {
      if (!is_register(other) || (t.other != ir::kNone && (t.other != other.id || t.type != in.type))) return false;
      if (defined(other.id, first_, at)) return false;
      step.other = true, t.other = other.id, t.type = in.type;
    }
    return add(t, step);
  }
  // Which operand is the value: 0, 1, or neither.
  static int place(const ir::Instruction& in, ir::RegisterId value) {
    if (in.src.size() != 2) return -1;
    const auto is = [&](const Operand& o) { return is_register(o) && o.id == value; };
    if (is(in.src[0]) == is(in.src[1])) return -1;
    return is(in.src[0]) ? 0 : 1;
  }

  bool compares(TestedValue& t, const ir::Instruction& in, ir::RegisterId value, uint32_t at) {
    const int which = place(in, value);
    if (which < 0 || ir::is_float(in.type) || ir::bits(in.type) < 16 || in.mods.combine != ir::BoolOp::None)
      return false;
    const auto* row = std::ranges::find(kComparisons, in.mods.compare, &Comparison::compare);
    if (row == std::end(kComparisons)) return false;
    ValueTest::Step step;
    step.op = row->op == Op::Less && row->is_signed && ir::is_signed(in.type) ? Op::LessSigned : row->op;
    step.negated = row->negated, step.reversed = row->reversed != (which == 1);
    return with_other(t, step, in, in.src[static_cast<size_t>(1 - which)], at);
  }
  bool computes(TestedValue& t, const ir::Instruction& in, ir::RegisterId value, uint32_t at) {
    if (in.op == Opcode::Mov) return in.src.size() == 1 && is_register(in.src[0]);
    if (in.op == Opcode::Cvt) {
      if (ir::is_float(in.type) || ir::is_float(in.type2) || in.mods.sat || in.src.size() != 1) return false;
      if (ir::bits(in.type) < 8 || ir::bits(in.type2) < 8) return false;
      const unsigned bits = std::min(ir::bits(in.type), ir::bits(in.type2));
      return add(t, {ir::is_signed(in.type2) ? Op::SignExtend : Op::ZeroExtend, static_cast<uint8_t>(bits)});
    }
    const auto* row = std::ranges::find(kArithmetic, in.op, &Arithmetic::op);
    if (row == std::end(kArithmetic) || in.mods.carry_out || in.mods.sat || ir::is_float(in.type)) return false;
    const int which = place(in, value);
    if (which < 0 || ir::bits(in.type) < 16 || ir::bits(in.type) > 64) return false;
    return with_other(t, {which == 0 ? row->step : row->swapped}, in, in.src[static_cast<size_t>(1 - which)], at);
  }

  const ir::Function& f_;
  std::vector<std::vector<uint32_t>> users_;  // by register: instructions, each once
  uint32_t first_ = 0;
};

}  // namespace

std::map<uint32_t, TestedValue> value_tests(const ir::Function& f) {
  std::map<uint32_t, TestedValue> all;
  if (std::ranges::none_of(f.instructions, may_be_tested)) return all;
  Tests tests(f);
  for (const ir::Block& block : f.blocks)
    for (uint32_t i = block.first; i < block.end; ++i)
      if (may_be_tested(f.instructions[i]))
        if (auto test = tests.of(block, i)) all.emplace(i, std::move(*test));
  return all;
}

}  // namespace drywarp::analysis
