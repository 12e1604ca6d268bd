#include "model/sass/passes/unroll.h"

#include <algorithm>
#include <map>
#include <set>

#include "model/machine/machine_code.h"
#include "model/sass/passes/loop_weight.h"
#include "model/sass/passes/passes.h"
#include "model/sass/select/select.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

// A loop with a count that only the launch knows is unrolled by four, the remainder by two and one, if it is light
// (loop_weight.h).
constexpr unsigned kUnrolled[] = {4, 2};

// A loop from a constant to a constant becomes straight code if its iterations weigh at most kWholeLoop in all, and
// more, by kForSaved, the larger the share of instructions that straight code saves: the counter, and addresses that
// follow from it. A load weighs kLoadWeight. Tuned on 295 generated loops: 28 bodies of 1 to 64 FFMA with 0 to 16
// loads, at addresses computed from the counter or stepped, each with 10 or 11 counts from 4 to 1000. Whether straight
// code results is right in 292 of them.
constexpr unsigned kWholeLoop = 280, kForSaved = 2500, kLongestWhole = 1300, kLoadWeight = 2;
// Otherwise as many iterations as weigh this much, a divisor of the count if there is one of at least half as many.
// Heavier bodies stay as they are. Of the same loops: whether a part is unrolled in 109 of 109, how much in 59 of 69.
constexpr unsigned kPartOfLoop = 340, kHeaviestPart = 75, kFewestCopies = 3;

unsigned weight_of(const Instruction& c) {
  const bool atomic = c.role == Role::Effect && (c.op == Atomg || c.op == Red || c.op == Atoms);
  // MUFU.SIN and MUFU.COS count together with the FMUL before them.
  const bool of_angle = c.op == Mufu && (c.form.function == Function::Sin || c.form.function == Function::Cos);
  constexpr unsigned kAtomic = 8;  // assumed
  return of_angle ? 0 : atomic ? kAtomic : issued(c);
}

// Loops with calls, with lanes that part, or with exchanges of lanes that can have parted stay as they are.
bool stays_one(const Instruction& c) { return is_call(c) || c.op == Bssy || c.op == Warpsync || c.for_exchange; }

using Code = std::vector<const Instruction*>;

Code code_of(const CodeBlock& block) {
  Code code;
  for (const Instruction& c : block.code) code.push_back(&c);
  return code;
}

// The only instruction that writes the register, always; null: there is none.
const Instruction* written_by(const Code& code, Register r) {
  const Instruction* found = nullptr;
  for (const Instruction* c : code)
    for (const Register d : c->destination) {
      if (d != r) continue;
      if (found || c->guard) return nullptr;
      found = c;
    }
  return found;
}

std::optional<int64_t> step_in(const Code& code, Register r) {
  const Instruction* add = written_by(code, r);
  if (add && add->role == Role::Copy && add->source[0].is_register()) add = written_by(code, add->source[0].reg);
  const bool adds = add && lane_form(add->op) == Iadd3 && is_plain(*add) && add->destination[1] == kNone &&
                    add->source[0].is_register() && add->source[0].reg == r && add->source[0].modifiers == 0 &&
                    add->source[1].is_immediate() && !add->source[2];
  if (!adds) return std::nullopt;
  return add->wide ? static_cast<int64_t>(add->source[1].value) : static_cast<int32_t>(add->source[1].value);
}

bool holds(ir::Compare compare, int64_t a, int64_t b) {
  switch (compare) {
    case ir::Compare::Eq:
      return a == b;
    case ir::Compare::Ne:
      return a != b;
    case ir::Compare::Lt:
      return a < b;
    case ir::Compare::Le:
      return a <= b;
    case ir::Compare::Gt:
      return a > b;
    case ir::Compare::Ge:
      return a >= b;
    default:
      return false;
  }
}

class Loop {
 public:
  // `rest`: the blocks behind the one that leaves the loop; none: the last block leaves it.
  Loop(const Kernel& kernel, const Flow& flow, std::span<const Step> path, std::span<const uint32_t> rest = {})
      : kernel_(kernel), flow_(flow), path_(path), head_(path[0].block), rest_(rest), code_(code_of(block(head_))) {
    for (const uint32_t b : rest) {
      const Code behind = code_of(block(b));
      code_.insert(code_.end(), behind.begin(), behind.end());
    }
  }

  [[nodiscard]] Unrolling find() const {
    if (forbids_unrolling(*kernel_.function, head_)) return {};
    if (const std::optional<Counted> counted = count()) return of_counted(*counted);
    return rest_.empty() ? at_run_time() : Unrolling{};
  }

 private:
  struct Counted {
    Register counter = kNone;
    unsigned iterations = 0;
    Source goes_on{};  // a predicate that must hold, too
  };

  // The register's value before the loop, if its only write outside is of a constant, of a constant variable's address,
  // or of a place behind it.
  [[nodiscard]] std::optional<Start> constant_before(Register r) const {
    const Instruction* sets = nullptr;
    for (uint32_t b = 0; b < kernel_.blocks.size(); ++b) {
      if (b == head_ || std::ranges::find(rest_, b) != rest_.end()) continue;
      for (const Instruction& c : block(b).code)
        for (const Register d : c.destination) {
          if (d != r) continue;
          if (c.guard || sets || !flow_.dominates(b, head_)) return std::nullopt;
          sets = &c;
        }
    }
    if (!sets) return std::nullopt;
    if (lane_form(sets->op) == Mov && !sets->wide && sets->source[0].is_immediate())
      return Start{.reg = r, .value = sets->source[0]};
    const bool adds = lane_form(sets->op) == Iadd3 && sets->wide && is_plain(*sets) && sets->destination[1] == kNone &&
                      sets->source[1].is_immediate() && !sets->source[2];
    const std::optional<Source> address = variable_at(adds ? sets->source[0] : Source::of(r));
    if (!address) return std::nullopt;
    return Start{.reg = r, .value = *address, .offset = adds ? sets->source[1].value : 0};
  }

  // The constant variable's address that the operand is, or that its register's only write outside the loop is of.
  [[nodiscard]] std::optional<Source> variable_at(const Source& s) const {
    if (s.modifiers == 0 && constant_variable_at(*kernel_.module, s)) return s;
    if (!s.is_register() || s.modifiers != 0) return std::nullopt;
    std::optional<Source> found;
    for (uint32_t b = 0; b < kernel_.blocks.size(); ++b) {
      if (b == head_ || std::ranges::find(rest_, b) != rest_.end()) continue;
      for (const Instruction& c : block(b).code)
        for (const Register d : c.destination) {
          if (d != s.reg) continue;
          const bool moves = c.op == Ldc || c.op == Uldc || lane_form(c.op) == Mov;
          if (found || c.guard || !moves || !constant_variable_at(*kernel_.module, c.source[0])) return std::nullopt;
          found = c.source[0];
        }
    }
    return found;
  }

  // The counter and the count of a loop from a constant to a constant.
  [[nodiscard]] std::optional<Counted> count() const {
    const auto& code = block(head_).code;
    if (path_.size() != 1 || code.empty() || code.back().op != Bra) return std::nullopt;
    if (!code.back().guard || code.back().guard_negated) return std::nullopt;
    const uint32_t repeats = rest_.empty() ? head_ : rest_[0];  // where an iteration that is not the last goes on
    const bool taken_to_repeat = kernel_.function->blocks[head_].successors[0] == repeats;
    if (!taken_to_repeat && rest_.empty()) return std::nullopt;
    if (std::ranges::any_of(code_, [](const Instruction* c) { return stays_one(*c) || c->op == Bar; }))
      return std::nullopt;
    const Instruction* compare = written_by(code_, code.back().guard.reg);
    if (compare && compare->op == Plop3 && compare->source[0].is_register() && !compare->source[1])
      compare = written_by(code_, compare->source[0].reg);  // a uniform predicate
    if (!compare) return std::nullopt;
    // `counter < limit && other`
    Source goes_on;
    Instruction alone = *compare;
    if (compare->op == Isetp && compare->source[2] && compare->form.table == kAnd && rest_.empty()) {
      goes_on = compare->source[2];
      alone.source = {compare->source[0], compare->source[1]};
      alone.form.table = 0;
    }
    if (!is_comparison(alone) || compare->wide) return std::nullopt;
    if (!compare->source[0].is_register() || !compare->source[1].is_immediate()) return std::nullopt;
    // The comparison sees the counter's next value, or the one that this iteration has.
    const Instruction* next = written_by(code_, compare->source[0].reg);
    if (!next || !next->source[0].is_register()) return std::nullopt;
    const bool sees_next = std::ranges::find(code_, next) < std::ranges::find(code_, compare);
    const Register counter = sees_next ? next->source[0].reg : compare->source[0].reg;
    const std::optional<int64_t> by = step_in(code_, counter);
    const std::optional<Start> start = constant_before(counter);
    if (!by || !start || !start->value.is_immediate()) return std::nullopt;
    const auto to = static_cast<int32_t>(compare->source[1].value);
    int64_t at = static_cast<int32_t>(start->value.value) + (sees_next ? *by : 0);
    constexpr unsigned kMost = 1u << 16;  // where more, ptxas unrolls a part in any case
    for (unsigned count = 1; count <= kMost; ++count, at += *by)
      if (holds(compare->form.compare, at, to) != taken_to_repeat) return Counted{counter, count, goes_on};
    return Counted{counter, kMost, goes_on};
  }

  // All iterations, or fewer where another condition can end the loop. Of 110 such loops of 2 to 64 iterations, 97
  // become straight code where ptxas makes it. The other 13 are too heavy here, and not for ptxas.
  [[nodiscard]] static std::vector<unsigned> up_to(const Counted& loop) {
    std::vector<unsigned> copies{loop.iterations};
    while (loop.goes_on && copies.back() > 1) copies.push_back(copies.back() - 1);
    return copies;
  }

  [[nodiscard]] Unrolling of_counted(const Counted& loop) const {
    // Known in straight code: what follows from what steps by a constant, and from values that the loop does not write.
    std::set<Register> written, known;
    for (const Instruction* c : code_)
      for (const Register d : c->destination)
        if (d != kNone) written.insert(d);
    std::vector<Start> starts;
    for (const Register r : written) {
      const std::optional<Start> start = step_in(code_, r) ? constant_before(r) : std::nullopt;
      if (!start) continue;
      starts.push_back(*start);
      known.insert(r);
    }
    unsigned weight = 0, saved = 0;
    for (const Instruction* in : code_) {
      const Instruction& c = *in;
      if (loads_literal(kernel_, c)) continue;
      bool follows = c.role == Role::Pure || c.role == Role::Branch || c.role == Role::Copy;
      for_each_source(
          c, [&](const Source& s) { follows = follows && (!written.contains(s.reg) || known.contains(s.reg)); });
      // A load of a constant variable is an operand there.
      if (c.space == AddressSpace::Const && c.source[0].is_register() && known.contains(c.source[0].reg)) continue;
      if (follows) {
        const bool shifts_and_adds = c.op == Lea || c.op == Ulea;
        saved += issued(c) + (shifts_and_adds ? 1 : 0);
        for (const Register d : c.destination)
          if (d != kNone) known.insert(d);
        continue;
      }
      const bool steps = c.destination[0] != kNone && step_in(code_, c.destination[0]).has_value();
      if (!steps) weight += c.role == Role::Load ? kLoadWeight : weight_of(c);
    }
    weight = std::max(weight, 1u);
    const unsigned whole = std::min(kWholeLoop + kForSaved * saved / weight, kLongestWhole);
    const auto steps = loop.iterations * (1 + rest_.size()) - rest_.size();
    if (steps <= machine::kLongestPath && loop.iterations * weight <= whole)
      return {.copies = up_to(loop), .starts = std::move(starts), .goes_on = loop.goes_on};
    if (!rest_.empty() || loop.goes_on) return {};
    const unsigned most = std::min(kPartOfLoop / weight, machine::kLongestPath);
    if (weight + saved > kHeaviestPart || most < kFewestCopies || loop.iterations < kFewestCopies) return {};
    for (unsigned copies = std::min(most, loop.iterations); 2 * copies >= most && copies >= kFewestCopies; --copies)
      if (loop.iterations % copies == 0) return {.copies = {copies}, .starts = {}};
    Unrolling unrolling{.copies = {most}, .starts = {}};
    if (loop.iterations % most > 1) unrolling.copies.push_back(loop.iterations % most);
    return unrolling;
  }

  // At the barrier of a predicated side no lanes meet.
  [[nodiscard]] bool of_predicated_side(const Instruction& c) const {
    return c.op == Bssy &&
           std::ranges::any_of(path_, [&](const Step& s) { return s.block == c.target && !s.optional; });
  }

  // Of a loop that steps a counter by a constant and compares it with a loop invariant.
  [[nodiscard]] Unrolling at_run_time() const {
    std::map<Register, const Instruction*> made;
    std::map<Register, unsigned> times;
    LoopWeight weight;
    const bool branches = std::ranges::any_of(path_, [](const Step& s) { return s.optional; });
    for (const Step& s : path_) {
      weight.add(kernel_, s);
      for (const Instruction& c : kernel_.blocks[s.block].code) {
        for (Register d : c.destination)
          if (d != kNone) made[d] = &c, ++times[d];
        // Nor was one of seven loops unrolled that has a barrier of the block and a branch.
        if ((stays_one(c) && !of_predicated_side(c)) || (branches && c.op == Bar)) return {};
      }
    }
    if (!weight.is_light()) return {};
    const auto& last = kernel_.blocks[path_.back().block].code;
    if (last.empty() || last.back().op != Bra || !last.back().guard) return {};
    auto compare = made.find(last.back().guard.reg);
    if (compare == made.end() || compare->second->op != Isetp || compare->second->source[2]) return {};
    if (compares_conversion(*compare->second)) return {};
    Unrolling found{.copies = {std::begin(kUnrolled), std::end(kUnrolled)}, .by_count = true};
    bool fixed = true;
    for (unsigned i = 0; i < 2; ++i) {
      const Source& s = compare->second->source[i];
      if (!s.is_register()) continue;
      auto add = made.find(s.reg);
      if (add == made.end()) continue;
      const Instruction& c = *add->second;
      const bool steps =
          lane_form(c.op) == Iadd3 && c.source[0].is_register() && c.source[1].is_immediate() && !c.source[2];
      // The sum must go to the register that it adds to.
      bool itself = steps && c.source[0].reg == s.reg;
      if (steps && !itself)
        if (auto copy = made.find(c.source[0].reg); copy != made.end())
          itself = copy->second->role == Role::Copy && copy->second->source[0].is_register() &&
                   copy->second->source[0].reg == s.reg;
      if (itself && times[s.reg] == 1 && found.counter == kNone)
        found.counter = s.reg, found.limit = compare->second->source[1 - i];
      else
        fixed = false;
    }
    if (found.counter == kNone || !fixed) return {};
    return weight.acts_together && !has_same_count(*compare->second, found.counter) ? Unrolling{} : found;
  }

  // Whether ptxas sees that all lanes repeat the loop equally often: the counter starts equally, and its limit is a
  // parameter or a constant itself. With anything else as a limit no loop was unrolled that has a barrier, an exchange
  // of lanes, a product of matrices, an atomic or a copy (17 of them with 14 limits).
  [[nodiscard]] bool has_same_count(const Instruction& compare, Register counter) const {
    const ir::Function& f = *kernel_.function;
    if (compare.instruction == kNone || counter >= flow_.uniform.size() || !flow_.uniform[counter]) return false;
    const auto is_given = [&](const ir::Operand& s) {
      if (s.kind != ir::Operand::Kind::Register || s.id == counter) return true;
      return std::ranges::all_of(f.instructions, [&](const ir::Instruction& in) {
        const bool writes = std::ranges::any_of(in.dst, [&](const ir::Operand& d) { return d.id == s.id; });
        return !writes || (in.op == ir::Opcode::Ld && in.mods.space == AddressSpace::Param);
      });
    };
    return std::ranges::all_of(f.instructions[compare.instruction].src, is_given);
  }

  // The low word of a counter of 64 bits (nvcc's, of an int that is an index, too) is no counter to ptxas 13: of 15
  // loops, the two that compare one are not unrolled.
  [[nodiscard]] bool compares_conversion(const Instruction& compare) const {
    if (compare.instruction == kNone) return false;
    const ir::Function& f = *kernel_.function;
    return std::ranges::any_of(f.instructions[compare.instruction].src, [&](const ir::Operand& s) {
      return s.kind == ir::Operand::Kind::Register && std::ranges::any_of(path_, [&](const Step& step) {
               const ir::Block& b = f.blocks[step.block];
               return std::any_of(f.instructions.begin() + b.first, f.instructions.begin() + b.end,
                                  [&](const auto& in) {
                                    return in.op == ir::Opcode::Cvt && in.dst.size() == 1 && in.dst[0].id == s.id;
                                  });
             });
    });
  }

  [[nodiscard]] const CodeBlock& block(uint32_t b) const { return kernel_.blocks[b]; }

  const Kernel& kernel_;
  const Flow& flow_;
  const std::span<const Step> path_;
  const uint32_t head_;
  const std::span<const uint32_t> rest_;
  Code code_;  // of `head_` and `rest_`
};

}  // namespace

unsigned issued(const Instruction& c) {
  if (c.role == Role::Copy || c.role == Role::Tuple) return 0;
  return c.wide ? 2 : 1;
}

std::optional<int64_t> step_of(const CodeBlock& block, Register r) { return step_in(code_of(block), r); }

Unrolling find_unrolling(const Kernel& kernel, const Flow& flow, std::span<const Step> path) {
  return Loop(kernel, flow, path).find();
}

Unrolling find_unrolling(const Kernel& kernel, const Flow& flow, uint32_t block) {
  const std::vector<uint32_t>& next = kernel.function->blocks[block].successors;
  if (flow.loops[block].empty() || next.size() != 2 || std::ranges::find(next, block) == next.end()) return {};
  const Step path[] = {{block, false}};
  return find_unrolling(kernel, flow, path);
}

Unrolling find_unrolling(const Kernel& kernel, const Flow& flow, uint32_t head, std::span<const uint32_t> rest) {
  const Step path[] = {{head, false}};
  return Loop(kernel, flow, path, rest).find();
}

}  // namespace drywarp::sass
