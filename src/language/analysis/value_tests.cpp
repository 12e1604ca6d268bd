#include "language/analysis/value_tests.h"

#include <algorithm>
#include <optional>
#include <set>

#include "language/analysis/dominance.h"
#include "language/ir/accesses.h"

namespace drywarp::analysis {
namespace {

using ir::BlockId;
using ir::Instruction;
using ir::Opcode;
using ir::Operand;
using ir::RegisterId;
using Op = ValueTest::Op;
using Step = ValueTest::Step;

bool is_immediate(const Operand& o) { return o.kind == Operand::Kind::Immediate; }
bool is_register(const Operand& o) { return o.kind == Operand::Kind::Register; }

bool leaves_word(const Instruction& in) {
  using enum ir::AtomOp;
  const ir::AtomOp op = in.mods.atom;
  if (op == Cas)
    return in.src.size() == 2 && is_immediate(in.src[0]) && is_immediate(in.src[1]) && in.src[0].bits == in.src[1].bits;
  return (op == Add || op == Or || op == Xor) && in.src.size() == 1 && is_immediate(in.src[0]) && in.src[0].bits == 0;
}

// What passes arguments and results of functions that are really called.
ir::SymbolId call_slot(const Instruction& in) {
  const bool is = in.mods.space == AddressSpace::ParamFunc && (in.op == Opcode::Ld || in.op == Opcode::St) &&
                  in.mods.vector == 1 && in.address && in.address->reg == ir::kNone && in.address->offset == 0;
  return is ? in.address->symbol : ir::kNone;
}

bool may_be_tested(const Instruction& in) {
  if (in.dst.size() != 1 || !is_register(in.dst[0]) || in.mods.vector != 1) return false;
  if (ir::is_float(in.type) || ir::bits(in.type) < 8 || ir::bits(in.type) > 64) return false;
  if (in.op == Opcode::Atom) return leaves_word(in);
  if (call_slot(in) != ir::kNone) return true;
  return in.op == Opcode::Ld && (in.mods.order != ir::Order::Weak || ir::meets_in_l2(in));
}

struct Comparison {
  ir::Compare compare;
  Op op;
  bool is_signed, negated, swapped;  // Less: as it is, or the other way
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
  Op step;
};
constexpr Arithmetic kArithmetic[] = {
    {Opcode::And, Op::And},      {Opcode::Or, Op::Or},         {Opcode::Xor, Op::Xor},        {Opcode::Add, Op::Add},
    {Opcode::Sub, Op::Subtract}, {Opcode::Shl, Op::ShiftLeft}, {Opcode::Shr, Op::ShiftRight},
};
std::optional<Op> arithmetic(const Instruction& in) {
  const auto* row = std::ranges::find(kArithmetic, in.op, &Arithmetic::op);
  if (row == std::end(kArithmetic) || in.src.size() != 2 || in.mods.carry_out || in.mods.sat) return std::nullopt;
  if (ir::is_float(in.type) || ir::bits(in.type) > 64) return std::nullopt;
  const bool shifts = row->step == Op::ShiftLeft || row->step == Op::ShiftRight;
  if (ir::bits(in.type) < (shifts ? 32U : 16U)) return std::nullopt;
  if (row->step == Op::ShiftRight && ir::is_signed(in.type)) return std::nullopt;
  return row->step;
}

// Of predicates.
std::optional<Op> logic(Opcode op) {
  if (op == Opcode::And) return Op::And;
  if (op == Opcode::Or) return Op::Or;
  if (op == Opcode::Xor) return Op::Xor;
  return std::nullopt;
}

// What a slot holds: an argument of the function or of a call in it, or what one of them gives.
struct Slot {
  bool of_call = false, is_result = false, many = false;
  uint8_t number = 0;
  uint32_t call = ir::kNone;
};

struct Code {
  const ir::Function& f;
  const ControlFlow& flow;
  std::vector<std::vector<uint32_t>> users;  // by register: instructions, each once
  std::vector<std::vector<uint32_t>> defs;
  std::vector<BlockId> block;  // by instruction
  std::vector<BlockId> dominators;
  std::map<ir::SymbolId, Slot> slots;
  uint32_t arguments_end = 0;  // behind the loads of arguments with which the function begins

  Code(const ir::Function& function, const ControlFlow& control)
      : f(function),
        flow(control),
        users(function.registers.size()),
        defs(function.registers.size()),
        block(function.instructions.size()),
        dominators(immediate_dominators(function, control)) {
    const auto add = [](std::vector<uint32_t>& to, uint32_t i) {
      if (to.empty() || to.back() != i) to.push_back(i);
    };
    for (uint32_t i = 0; i < f.instructions.size(); ++i) {
      for_each_use(f.instructions[i], [&](RegisterId r) { add(users[r], i); });
      for_each_definition(f.instructions[i], [&](RegisterId r) { add(defs[r], i); });
    }
    for (BlockId b = 0; b < f.blocks.size(); ++b)
      for (uint32_t i = f.blocks[b].first; i < f.blocks[b].end; ++i) block[i] = b;
    find_slots();
  }
  void find_slots() {
    constexpr size_t kMost = 256;
    const auto add = [&](ir::SymbolId id, Slot slot) {
      const auto [known, is_new] = slots.emplace(id, slot);
      if (!is_new) known->second.many = true;
    };
    const auto add_all = [&](const std::vector<ir::Parameter>& all, bool is_result) {
      for (size_t n = 0; n < std::min(all.size(), kMost); ++n)
        if (all[n].symbol != ir::kNone)
          add(all[n].symbol, {false, is_result, false, static_cast<uint8_t>(n), ir::kNone});
    };
    if (!f.is_kernel) add_all(f.parameters, false), add_all(f.results, true);
    for (uint32_t i = 0; i < f.instructions.size(); ++i) {
      const Instruction& in = f.instructions[i];
      if (in.op != Opcode::Call || in.origin == ir::Origin::InlinedCall) continue;
      for (const bool is_result : {false, true}) {
        const std::vector<Operand>& all = is_result ? in.call_results : in.call_arguments;
        for (size_t n = 0; n < std::min(all.size(), kMost); ++n)
          if (all[n].kind == Operand::Kind::Symbol)
            add(all[n].id, {true, is_result, false, static_cast<uint8_t>(n), i});
      }
    }
    const ir::Block& entry = f.blocks[0];
    arguments_end = entry.first;
    while (arguments_end < entry.end && is_argument(arguments_end)) ++arguments_end;
  }
  [[nodiscard]] const Slot* slot(uint32_t i) const {
    const auto found = slots.find(call_slot(f.instructions[i]));
    return found == slots.end() || found->second.many ? nullptr : &found->second;
  }
  [[nodiscard]] bool is_argument(uint32_t i) const {
    const Slot* const s = f.instructions[i].op == Opcode::Ld ? slot(i) : nullptr;
    return s && !s->of_call && !s->is_result;
  }
  // Whether a value may come from there: an argument when the function begins, or what a call has given.
  [[nodiscard]] bool may_be_handed(uint32_t i) const {
    const Slot* const s = slot(i);
    return s && !f.instructions[i].guard && (s->of_call ? s->is_result : is_argument(i) && i < arguments_end);
  }
  [[nodiscard]] bool is_predicate(RegisterId r) const { return f.registers[r].type == ir::Type::Pred; }
  [[nodiscard]] bool is_defined(RegisterId r, uint32_t from, uint32_t to) const {
    return std::ranges::any_of(defs[r], [&](uint32_t i) { return i >= from && i < to; });
  }
  // Whether the use is of what instruction `by` has written there.
  [[nodiscard]] bool is_of(RegisterId r, uint32_t by, uint32_t use) const {
    if (defs[r].size() == 1) return true;
    return users[r].size() == 1 && block[by] == block[use] && by < use && !is_defined(r, by + 1, use);
  }
  // Whether a register has the same value at a read and at a later use of it. Of one that is written once, in front of
  // the read, any way from there to the use again leads through the read.
  [[nodiscard]] bool is_known(RegisterId r, uint32_t read, uint32_t use) const {
    if (block[read] == block[use] && read < use) return !is_defined(r, read, use);
    if (defs[r].empty()) return true;
    if (defs[r].size() != 1) return false;
    const uint32_t by = defs[r][0];
    if (block[by] == block[read]) return by < read;
    return dominates(dominators, block[by], block[read]);
  }
  // The instruction that makes it a constant, whenever it runs; or null.
  [[nodiscard]] const Instruction* constant(RegisterId r) const {
    if (defs[r].size() != 1) return nullptr;
    const Instruction& by = f.instructions[defs[r][0]];
    return by.op == Opcode::Mov && !by.guard && by.src.size() == 1 && is_immediate(by.src[0]) ? &by : nullptr;
  }
  // The branch at the end of a block, if there is a choice; or null.
  [[nodiscard]] const Instruction* choice(BlockId b) const {
    const ir::Block& at = f.blocks[b];
    if (at.first == at.end || at.successors.size() != 2) return nullptr;
    const Instruction& last = f.instructions[at.end - 1];
    return last.op == Opcode::Bra && last.guard ? &last : nullptr;
  }
};

// One read's value: what is computed from it, and what that decides.
class Test {
 public:
  Test(const Code& code, uint32_t read) : code_(code), read_(read) {
    if (call_slot(code.f.instructions[read]) == ir::kNone) return;
    const Slot& slot = *code.slot(read);
    t_.told_behind = slot.of_call ? read : code.arguments_end - 1;
    t_.is_result = slot.is_result, t_.call = slot.call, t_.number = slot.number;
  }

  [[nodiscard]] std::optional<TestedValue> make() {
    const Instruction& in = code_.f.instructions[read_];
    derived_.emplace(in.dst[0].id, read_);
    while (grow()) {
    }
    if (!find_answers()) return std::nullopt;
    std::optional<uint8_t> all;
    for (const BlockId b : choices_)
      if (!is_continued(b)) all = join(all, outcome(b));
    for (const RegisterId p : observed_) all = join(all, step_of(p));
    if (handed_ != ir::kNone) all = hand_on(all);
    if (!fits_ || !all) return std::nullopt;
    // The last step is the answer.
    if (*all != t_.test.count) add({.op = Op::ZeroExtend, .a = *all});
    return fits_ ? std::optional(t_) : std::nullopt;
  }

 private:
  uint8_t hand_on(std::optional<uint8_t> all) {
    const Instruction& store = code_.f.instructions[handed_];
    const Slot& slot = *code_.slot(handed_);
    Step step{.op = Op::ZeroExtend, .bits = static_cast<uint8_t>(ir::bits(store.type))};
    step.a = step_of(store.src[0].id);
    t_.test.goes_on = add(step), t_.test.decides = all.has_value();
    t_.test.is_result = slot.is_result, t_.test.number = slot.number, t_.test.call = slot.call;
    return all.value_or(t_.test.goes_on);
  }
  uint8_t add(Step step) {
    if (t_.test.count == ValueTest::kMostSteps) return fits_ = false, ValueTest::kValue;
    t_.test.steps[t_.test.count++] = step;
    return static_cast<uint8_t>(t_.test.count);
  }
  uint8_t constant(uint64_t value) { return add({.op = Op::Constant, .immediate = value}); }
  std::optional<uint8_t> join(std::optional<uint8_t> all, uint8_t more) {
    if (!all) return more;
    if (++joined_ == 7) fits_ = false;  // eight bits each
    return add({.op = Op::Pair, .a = *all, .b = more});
  }

  // ---- What is computed from the value.

  [[nodiscard]] bool is_derived(const Operand& o, uint32_t use) const {
    if (!is_register(o)) return false;
    const auto by = derived_.find(o.id);
    return by != derived_.end() && code_.is_of(o.id, by->second, use);
  }
  // An operand of arithmetic: of the value, a constant, or known at run time.
  [[nodiscard]] bool is_operand(const Operand& o, uint32_t use) const {
    if (is_immediate(o)) return true;
    if (!is_register(o) || o.negate) return false;
    return is_derived(o, use) || (!derived_.contains(o.id) && (code_.constant(o.id) || is_known(o.id, use)));
  }
  [[nodiscard]] bool is_known(RegisterId r, uint32_t use) const {
    if (t_.told_behind == ir::kNone) return code_.is_known(r, read_, use);
    const uint32_t from = t_.told_behind + 1;
    return from == use ? code_.block[from] == code_.block[read_] : code_.is_known(r, from, use);
  }
  // It becomes an argument or the result of a called function, as it is or by steps.
  [[nodiscard]] bool is_handed_on(RegisterId r, uint32_t user) const {
    const Instruction& in = code_.f.instructions[user];
    const Slot* const slot = in.op == Opcode::St ? code_.slot(user) : nullptr;
    return slot && slot->of_call != slot->is_result && !in.guard && in.src.size() == 1 && is_register(in.src[0]) &&
           in.src[0].id == r && !in.src[0].negate && !ir::is_float(in.type) && ir::bits(in.type) >= 8 &&
           ir::bits(in.type) <= 64;
  }
  [[nodiscard]] bool is_step(uint32_t at) const {
    const Instruction& in = code_.f.instructions[at];
    if (in.guard || in.dst.size() != 1 || !is_register(in.dst[0]) || in.dst[0].negate) return false;
    const auto operands = [&](size_t count) {
      return in.src.size() >= count && std::all_of(in.src.begin(), in.src.begin() + static_cast<std::ptrdiff_t>(count),
                                                   [&](const Operand& o) { return is_operand(o, at); });
    };
    if (in.op == Opcode::Setp) {
      if (ir::is_float(in.type) || ir::bits(in.type) < 16 || !operands(2)) return false;
      if (std::ranges::find(kComparisons, in.mods.compare, &Comparison::compare) == std::end(kComparisons))
        return false;
      return in.mods.combine == ir::BoolOp::None || (in.src.size() == 3 && is_derived(in.src[2], at));
    }
    if (in.type == ir::Type::Pred)  // with others, it is as good as looked at
      return (logic(in.op) || in.op == Opcode::Not || in.op == Opcode::Mov) &&
             std::ranges::all_of(in.src, [&](const Operand& o) { return is_derived(o, at); });
    if (in.op == Opcode::Mov) return in.src.size() == 1 && is_derived(in.src[0], at) && !in.src[0].negate;
    if (in.op == Opcode::Cvt)
      return !ir::is_float(in.type) && !ir::is_float(in.type2) && !in.mods.sat && in.src.size() == 1 &&
             ir::bits(in.type) >= 8 && ir::bits(in.type2) >= 8 && operands(1);
    return arithmetic(in) && operands(2);
  }
  bool grow() {
    bool grew = false;
    const auto known = derived_;
    for (const auto& [r, by] : known)
      for (const uint32_t user : code_.users[r]) {
        if (steps_.contains(user) || user == read_ || !code_.is_of(r, by, user) || !is_step(user)) continue;
        const RegisterId to = code_.f.instructions[user].dst[0].id;
        if (derived_.contains(to)) continue;
        derived_.emplace(to, user), steps_.insert(user);
        grew = true;
      }
    return grew;
  }
  // False: the value is looked at in other ways.
  bool find_answers() {
    for (const auto& [r, by] : derived_)
      for (const uint32_t user : code_.users[r]) {
        if (!code_.is_of(r, by, user)) return false;
        if (steps_.contains(user)) continue;
        if (is_handed_on(r, user) && handed_ == ir::kNone) {
          handed_ = user;
          continue;
        }
        if (!code_.is_predicate(r)) return false;
        const Instruction& in = code_.f.instructions[user];
        if (&in == code_.choice(code_.block[user]) && in.guard.reg == r)
          choices_.insert(code_.block[user]);
        else
          observed_.insert(r);
      }
    return true;
  }

  // ---- Its steps.

  uint8_t operand(const Operand& o, ir::Type type, Step& step) {
    if (is_immediate(o)) {
      step.immediate = o.bits;
      return ValueTest::kImmediate;
    }
    if (derived_.contains(o.id)) return step_of(o.id);
    if (const Instruction* by = code_.constant(o.id)) return constant(by->src[0].bits);
    const TestedValue::Other other{o.id, type};
    for (uint8_t i = 0; i < ValueTest::kOthers; ++i) {
      if (t_.others[i].id == ir::kNone) t_.others[i] = other;
      if (t_.others[i] == other) return ValueTest::kOther + i;
    }
    fits_ = false;
    return ValueTest::kValue;
  }
  uint8_t truth(const Operand& o) {
    const uint8_t of = step_of(o.id);
    return o.negate ? add({.op = Op::Not, .a = of}) : of;
  }
  uint8_t step_of(RegisterId r) {
    const auto found = results_.find(r);
    if (found != results_.end()) return found->second;
    const uint8_t result = compute(derived_.at(r));
    results_.emplace(r, result);
    return result;
  }
  uint8_t compute(uint32_t at) {
    const Instruction& in = code_.f.instructions[at];
    Step step{.bits = static_cast<uint8_t>(ir::bits(in.type))};
    if (at == read_) {
      step.op = ir::is_signed(in.type) ? Op::SignExtend : Op::ZeroExtend;
      return add(step);
    }
    if (in.op == Opcode::Setp) return compare(in, step);
    if (in.type == ir::Type::Pred) {
      step.bits = 64;
      step.a = truth(in.src[0]);
      if (in.op == Opcode::Mov) return step.a;
      step.op = Op::Not;
      if (const auto op = logic(in.op)) step.op = *op, step.b = truth(in.src[1]);
      return add(step);
    }
    if (in.op == Opcode::Mov) return step_of(in.src[0].id);
    if (in.op == Opcode::Cvt) {
      step.op = ir::is_signed(in.type2) ? Op::SignExtend : Op::ZeroExtend;
      step.bits = static_cast<uint8_t>(std::min(ir::bits(in.type), ir::bits(in.type2)));
      step.a = operand(in.src[0], in.type2, step);
      return add(step);
    }
    step.op = *arithmetic(in);
    const bool shifts = step.op == Op::ShiftLeft || step.op == Op::ShiftRight;
    step.a = operand(in.src[0], in.type, step);
    step.b = operand(in.src[1], shifts ? ir::Type::U32 : in.type, step);
    return add(step);
  }
  uint8_t compare(const Instruction& in, Step step) {
    const auto* row = std::ranges::find(kComparisons, in.mods.compare, &Comparison::compare);
    step.op = row->op == Op::Less && row->is_signed && ir::is_signed(in.type) ? Op::LessSigned : row->op;
    step.a = operand(in.src[0], in.type, step);
    step.b = operand(in.src[1], in.type, step);
    if (row->swapped) std::swap(step.a, step.b);
    uint8_t result = add(step);
    if (row->negated) result = add({.op = Op::Not, .a = result});
    if (in.mods.combine == ir::BoolOp::None) return result;
    const Op op = in.mods.combine == ir::BoolOp::And ? Op::And : in.mods.combine == ir::BoolOp::Or ? Op::Or : Op::Xor;
    return add({.op = op, .a = result, .b = truth(in.src[2])});
  }

  // ---- Where its branches lead.

  // It does nothing but decide, and go on.
  [[nodiscard]] bool only_decides(BlockId b) const {
    const ir::Block& block = code_.f.blocks[b];
    for (uint32_t i = block.first; i < block.end; ++i) {
      const Instruction& in = code_.f.instructions[i];
      const bool constant = in.dst.size() == 1 && is_register(in.dst[0]) && code_.constant(in.dst[0].id) == &in;
      if (!steps_.contains(i) && !constant && !(in.op == Opcode::Bra && i + 1 == block.end)) return false;
    }
    return true;
  }
  // A block with a choice that follows from another such one alone.
  [[nodiscard]] bool is_continued(BlockId b) const {
    const auto& before = code_.flow.predecessors[b];
    return before.size() == 1 && before[0] != b && choices_.contains(before[0]) && choices_.contains(b) &&
           only_decides(b);
  }
  // A number of where the lanes go on.
  uint8_t way(BlockId to) {
    for (size_t jumps = 0; to != ir::kExit && jumps < code_.f.blocks.size(); ++jumps) {
      if (is_continued(to)) return outcome(to);
      if (code_.f.blocks[to].successors.size() != 1 || !only_decides(to)) break;
      to = code_.f.blocks[to].successors[0];
    }
    const auto number = ways_.emplace(to, ways_.size()).first->second;
    return constant(number);
  }
  uint8_t outcome(BlockId b) {
    if (!fits_) return ValueTest::kValue;
    const Instruction& branch = *code_.choice(b);
    const auto& to = code_.f.blocks[b].successors;
    const uint8_t truth = step_of(branch.guard.reg);
    const uint8_t taken = way(to[0]), other = way(to[1]);
    return add({.op = Op::Choose,
                .a = truth,
                .b = branch.guard.negate ? other : taken,
                .c = branch.guard.negate ? taken : other});
  }

  const Code& code_;
  const uint32_t read_;
  TestedValue t_;
  bool fits_ = true;
  uint32_t joined_ = 0;
  std::map<RegisterId, uint32_t> derived_;  // and the instruction that writes it
  std::set<uint32_t> steps_;                // such instructions, beside the read
  std::map<RegisterId, uint8_t> results_;   // its step
  std::set<BlockId> choices_;               // whose branch it decides
  std::set<RegisterId> observed_;           // predicates that decide something else
  uint32_t handed_ = ir::kNone;             // the store by which it is handed on
  std::map<BlockId, uint64_t> ways_;
};

}  // namespace

std::map<uint32_t, TestedValue> value_tests(const ir::Function& f, const ControlFlow& flow) {
  std::map<uint32_t, TestedValue> all;
  if (std::ranges::none_of(f.instructions, may_be_tested)) return all;
  const Code code(f, flow);
  for (uint32_t i = 0; i < f.instructions.size(); ++i)
    if (may_be_tested(f.instructions[i]) && (call_slot(f.instructions[i]) == ir::kNone || code.may_be_handed(i)))
      if (auto test = Test(code, i).make()) all.emplace(i, std::move(*test));
  return all;
}

}  // namespace drywarp::analysis
