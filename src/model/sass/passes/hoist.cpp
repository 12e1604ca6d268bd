#include <algorithm>
#include <set>

#include "model/sass/passes/passes.h"

namespace drywarp::sass {
namespace {

class Hoister {
 public:
  Hoister(Kernel& kernel, const Flow& flow) : kernel_(kernel), flow_(flow), writes_(count_writes(kernel)) {}

  void run() {
    std::vector<uint32_t> headers;
    for (uint32_t b = 0; b < kernel_.blocks.size(); ++b)
      if (!flow_.loops[b].empty() && flow_.loops[b].back() == b) headers.push_back(b);
    std::ranges::stable_sort(headers, std::ranges::less{}, [&](uint32_t h) { return flow_.loops[h].size(); });
    for (const uint32_t header : headers) hoist_loads(header);
    std::ranges::stable_sort(headers, std::ranges::greater{}, [&](uint32_t h) { return flow_.loops[h].size(); });
    for (const uint32_t header : headers) hoist_from(header);
  }

 private:
  [[nodiscard]] bool is_in(uint32_t block, uint32_t header) const {
    return std::ranges::find(flow_.loops[block], header) != flow_.loops[block].end();
  }
  // The block that runs right before the loop and nothing else; kNone: there is none.
  [[nodiscard]] uint32_t before(uint32_t header) const {
    uint32_t found = kNone;
    for (const uint32_t p : flow_.control.predecessors[header]) {
      if (is_in(p, header)) continue;
      if (found != kNone || kernel_.function->blocks[p].successors.size() != 1) return kNone;
      found = p;
    }
    return found;
  }
  [[nodiscard]] bool runs_in_each_iteration(uint32_t block, uint32_t header) const {
    return std::ranges::all_of(flow_.control.predecessors[header],
                               [&](uint32_t p) { return !is_in(p, header) || flow_.dominates(block, p); });
  }
  // The loop's own blocks that run in each iteration, before any branch that leaves it, and any loop inside.
  [[nodiscard]] std::vector<uint32_t> first_blocks(uint32_t header) const {
    std::vector<uint32_t> blocks;
    for (const uint32_t b : flow_.control.order) {
      if (!is_in(b, header)) continue;
      if (flow_.loops[b].back() != header) break;
      if (runs_in_each_iteration(b, header)) blocks.push_back(b);
      if (std::ranges::any_of(kernel_.function->blocks[b].successors,
                              [&](uint32_t next) { return next == ir::kExit || !is_in(next, header); }))
        break;
    }
    return blocks;
  }
  // Loads of read-only data that find the same in each iteration, with what follows from them alone. nvcc leaves them
  // in a loop with stores. (ptxas 13: of 50 generated loops all, but for those with fences or subroutines.)
  void hoist_loads(uint32_t header) {
    const uint32_t to = before(header);
    if (to == kNone) return;
    std::set<Register> written, found;
    for (const uint32_t b : flow_.control.order) {
      if (!is_in(b, header)) continue;
      for (const Instruction& c : kernel_.blocks[b].code) {
        if (is_call(c) || c.clobbers != 0 || c.op == machine::Operation::Membar) return;
        written.insert(c.destination.begin(), c.destination.end());
      }
    }
    std::vector<Instruction> moved;
    for (const uint32_t b : first_blocks(header)) {
      for (Instruction& c : kernel_.blocks[b].code) {
        const bool load = c.role == Role::Load && c.read_only;
        bool follows = false;
        for_each_source(c, [&](const Source& s) { follows = follows || found.contains(s.reg); });
        if (c.guard || !(load || (follows && c.role == Role::Pure)) || !is_invariant(c, written)) continue;
        for (const Register d : c.destination) written.erase(d), found.insert(d);
        c.ahead = load;
        moved.push_back(c);
        c.dead = true;
      }
      std::erase_if(kernel_.blocks[b].code, [](const Instruction& c) { return c.dead; });
    }
    std::vector<Instruction>& code = kernel_.blocks[to].code;
    code.insert(before_branches(code), moved.begin(), moved.end());
  }
  [[nodiscard]] bool can_move(const Instruction& c, const std::set<Register>& written) const {
    if (c.role != Role::Pure || c.guard || c.instruction == kNone) return false;
    const ir::Instruction& in = kernel_.function->instructions[c.instruction];
    if (is_signed_division(c)) return false;
    const bool division = is_division(c);
    if (!innermost_ || (division ? ir::is_float(in.type) && !in.mods.approx && !in.mods.full : !is_simple(c)))
      return false;
    bool any = division;
    for_each_source(c, [&](const Source&) { any = true; });
    return any && is_invariant(c, written);
  }
  [[nodiscard]] bool is_invariant(const Instruction& c, const std::set<Register>& written) const {
    bool invariant = true;
    for_each_source(c, [&](const Source& s) { invariant = invariant && !written.contains(s.reg); });
    for (const Register d : c.destination) invariant = invariant && (d == kNone || writes_[d] == 1);
    return invariant;
  }

  [[nodiscard]] bool is_division(const Instruction& c) const {
    return c.instruction != kNone && divides(kernel_.function->instructions[c.instruction]);
  }
  [[nodiscard]] bool is_signed_division(const Instruction& c) const {
    return is_division(c) && ir::is_signed(kernel_.function->instructions[c.instruction].type);
  }

  // Whether an instruction of another division reads the register.
  [[nodiscard]] bool is_shared(Register r, uint32_t division) const {
    return std::ranges::any_of(kernel_.blocks, [&](const CodeBlock& block) {
      return std::ranges::any_of(block.code, [&](const Instruction& c) {
        bool reads = false;
        for_each_source(c, [&](const Source& s) { reads |= s.reg == r; });
        return reads && c.instruction != division;
      });
    });
  }

  // Of signed divisions only the first one has its reciprocal before the loop, if it is in the loop's first block and
  // no other one shares it. The divisor's absolute value is before the loop, for comparisons, and in it once more.
  // Returns the instructions that move, in order.
  [[nodiscard]] std::vector<Instruction> take_signed_reciprocal(std::vector<Instruction>& code,
                                                                const std::set<Register>& written) {
    using enum machine::Operation;
    const auto first = std::ranges::find_if(code, [&](const Instruction& c) { return is_signed_division(c); });
    if (first == code.end()) return {};
    const uint32_t division = first->instruction;
    const auto step = [&](Operation op) {
      return std::ranges::find_if(code, [&](const Instruction& c) { return c.instruction == division && c.op == op; });
    };
    const auto from = step(I2f), to = step(ImadHi);
    if (from == code.end() || to < from || step(Mufu) == code.end() || is_shared(to->destination[0], division))
      return {};
    const auto absolute = std::ranges::find_if(code, [&](const Instruction& c) {
      return c.op == Iabs && c.instruction == division && c.destination[0] == from->source[0].reg;
    });
    if (absolute == code.end() || !is_invariant(*absolute, written)) return {};
    const auto is_magnitude = [&](const Source& s) {
      return s.is_register() && s.modifiers == 0 && std::ranges::any_of(code, [&](const Instruction& c) {
               return c.op == Iabs && c.source[0] == absolute->source[0] && c.destination[0] == s.reg;
             });
    };
    std::vector<Instruction> moved{*absolute};
    const Register before = kernel_.make();
    writes_.push_back(1);
    moved[0].destination.set(0, before);
    for (auto c = code.begin(); c != code.end(); ++c) {
      if (c->instruction != division) continue;
      const bool moves = c >= from && c <= to;
      if (moves || c->op == Isetp)
        for (Source& s : c->source)
          if (is_magnitude(s)) s = Source::of(before);
      if (moves) moved.push_back(*c);
    }
    code.erase(from, to + 1);
    return moved;
  }
  // Whether the last one's divisor is zero is tested before a loop of one block, unless another one shares the test.
  [[nodiscard]] std::vector<Instruction> take_last_zero_test(std::vector<Instruction>& code,
                                                             const std::set<Register>& written) {
    const auto last =
        std::find_if(code.rbegin(), code.rend(), [&](const Instruction& c) { return is_signed_division(c); });
    if (last == code.rend()) return {};
    const uint32_t division = last->instruction;
    const auto test = std::ranges::find_if(code, [&](const Instruction& c) {
      return c.instruction == division && c.op == machine::Operation::Isetp && c.source[1].is_immediate();
    });
    if (test == code.end() || is_shared(test->destination[0], division)) return {};
    // It reads the divisor's absolute value.
    const Register zero = test->source[0].reg;
    const auto absolute = std::ranges::find_if(
        code, [&](const Instruction& c) { return c.op == machine::Operation::Iabs && c.destination[0] == zero; });
    if (absolute == code.end() || !is_invariant(*absolute, written)) return {};
    std::vector<Instruction> moved{*test};
    moved[0].source.set(0, absolute->source[0]);
    code.erase(test);
    return moved;
  }

  // 32-bit integer arithmetic in an innermost loop. (ptxas 13, sm_90: all but shifts and products that go into what
  // takes them, of 20 generated kernels with one loop, or one in another, where they stay in the outer one. What is
  // made of words of 64 bits, and extensions of 16 bits for comparisons, stayed in the loops that were seen; but
  // shifts of 64 bits and extensions to 64 move if what takes them cannot shift or extend: of ten kernels all.)
  [[nodiscard]] bool is_simple(const Instruction& c) const {
    using enum machine::Operation;
    const bool integer = c.op == Shf || c.op == Lop3 || c.op == Iadd3 || c.op == Imad || c.op == Lea;
    const ir::Type type = kernel_.function->instructions[c.instruction].type;
    const bool shifts = c.op == Shf && c.destination[0] != kNone && kernel_.registers[c.destination[0]].words == 2 &&
                        (extends_word(c) || (c.wide && shift_of(c) != Shift::None));
    if (innermost_ && shifts && c.destination[1] == kNone) return true;
    return innermost_ && integer && ir::bits(type) == 32 && c.destination[0] != kNone && c.destination[1] == kNone &&
           kernel_.registers[c.destination[0]].words == 1;
  }

  void hoist_from(uint32_t header) {
    const uint32_t to = before(header);
    if (to == kNone) return;
    innermost_ = std::ranges::none_of(flow_.loops, [&](const auto& around) {
      const auto at = std::ranges::find(around, header);
      return at != around.end() && at + 1 != around.end();
    });
    std::vector<uint32_t> blocks;
    std::set<Register> written;
    for (const uint32_t b : flow_.control.order) {
      if (!is_in(b, header)) continue;
      if (runs_in_each_iteration(b, header)) blocks.push_back(b);
      for (const Instruction& c : kernel_.blocks[b].code) written.insert(c.destination.begin(), c.destination.end());
    }
    const auto calls = [](const Instruction& c) { return is_call(c) || c.clobbers != 0; };
    for (const uint32_t b : flow_.control.order)
      if (is_in(b, header) && std::ranges::any_of(kernel_.blocks[b].code, calls)) return;
    std::vector<Instruction*> invariant;
    std::set<uint32_t> reciprocals;  // the divisions whose reciprocal is invariant: not only their dividend is
    for (const uint32_t b : blocks)
      for (Instruction& c : kernel_.blocks[b].code) {
        if (!can_move(c, written)) continue;
        for (const Register d : c.destination) written.erase(d);
        invariant.push_back(&c);
        if (c.op == machine::Operation::Mufu) reciprocals.insert(c.instruction);
      }
    std::vector<Instruction> moved;
    for (Instruction* c : invariant)
      if (reciprocals.contains(c->instruction) || is_simple(*c)) moved.push_back(*c), c->dead = true;
    for (const uint32_t b : blocks) std::erase_if(kernel_.blocks[b].code, [](const Instruction& c) { return c.dead; });
    if (innermost_) {
      std::vector<Instruction>& first = kernel_.blocks[header].code;
      const bool alone = std::ranges::count_if(flow_.control.order, [&](uint32_t b) { return is_in(b, header); }) == 1;
      // In this order: the reciprocal's steps may hold the value that is tested.
      std::vector<Instruction> test;
      if (alone) test = take_last_zero_test(first, written);
      for (std::vector<Instruction> part : {take_signed_reciprocal(first, written), std::move(test)})
        moved.insert(moved.end(), part.begin(), part.end());
    }
    std::vector<Instruction>& code = kernel_.blocks[to].code;
    const auto at = before_branches(code);
    code.insert(at, moved.begin(), moved.end());
  }

  Kernel& kernel_;
  const Flow& flow_;
  std::vector<unsigned> writes_;
  bool innermost_ = false;
};

}  // namespace

void hoist_invariants(Kernel& kernel, const Flow& flow) { Hoister(kernel, flow).run(); }

}  // namespace drywarp::sass
