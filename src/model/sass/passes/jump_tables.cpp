#include <algorithm>
#include <limits>
#include <optional>

#include "model/sass/passes/passes.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

// ptxas 13 made tables of none of 27 chains of two cases, and of 54 of 54 chains of 3 to 8 with an even distance of up
// to 9; behind an ordered comparison, of 15 of 15 chains of two. That two are enough in a loop is assumed: where the
// value was loaded in the loop, none of 15.
constexpr size_t kFewestCases = 3, kFewestKnownCases = 2;
// The mean distance from case to case. Of 600 chains of 3 to 12 random cases, tables: below 5 in 231 of 231, from 5 to
// 10 in 183 of 309, above in 20 of 60.
constexpr int64_t kWidestSpacing = 5;

// "Branch if equal to a constant", at the end of a block.
struct Case {
  Register of = kNone;
  int64_t value = 0;
};

bool compares_word(const Instruction& c) {
  if (!is_comparison(c) || c.wide) return false;
  return c.source[0].is_register() && c.source[0].modifiers == 0 && c.source[1].is_immediate() &&
         ir::bits(c.form.type) == 32;
}
bool is_branch_on(const Instruction& branch, Register predicate) {
  return branch.op == Bra && branch.role == Role::Branch && branch.guard.is_register() && branch.guard.reg == predicate;
}

class Tables {
 public:
  Tables(Kernel& kernel, const Flow& flow) : kernel_(kernel), flow_(flow), reads_(kernel.registers.size()) {
    for (const CodeBlock& block : kernel.blocks)
      for (const Instruction& c : block.code) for_each_source(c, [&](const Source& s) { ++reads_[s.reg]; });
  }

  void run() {
    for (uint32_t b = 0; b < kernel_.blocks.size(); ++b)
      if (!done(b)) chain(b);
  }

 private:
  [[nodiscard]] const std::vector<uint32_t>& next(uint32_t b) const { return kernel_.function->blocks[b].successors; }
  [[nodiscard]] bool done(uint32_t b) const {
    return std::find(looked_up_.begin(), looked_up_.end(), b) != looked_up_.end();
  }

  [[nodiscard]] std::optional<Case> case_at(uint32_t b) const {
    const auto& code = kernel_.blocks[b].code;
    if (code.size() < 2 || next(b).size() != 2) return std::nullopt;
    const Instruction &compare = code[code.size() - 2], &branch = code.back();
    if (!compares_word(compare) || compare.form.compare != ir::Compare::Eq) return std::nullopt;
    if (!is_branch_on(branch, compare.destination[0]) || branch.guard_negated) return std::nullopt;
    if (reads_[compare.destination[0]] != 1) return std::nullopt;
    return Case{compare.source[0].reg, static_cast<int32_t>(compare.source[1].value)};
  }

  // Whether an ordered comparison of the value dominates the block.
  [[nodiscard]] bool bounded(uint32_t b, Register value) const {
    for (uint32_t at = b; flow_.dominator[at] != at && flow_.dominator[at] != kNone;) {
      at = flow_.dominator[at];
      const auto& code = kernel_.blocks[at].code;
      if (code.size() >= 2 && compares_word(code[code.size() - 2]) && code[code.size() - 2].source[0].reg == value &&
          code[code.size() - 2].form.compare != ir::Compare::Ne)
        return true;
    }
    return false;
  }

  void chain(uint32_t head) {
    std::vector<uint32_t> blocks;
    int64_t least = std::numeric_limits<int64_t>::max(), most = std::numeric_limits<int64_t>::min();
    Register value = kNone;
    for (uint32_t b = head;;) {
      const std::optional<Case> found = case_at(b);
      if (!found || (value != kNone && found->of != value)) break;
      if (b != head && (kernel_.blocks[b].code.size() != 2 || flow_.control.predecessors[b].size() != 1)) break;
      value = found->of;
      least = std::min(least, found->value), most = std::max(most, found->value);
      blocks.push_back(b);
      b = next(b)[1];
      if (b == ir::kExit || b == head) break;
    }
    const bool known = !flow_.loops[head].empty() || bounded(head, value);
    if (blocks.size() < (known ? kFewestKnownCases : kFewestCases)) return;
    if (most - least > kWidestSpacing * static_cast<int64_t>(blocks.size() - 1)) return;
    write(head, value, least, most);
    for (uint32_t b : blocks) {
      if (b != head) kernel_.blocks[b].code.clear();
      looked_up_.push_back(b);
    }
  }

  // Clamps the value to the table's range, loads the jump offset, and jumps.
  void write(uint32_t head, Register value, int64_t least, int64_t most) {
    auto& code = kernel_.blocks[head].code;
    const uint32_t instruction = code.back().instruction;
    code.resize(code.size() - 2);
    const auto emit = [&](Operation op, std::initializer_list<Source> sources, const Form& form = {}) {
      Instruction c;
      c.op = op;
      c.form = form;
      c.instruction = instruction;
      c.source = sources;
      c.destination.set(0, kernel_.make());
      code.push_back(c);
      return Source::of(c.destination[0]);
    };
    const Source size = Source::immediate(static_cast<uint64_t>(most - least + 1));
    const Form clamped{.type = ir::Type::U32, .compare = ir::Compare::Lt};
    Source index = Source::of(value);
    if (least == 0) {
      index = emit(Imnmx, {index, size}, clamped);
    } else {
      const Source from = emit(Mov, {Source::immediate(static_cast<uint32_t>(-least))});
      code.back().role = Role::Effect;  // stays at the jump, in loops, too
      Form sum = clamped;
      sum.minimum = Minimum::OfSum;
      index = emit(Imnmx, {index, from, size}, sum);
    }
    const Source scaled = emit(Shf, {index, Source::immediate(2)}, {.shift = Shift::Left});
    const Source low = emit(Ldc, {scaled});
    code.back().space = AddressSpace::Const;
    code.back().bytes = 4;
    const Source high = emit(Shf, {low, Source::immediate(31)}, {.shift = Shift::RightArithmetic});
    emit(Brx, {low, high});
    code.back().destination.set(0, kNone);
    code.back().role = Role::Branch;
  }

  Kernel& kernel_;
  const Flow& flow_;
  std::vector<unsigned> reads_;
  std::vector<uint32_t> looked_up_;
};

}  // namespace

void form_jump_tables(Kernel& kernel, const Flow& flow) { Tables(kernel, flow).run(); }

}  // namespace drywarp::sass
