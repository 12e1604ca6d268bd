#include <algorithm>
#include <map>

#include "model/sass/passes/passes.h"
#include "model/sass/passes/unroll.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

// A loop's literals are loaded before it while its instructions and literals weigh at most this much. Read from ptxas
// 13's code for 9.0, -O3, of 240 generated loops: chains of 1 to 48 FFMA with one and two literals, beside loads,
// stores, atomics, barriers, shuffles and MUFU, of DFMA, and of integers; right in all of them.
constexpr double kHeaviest = 28, kForLiteral = 3;

double weight_of(const Instruction& c) {
  // Any load from beyond the SM keeps the literals in the loop.
  constexpr double kRead = kHeaviest, kAccess = 3, kTranscendental = 0.5, kDouble = 1.5, kShift = 0.5;
  const unsigned slots = issued(c);
  if (c.role == Role::Load) return c.space == AddressSpace::Shared ? slots + kAccess : kRead;
  if (c.role == Role::Effect && c.space != AddressSpace::None) return slots + kAccess;
  switch (c.op) {
    case Mufu:
      return slots + kTranscendental;
    case Dfma:
    case Dmul:
    case Dadd:
      return slots + kDouble;
    case Shf:
      return slots + kShift;
    default:
      return slots;
  }
}

class LiteralHoister {
 public:
  LiteralHoister(Kernel& kernel, const Flow& flow) : kernel_(kernel), flow_(flow) {}

  void run() {
    std::map<uint32_t, std::vector<uint32_t>> loops;  // blocks, by header
    for (uint32_t b = 0; b < kernel_.blocks.size(); ++b)
      for (const uint32_t header : flow_.loops[b]) loops[header].push_back(b);
    for (const auto& [header, blocks] : loops) {
      const bool innermost = std::ranges::all_of(blocks, [&](uint32_t b) { return flow_.loops[b].back() == header; });
      if (innermost && flow_.dominator[header] != header && fits(header, blocks))
        hoist(flow_.dominator[header], blocks);
    }
    repeat_doubles();
    share_doubles();
  }

 private:
  // How many iterations of the loop are one after ptxas has unrolled it.
  [[nodiscard]] unsigned copies(uint32_t header, const std::vector<uint32_t>& blocks) const {
    if (blocks.size() != 1) return 1;
    const Unrolling unrolling = find_unrolling(kernel_, flow_, header);
    return unrolling.copies.empty() ? 1 : unrolling.copies[0];
  }

  [[nodiscard]] bool fits(uint32_t header, const std::vector<uint32_t>& blocks) const {
    double once = 0, each = 0;  // in an iteration of the unrolled loop, and of the loop
    std::map<uint64_t, unsigned> literals;
    for (const uint32_t b : blocks) {
      const auto& code = kernel_.blocks[b].code;
      for (const Instruction& c : code)
        if (is_literal(c))
          literals[c.source[0].value] = issued(c);
        else
          (counts(kernel_.blocks[b], c) ? once : each) += weight_of(c);
    }
    double weight = once + each * copies(header, blocks);
    for (const auto& [value, words] : literals) weight += kForLiteral * words;
    return weight <= kHeaviest;
  }

  // Steps of counters and addresses, comparisons and branches: unrolled code has one for all iterations.
  [[nodiscard]] static bool counts(const CodeBlock& block, const Instruction& c) {
    if (c.role == Role::Branch || is_comparison(c)) return true;
    return c.destination[0] != kNone && step_of(block, c.destination[0]).has_value();
  }

  void hoist(uint32_t to, const std::vector<uint32_t>& blocks) {
    std::map<std::pair<uint64_t, bool>, Register> made;
    std::map<Register, Register> same;
    std::vector<Instruction> moved;
    for (const uint32_t b : blocks) {
      auto& code = kernel_.blocks[b].code;
      for (Instruction& c : code) {
        if (!is_literal(c)) continue;
        const auto [first, is_new] = made.try_emplace({c.source[0].value, c.wide}, c.destination[0]);
        if (is_new)
          moved.push_back(c);
        else
          same[c.destination[0]] = first->second;
        c.dead = true;
      }
      std::erase_if(code, [](const Instruction& c) { return c.dead; });
      for (Instruction& c : code)
        for (Source& s : c.source)
          if (const auto other = s.is_register() ? same.find(s.reg) : same.end(); other != same.end())
            s.reg = other->second;
    }
    auto& code = kernel_.blocks[to].code;
    const auto at = before_branches(code);
    code.insert(at, moved.begin(), moved.end());
  }

  // The program may have one register for a double that several blocks read: to ptxas it is a literal in each.
  void repeat_doubles() {
    std::map<Register, std::pair<uint32_t, Instruction>> made;
    for (uint32_t b = 0; b < kernel_.blocks.size(); ++b)
      for (const Instruction& c : kernel_.blocks[b].code)
        if (c.op == Umov && is_literal(c)) made.emplace(c.destination[0], std::pair(b, c));
    for (uint32_t b = 0; b < kernel_.blocks.size(); ++b) {
      std::map<Register, Register> here;  // by the register that the program reads
      std::vector<Instruction> out;
      for (Instruction& c : kernel_.blocks[b].code) {
        if (ends_slow_path(c) || is_call(c)) here.clear();
        if (c.op == Umov && is_literal(c)) here[c.destination[0]] = c.destination[0];
        for_each_source(c, [&](Source& s) {
          const auto literal = made.find(s.reg);
          if (literal == made.end() || holds(literal->second.first, b)) return;
          const auto [own, is_new] = here.try_emplace(s.reg, kNone);
          if (is_new) {
            Instruction load = literal->second.second;
            own->second = kernel_.make(2, RegisterFile::Uniform);
            load.destination.set(0, own->second);
            out.push_back(load);
          }
          s.reg = own->second;
        });
        out.push_back(c);
      }
      kernel_.blocks[b].code = std::move(out);
    }
  }

  // Uniform registers are plentiful: a double that a block before the loop, or the loop before the block, has loaded is
  // still there, unless a subroutine has run since. Within a loop each block loads its own.
  void share_doubles() {
    std::map<uint64_t, std::vector<std::pair<uint32_t, Register>>> made;  // by value: blocks and registers
    std::map<Register, Register> same;
    for (uint32_t b = 0; b < kernel_.blocks.size(); ++b) {
      auto& code = kernel_.blocks[b].code;
      for (Instruction& c : code) {
        if (ends_slow_path(c) || is_call(c))
          for (auto& [value, known] : made) std::erase_if(known, [&](const auto& one) { return one.first == b; });
        if (c.op != Umov || !is_literal(c)) continue;
        auto& known = made[c.source[0].value];
        const auto first = std::ranges::find_if(known, [&](const auto& other) { return holds(other.first, b); });
        if (first == known.end())
          known.emplace_back(b, c.destination[0]);
        else
          same[c.destination[0]] = first->second, c.dead = true;
      }
      std::erase_if(code, [](const Instruction& c) { return c.dead; });
    }
    for (CodeBlock& block : kernel_.blocks)
      for (Instruction& c : block.code)
        for (Source& s : c.source)
          if (const auto other = s.is_register() ? same.find(s.reg) : same.end(); other != same.end())
            s.reg = other->second;
  }
  [[nodiscard]] bool holds(uint32_t from, uint32_t at) const {
    const auto& around = flow_.loops[at];
    return from != at && flow_.dominates(from, at) && (around.empty() || flow_.loops[from] != around);
  }

  [[nodiscard]] bool is_literal(const Instruction& c) const { return loads_literal(kernel_, c); }

  Kernel& kernel_;
  const Flow& flow_;
};

}  // namespace

bool loads_literal(const Kernel& kernel, const Instruction& c) {
  return moves_literal(c) && c.role == Role::Pure && !c.guard && !is_repeated(c) &&
         c.destination[0] >= kernel.function->registers.size() && c.destination[1] == kNone;
}

void hoist_literals(Kernel& kernel, const Flow& flow) { LiteralHoister(kernel, flow).run(); }

}  // namespace drywarp::sass
