#include <algorithm>
#include <map>
#include <set>

#include "language/analysis/passes.h"
#include "model/sass/passes/passes.h"
#include "model/sass/passes/unroll.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

// The bounds below are those of this pass's own counts. What ptxas 13 -O3 did for sm_90 with generated kernels, a case
// a length:
//
// A side of a branch is predicated up to this many instructions: alone, as one of two sides, of stores only. Alone,
// dependent arithmetic: 1 to 8 instructions in 32 of 32 cases, 9 to 12 in none of 16; with loads from shared memory 8,
// too. Each of two sides: 1 to 7 in 28 of 28, 8 in one of 4, 9 to 12 in none of 16. Stores to global or shared memory:
// 1 to 8 in 16 of 16, 9 to 12 in none of 8. Of two sides, the bound is assumed to be one less, as fits() counts copies,
// too.
constexpr unsigned kLongestSide = 8, kLongestOfTwo = 6, kLongestStores = 8;
// The kernel's first branch: of 1,100 kernels with a side of 6 to 22 dependent FFMA, all up to 20 are predicated, and
// none above, where the sides join in a block of six instructions or more, or in one that branches ahead by what it
// computes. Behind another branch, an exit or a barrier, and in loops, the bound is 8 in all of 800.
constexpr unsigned kLongestFirst = 20, kWork = 6, kWorkBeforeBranch = 2;
// Where loads from global memory overlap with the side: its own in a loop, if it stores nothing, or those of
// overlaps_reads(). Of 840 sides in a loop with 1 to 8 such loads, 0 to 8 from shared memory, and 0 to 20 FFMA, all up
// to 20 are predicated, and none above.
constexpr unsigned kLongestBesideReads = 20;
// Sides with loads from global memory outside loops, whatever the branch waits for. Where the side computes the address
// of a store, the bound is 16. (ptxas 13, sm_90: of 2,110 sides of 0 to 20 FFMA in 180 kinds of code, in and out of
// loops, 2,020 are predicated, or not, as by these rules; most others are one FFMA from a bound.)
constexpr unsigned kLongestReads = 18, kLongestReadsAndStores = 16;
// Stores without loads behind a load, where the side takes a parameter for their address (of 75 such sides outside
// loops, all up to 6 instructions, and none above).
constexpr unsigned kLongestWithPlace = 6;
// Whether `selection` chooses between an operand of an approximate function and `scaled`, which ptxas counts as one
// instruction: see of_subnormals in select/select_sequences.cpp.
bool scales(const Instruction& scaled, const Instruction& selection) {
  return selection.op == Fsel && scaled.instruction == selection.instruction && scaled.destination[0] != kNone &&
         selection.source[0].is_register() && selection.source[0].reg == scaled.destination[0];
}

// Computed from constants only: computed whether or not the branch is taken, and shared.
bool is_constant(const Instruction& c) {
  bool yes = c.role == Role::Pure && c.destination[0] != kNone;
  for_each_source(c, [&](const Source&) { yes = false; });
  return yes && c.op != S2r;
}

// Constants that only sides need are not shared: each side loads its own.
bool is_shared(const Instruction& c, const std::vector<Source>& needed_always) {
  return is_constant(c) && (c.op != Ldc || std::ranges::find(needed_always, c.source[0]) != needed_always.end());
}

class Regions {
 public:
  Regions(Kernel& kernel, const Flow& flow)
      : kernel_(kernel),
        flow_(flow),
        absorbed_(kernel.blocks.size()),
        in_straight_code_(kernel.blocks.size()),
        counted_(kernel.blocks.size()),
        writes_(kernel.registers.size()),
        is_constant_(kernel.registers.size()) {
    for (const CodeBlock& block : kernel.blocks)
      for (const Instruction& c : block.code)
        for (const Register d : c.destination) {
          if (d == kNone) continue;
          ++writes_[d];
          is_constant_[d] = (c.op == Ldc || c.op == Uldc) && c.space == AddressSpace::None;
        }
  }

  std::vector<bool> sides() {
    std::vector<bool> found(kernel_.blocks.size());
    for (const uint32_t b : flow_.control.order) {
      if (absorbed_[b]) continue;
      for (const Step& s : grow(b)) absorbed_[s.block] = true, found[s.block] = s.optional;
    }
    return found;
  }

  std::vector<Region> run() {
    std::vector<Region> result;
    // In flow order, so that blocks precede those that they absorb: in the text a join block may precede the sides.
    std::vector<uint32_t> order = flow_.control.order;
    std::vector<bool> reachable(kernel_.blocks.size());
    for (const uint32_t b : order) reachable[b] = true;
    for (uint32_t b = 0; b < kernel_.blocks.size(); ++b)
      if (!reachable[b]) order.push_back(b);
    for (const uint32_t b : order) {
      if (absorbed_[b]) continue;
      std::vector<Step> path = grow(b);
      for (const Step& s : path) absorbed_[s.block] = true;
      const Unrolling unrolling = loops_to(path, b) ? find_unrolling(kernel_, flow_, path) : Unrolling{};
      counted_[b] = unrolling.by_count;
      for (const unsigned times : unrolling.copies) {
        std::vector<Step> longer;
        for (unsigned i = 0; i < times; ++i) longer.insert(longer.end(), path.begin(), path.end());
        result.push_back(make(longer));
        if (unrolling.whole()) straighten(result.back(), unrolling.starts, path, {});
      }
      const bool left_in_the_middle = unroll_left_in_the_middle(path, result);
      result.push_back(make(path));
      result.back().fallback = unrolling.whole() || left_in_the_middle || in_straight_code_[b];
      if (path.size() > 1) {
        Region alone = make({{b, false}});
        alone.fallback = true;
        result.push_back(std::move(alone));
        for (size_t i = 1; i < path.size(); ++i) {
          Region part = make({{path[i].block, false}});
          part.fallback = true;
          result.push_back(std::move(part));
        }
      }
    }
    drop_predicated_barriers(result);
    for (Region& region : result)
      for (const uint32_t next : region.successors)
        if (next != ir::kExit && counted_[next] && !flow_.dominates(next, region.path[0].block)) compare_count(region);
    std::sort(result.begin(), result.end(), [](const Region& a, const Region& b) {
      if (a.path[0].block != b.path[0].block) return a.path[0].block < b.path[0].block;
      return a.path.size() > b.path.size();
    });
    return result;
  }

 private:
  [[nodiscard]] const std::vector<uint32_t>& successors(uint32_t b) const {
    return kernel_.function->blocks[b].successors;
  }
  [[nodiscard]] bool only_from(uint32_t b, std::initializer_list<uint32_t> from) const {
    const auto& predecessors = flow_.control.predecessors[b];
    if (b == 0 || predecessors.size() != from.size()) return false;
    for (uint32_t p : predecessors)
      if (std::find(from.begin(), from.end(), p) == from.end()) return false;
    return true;
  }

  [[nodiscard]] bool calls(uint32_t b) const {
    const ir::Block& block = kernel_.function->blocks[b];
    return block.first != block.end &&
           analysis::really_calls(*kernel_.module, kernel_.function->instructions[block.end - 1]);
  }

  std::vector<Step> grow(uint32_t head) {
    std::vector<Step> path{{head, false}};
    constexpr size_t kMostAtOnce = 5;  // two sides, a jump before each, and the join
    uint32_t at = head;
    auto taken = [&](uint32_t b) {
      return b == ir::kExit || absorbed_[b] ||
             std::any_of(path.begin(), path.end(), [&](const Step& s) { return s.block == b; });
    };
    while (path.size() + kMostAtOnce <= machine::kLongestPath) {
      if (calls(at)) break;  // the function's blocks follow
      const auto& next = successors(at);
      if (next.size() == 1) {
        if (taken(next[0]) || !only_from(next[0], {at})) break;
        at = next[0];
        path.push_back({at, false});
        continue;
      }
      if (next.size() != 2 || next[0] == ir::kExit || next[1] == ir::kExit || next[0] == next[1]) break;
      const Instruction* branch = kernel_.blocks[at].code.empty() ? nullptr : &kernel_.blocks[at].code.back();
      if (!branch || branch->op != Bra || !branch->guard) break;
      const uint32_t a = next[1], b = next[0];  // falls through, branches
      // A side is one block, or a block that only jumps and its target.
      const auto side_from = [&](uint32_t first) {
        std::vector<uint32_t> side;
        for (uint32_t before = at, b = first; side.size() < 2; before = b, b = successors(b)[0]) {
          if (taken(b) || !only_from(b, {before}) || successors(b).size() != 1) break;
          side.push_back(b);
          if (!only_jumps(b)) break;
        }
        return side;
      };
      const auto end = [&](const std::vector<uint32_t>& side) { return successors(side.back())[0]; };
      const bool reads = std::ranges::any_of(path, [&](const Step& s) { return s.optional && reads_global(s.block); });
      const auto can_predicate = [&](const std::vector<uint32_t>& side, unsigned longest) {
        return std::ranges::all_of(side, [&](uint32_t b) { return fits(at, b, end(side), longest, reads); });
      };
      const std::vector<uint32_t> first = side_from(a), second = side_from(b);
      const auto add = [&](const std::vector<uint32_t>& side) {
        for (uint32_t b : side) path.push_back({b, true});
      };
      std::vector<uint32_t> both = first;
      both.insert(both.end(), second.begin(), second.end());
      uint32_t join = ir::kExit;
      if (!first.empty() && end(first) == b && can_predicate(first, longest_side(at, b))) {
        join = b;
        const uint32_t last = first.back();
        add(first);
        if (taken(b) || !only_from(b, {at, last})) break;
      } else if (!second.empty() && end(second) == a && can_predicate(second, longest_side(at, a))) {
        join = a;
        const uint32_t last = second.back();
        add(second);
        if (taken(a) || !only_from(a, {at, last})) break;
      } else if (!first.empty() && !second.empty() && end(first) == end(second) &&
                 can_predicate(first, kLongestOfTwo) && can_predicate(second, kLongestOfTwo) &&
                 (!waits_for_constants(first, second) || works_beside(at, both, end(first)))) {
        join = end(first);
        add(first);
        add(second);
        if (join == ir::kExit || taken(join) || !only_from(join, {first.back(), second.back()})) break;
      } else {
        break;
      }
      at = join;
      path.push_back({at, false});
    }
    return path;
  }

  // A predicated branch needs no convergence barrier either where the lanes join in another region, behind its end.
  void drop_predicated_barriers(std::vector<Region>& regions) const {
    std::map<uint32_t, unsigned> opened;  // barriers, by the block that closes them
    for (const CodeBlock& block : kernel_.blocks)
      for (const Instruction& c : block.code) opened[c.target] += c.op == Bssy && c.target != kNone;
    for (Region& region : regions) {
      const size_t last = region.path.size() - 1;
      if (region.fallback || !region.path[last].optional) continue;
      const uint32_t join = successors(region.path[last].block)[0], from = branching(region.path, last);
      const auto barrier = std::ranges::find_if(
          region.code, [&](const Instruction& c) { return c.op == Bssy && c.target == join && c.step == from; });
      if (barrier == region.code.end()) continue;
      region.code.erase(barrier);
      --opened[join];
    }
    for (Region& region : regions)
      std::erase_if(region.code, [&](const Instruction& c) {
        return !region.fallback && (c.op == Bsync || c.op == Break) && c.target != kNone && opened[c.target] == 0;
      });
  }

  // Instructions of a side alone that is predicated, by where it branches off and joins.
  [[nodiscard]] unsigned longest_side(uint32_t at, uint32_t join) const {
    if (overlaps_reads(at, join)) return kLongestBesideReads;
    if (at != 0 || join == ir::kExit || flow_.control.predecessors[join].size() != 2) return kLongestSide;
    return works_behind(join) ? kLongestFirst : kLongestSide;
  }
  [[nodiscard]] bool works_behind(uint32_t join) const {
    unsigned count = 0;
    bool branches = false;
    for (const Instruction& c : kernel_.blocks[join].code) {
      branches |= c.role == Role::Branch && c.guard;
      count += c.role != Role::Branch && c.role != Role::Copy;
    }
    return count >= (branches ? kWorkBeforeBranch : kWork);
  }

  [[nodiscard]] bool only_jumps(uint32_t b) const {
    return std::ranges::all_of(kernel_.blocks[b].code,
                               [](const Instruction& c) { return c.op == Bra && c.role == Role::Branch && !c.guard; });
  }
  [[nodiscard]] bool reads_global(uint32_t b) const {
    return std::ranges::any_of(kernel_.blocks[b].code,
                               [](const Instruction& c) { return c.op == Ldg && c.role == Role::Load; });
  }
  [[nodiscard]] bool writes_global(uint32_t b) const {
    return std::ranges::any_of(kernel_.blocks[b].code, [](const Instruction& c) { return c.op == Stg; });
  }
  [[nodiscard]] bool reads_shared(uint32_t b) const {
    return std::ranges::any_of(kernel_.blocks[b].code, [](const Instruction& c) {
      return c.role == Role::Load && c.space == AddressSpace::Shared;
    });
  }
  // Whether the block has a load from global memory that its branch does not depend on.
  [[nodiscard]] bool reads_beside(uint32_t b) const {
    const auto& code = kernel_.blocks[b].code;
    std::set<Register> awaited;  // by the branch
    bool beside = false;
    for (size_t i = code.size(); i-- > 0;) {
      const Instruction& c = code[i];
      const bool waits =
          c.role == Role::Branch || std::ranges::any_of(c.destination, [&](Register d) { return awaited.contains(d); });
      beside |= c.op == Ldg && !waits;
      if (waits) for_each_source(c, [&](const Source& s) { awaited.insert(s.reg); });
    }
    return beside;
  }
  // Whether a side overlaps with loads from global memory where it branches off or joins: with one that the branch
  // does not wait for, or with one behind it. In a loop, that one must not be in the last block of an iteration or
  // before an inner loop, and the next branch must not wait for it, unless this one waits, too. (ptxas 13, sm_90: 24
  // of 24 kinds of head and join, each with sides of 5 to 20 FFMA.)
  [[nodiscard]] bool overlaps_reads(uint32_t at, uint32_t join) const {
    if (reads_beside(at)) return true;
    if (join == ir::kExit) return false;
    const std::vector<uint32_t> behind = straight_on(join);
    const auto reads = [&](uint32_t b) { return reads_global(b); };
    if (std::ranges::none_of(behind, reads)) return false;
    if (flow_.loops[at].empty()) return at != 0;
    const uint32_t last = behind.back();
    const bool goes_on = successors(last).size() == 2 && std::ranges::none_of(successors(last), [&](uint32_t next) {
                           return next == ir::kExit || (!flow_.loops[next].empty() && flow_.loops[next].back() == next);
                         });
    return goes_on && (reads_global(at) || !reads_global(last) || reads_beside(last));
  }
  // Whether the block, or the one that it goes on to, begins a loop inside that of `at`.
  [[nodiscard]] bool leads_to_inner_loop(uint32_t at, uint32_t b) const {
    const auto inside = [&](uint32_t next) {
      return next != ir::kExit && flow_.loops[next].size() > flow_.loops[at].size();
    };
    return std::ranges::any_of(successors(b), [&](uint32_t next) {
      if (inside(next)) return true;
      return next != ir::kExit && successors(next).size() == 1 && inside(successors(next)[0]);
    });
  }
  // Whether lanes come to the join from elsewhere than the branch's block and its sides.
  [[nodiscard]] bool joined_from_elsewhere(uint32_t at, uint32_t join) const {
    constexpr unsigned kMostOfSide = 2;  // blocks: a jump, and its target
    return std::ranges::any_of(flow_.control.predecessors[join], [&](uint32_t b) {
      for (unsigned i = 0; i < kMostOfSide && b != at && flow_.control.predecessors[b].size() == 1; ++i)
        b = flow_.control.predecessors[b][0];
      return b != at;
    });
  }
  // Whether ptxas predicates a side with loads from global memory: beside a load that the branch does not wait for
  // always, else unless lanes join from elsewhere or go on to an inner loop. A side that stores, too, needs a load
  // before the branch, a second load of its own, or other work. (ptxas 13, sm_90: 324 of 353 kinds of side and join, in
  // and out of loops.)
  [[nodiscard]] bool hides_reads(uint32_t at, uint32_t side, uint32_t join, bool stores) const {
    if (reads_beside(at) || join == ir::kExit) return true;
    if (joined_from_elsewhere(at, join)) return false;
    if (reads_global(at)) return true;
    if (!flow_.loops[at].empty() && leads_to_inner_loop(at, join)) return false;
    return !stores || reads_shared(side) || works_beside(at, {side}, join);
  }
  // Whether one of two sides reads global memory and the other one only sets constants: ptxas branches, unless there is
  // work beside them.
  [[nodiscard]] bool waits_for_constants(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b) const {
    const auto reads = [&](uint32_t block) { return reads_global(block); };
    return (std::ranges::any_of(a, reads) && sets_constants(b)) || (std::ranges::any_of(b, reads) && sets_constants(a));
  }
  // ... before the branch, for neither it nor its sides, or behind them, without what these compute: two instructions
  // suffice in 14 of 15 kinds of such code, and fewer in none of 13.
  [[nodiscard]] bool works_beside(uint32_t at, std::vector<uint32_t> sides, uint32_t join) const {
    constexpr unsigned kWorkBeside = 2;
    unsigned count = 0;
    const auto works = [&](const Instruction& c) {
      const bool store = c.op == Stg || c.op == Sts;
      const bool compares = c.destination[0] != kNone && is_predicate(c.destination[0]);
      return store || c.role == Role::Load || (c.role == Role::Pure && !is_constant(c) && !compares);
    };
    std::set<Register> needed, computed;
    for (const uint32_t side : sides)
      for (const Instruction& c : kernel_.blocks[side].code) {
        for_each_source(c, [&](const Source& s) { needed.insert(s.reg); });
        computed.insert(c.destination.begin(), c.destination.end());
      }
    std::set<Register> of_loop;  // its count
    for (const uint32_t b : behind(join)) {
      const auto& code = kernel_.blocks[b].code;
      const bool repeats = std::ranges::any_of(
          successors(b), [&](uint32_t next) { return next != ir::kExit && flow_.dominates(next, b); });
      for (size_t i = code.size(); repeats && i-- > 0;)
        if (code[i].role == Role::Branch || writes_any(code[i], of_loop))
          for_each_source(code[i], [&](const Source& s) { of_loop.insert(s.reg); });
      for (const Instruction& c : code) {
        bool depends = false;
        for_each_source(c, [&](const Source& s) { depends |= computed.contains(s.reg); });
        if (depends) computed.insert(c.destination.begin(), c.destination.end());
        count += !depends && works(c) && !writes_any(c, of_loop);
      }
    }
    const auto& code = kernel_.blocks[at].code;
    for (size_t i = code.size(); i-- > 0;) {
      const Instruction& c = code[i];
      const bool need = c.role == Role::Branch || writes_any(c, needed);
      if (need) for_each_source(c, [&](const Source& s) { needed.insert(s.reg); });
      count += !need && works(c);
    }
    return count >= kWorkBeside;
  }
  [[nodiscard]] bool is_predicate(Register r) const { return kernel_.registers[r].file == RegisterFile::Predicate; }
  [[nodiscard]] static bool writes_any(const Instruction& c, const std::set<Register>& some) {
    return std::ranges::any_of(c.destination, [&](Register d) { return some.contains(d); });
  }
  // The block, and those that it alone goes on to: a barrier ends a block here, and none of ptxas's.
  [[nodiscard]] std::vector<uint32_t> straight_on(uint32_t b) const {
    std::vector<uint32_t> on{b};
    while (successors(on.back()).size() == 1) {
      const uint32_t next = successors(on.back())[0];
      if (next == ir::kExit || next == b || !only_from(next, {on.back()})) break;
      on.push_back(next);
    }
    return on;
  }
  // The same, with sides that will be predicated, and what is behind them. (ptxas 13, sm_90: of
  // two to four sides that load and store, without other work, all are predicated, in 32 of 32 kinds.)
  [[nodiscard]] std::vector<uint32_t> behind(uint32_t join) const {
    std::vector<uint32_t> on = straight_on(join);
    for (;;) {
      const uint32_t at = on.back();
      const auto& next = successors(at);
      if (next.size() != 2) return on;
      const auto is_side = [&](uint32_t side, uint32_t end) {
        return side != ir::kExit && only_from(side, {at}) && successors(side) == std::vector{end} &&
               fits(at, side, end, longest_side(at, end), true);
      };
      const bool falls = is_side(next[1], next[0]);
      if (!falls && !is_side(next[0], next[1])) return on;
      const uint32_t side = next[falls ? 1 : 0], end = next[falls ? 0 : 1];
      on.push_back(side);
      if (end == ir::kExit || !only_from(end, {at, side}) || std::ranges::find(on, end) != on.end()) return on;
      const std::vector<uint32_t> further = straight_on(end);
      on.insert(on.end(), further.begin(), further.end());
    }
  }
  // Whether the side only sets constants.
  [[nodiscard]] bool sets_constants(const std::vector<uint32_t>& side) const {
    return std::ranges::all_of(side, [&](uint32_t b) {
      return std::ranges::all_of(kernel_.blocks[b].code, [&](const Instruction& c) {
        return c.role == Role::Branch || is_constant(c) || (c.role == Role::Copy && !c.source[0].is_register());
      });
    });
  }

  // Whether the block is in a loop that has no other inside.
  [[nodiscard]] bool in_innermost_loop(uint32_t b) const {
    if (flow_.loops[b].empty()) return false;
    const uint32_t header = flow_.loops[b].back();
    return std::ranges::none_of(flow_.loops, [&](const auto& around) {
      const auto at = std::ranges::find(around, header);
      return at != around.end() && at + 1 != around.end();
    });
  }

  // The longest side with loads from global memory.
  [[nodiscard]] unsigned longest_with_reads(uint32_t at, unsigned stores, bool finds_place) const {
    if (stores == 0) return flow_.loops[at].empty() ? kLongestReads : kLongestBesideReads;
    if (in_innermost_loop(at)) return kLongestBesideReads;
    return finds_place ? kLongestReadsAndStores : kLongestReads;
  }

  // Short enough, and no atomics or barriers.
  [[nodiscard]] bool fits(uint32_t at, uint32_t side, uint32_t join, unsigned longest, bool reads_too) const {
    unsigned count = 0, stores = 0, literals = 0;
    bool loads = false, loads_pointer = false, finds_place = false;  // ... computes where it stores
    std::set<Register> constants, own;  // each side loads its constants, wherever they end up
    const Instruction* before = nullptr;
    for (const Instruction& c : kernel_.blocks[side].code) {
      const bool selects_scaled = before && scales(*before, c);
      before = &c;
      if (c.role == Role::Branch) {
        if (c.op != Bra || c.guard) return false;
        continue;
      }
      if (c.guard) return false;
      const bool store = c.op == Stg || c.op == Sts || c.op == Stl;
      loads |= c.space == AddressSpace::Global && !store;
      if (c.space == AddressSpace::Generic) return false;
      finds_place |= store && c.source[0].is_register() && own.contains(c.source[0].reg);
      if (c.role == Role::Effect && !store) return false;
      // Uniform values are computed whether or not the branch is taken.
      const bool uniform =
          c.destination[0] != kNone && kernel_.registers[c.destination[0]].file == RegisterFile::Uniform;
      count += uniform || selects_scaled ? 0 : c.role == Role::Copy ? 1 : issued(c);
      stores += store;
      literals += !uniform && loads_literal(kernel_, c);
      for_each_source(c, [&](const Source& s) {
        if (s.reg >= is_constant_.size() || !is_constant_[s.reg] || writes_[s.reg] != 1) return;
        constants.insert(s.reg);
        loads_pointer |= kernel_.registers[s.reg].words == 2;
      });
      for (const Register d : c.destination) own.insert(d);
    }
    if (loads && !reads_too && !hides_reads(at, side, join, stores != 0)) return false;
    if (loads) longest = longest_with_reads(at, stores, finds_place);
    if (!loads && finds_place && loads_pointer && flow_.loops[at].empty() && reads_global(at))
      longest = std::min(longest, kLongestWithPlace);
    count += std::ranges::count_if(constants, [&](Register r) { return !own.contains(r); });
    if (longest == kLongestBesideReads) count -= literals;
    return count <= longest || (count == stores && count <= kLongestStores);
  }

  [[nodiscard]] std::vector<uint32_t> successors(const std::vector<Step>& path) const {
    const Step& last = path.back();
    std::vector<uint32_t> all = successors(last.block);
    if (last.optional) {  // the branch's other target
      size_t i = path.size() - 1;
      while (path[i].optional) --i;
      for (uint32_t s : successors(path[i].block))
        if (std::none_of(path.begin(), path.end(), [&](const Step& p) { return p.block == s && p.optional; }))
          all.push_back(s);
    }
    return all;
  }
  [[nodiscard]] bool loops_to(const std::vector<Step>& path, uint32_t head) const {
    const auto all = successors(path);
    return !path.back().optional && std::find(all.begin(), all.end(), head) != all.end() && all.size() == 2;
  }

  // A loop that is left behind its first block: a region of all its iterations, where ptxas makes straight code of it.
  bool unroll_left_in_the_middle(const std::vector<Step>& path, std::vector<Region>& result) {
    const uint32_t head = path[0].block;
    if (path.size() != 1 || successors(head).size() != 2) return false;
    for (const uint32_t first : successors(head)) {
      std::vector<uint32_t> rest;
      for (uint32_t before = head, b = first; b != head; before = b, b = successors(b)[0]) {
        if (b == ir::kExit || absorbed_[b] || !only_from(b, {before}) || successors(b).size() != 1) break;
        rest.push_back(b);
      }
      if (rest.empty() || successors(rest.back())[0] != head) continue;
      // A rest that is a jump alone: clang writes such loops, and ptxas 13 left the one that was seen as it is.
      if (std::ranges::all_of(rest, [&](uint32_t b) { return only_jumps(b); })) continue;
      const Unrolling unrolling = find_unrolling(kernel_, flow_, head, rest);
      if (!unrolling.whole()) continue;
      std::vector<Step> longer;
      for (unsigned i = 0; i < unrolling.copies[0]; ++i) {
        for (const uint32_t b : rest)
          if (i != 0) longer.push_back({b, false});
        longer.push_back({head, false});
      }
      result.push_back(make(longer));
      straighten(result.back(), unrolling.starts, path, rest);
      for (const uint32_t b : rest) in_straight_code_[b] = true;
      return true;
    }
    return false;
  }

  // A region with all iterations of its loop: it does not branch back, and knows where its counter starts.
  void straighten(Region& region, std::span<const Start> starts, std::span<const Step> path,
                  std::span<const uint32_t> rest) const {
    region.whole_loop = true;
    std::erase(region.successors, path[0].block);
    for (const uint32_t b : rest) std::erase(region.successors, b);
    std::erase_if(region.code, [](const Instruction& c) { return c.role == Role::Branch; });
    for (const Start& s : starts) {
      Instruction start;
      start.op = kernel_.registers[s.reg].file == RegisterFile::Uniform ? Umov : Mov;
      start.role = Role::Copy;
      start.destination.set(0, s.reg);
      start.source.set(0, s.value);
      Instruction add = start;
      add.op = start.op == Umov ? Uiadd3 : Iadd3;
      add.role = Role::Pure;
      add.wide = true;
      add.source = {Source::of(s.reg), Source::immediate(s.offset)};
      if (s.offset != 0) region.code.insert(region.code.begin(), add);
      region.code.insert(region.code.begin(), start);
    }
  }

  // Before and behind a loop that is unrolled by four, ptxas compares what is left of its count with 0, 12 and 4, and
  // keeps in a predicate whether the loop has run. On an H200 these were seven instructions more than ours in a chain
  // of FFMA and in a sum of a row, and in three products of matrices beside two moves an iteration. Three of the seven
  // are branches; they are comparisons here, since a region branches at its end alone.
  void compare_count(Region& region) {
    constexpr unsigned kMore = 7;
    const auto at = before_branches(region.code);
    std::vector<Instruction> more;
    Register last = kNone;
    for (unsigned i = 0; i < kMore; ++i) {
      Instruction c;
      c.op = i % 2 == 0 ? Isetp : Plop3;
      c.role = Role::Effect;
      c.form.in_sequence = true;
      if (i % 2 == 1) c.source.set(0, Source::of(last));
      last = kernel_.make(1, RegisterFile::Predicate);
      c.destination.set(0, last);
      if (!region.code.empty()) c.instruction = region.code.back().instruction, c.step = region.code.back().step;
      more.push_back(c);
    }
    region.code.insert(at, more.begin(), more.end());
  }

  // A value of 16 bits that comes from several blocks.
  [[nodiscard]] bool joins_half(const Instruction& c) const {
    const Register r = c.destination[0];
    const auto& of = kernel_.function->registers;
    return c.role == Role::Pure && c.op != Mov && c.destination[1] == kNone && r < of.size() &&
           ir::bits(of[r].type) == 16 && !ir::is_float(of[r].type) && writes_[r] > 1;
  }
  // ptxas computes it apart, and a PRMT puts it into the register's lower half.
  void insert_half(std::vector<Instruction>& code) const {
    Instruction into = code.back();
    const Register apart = kernel_.make();
    into.op = Prmt, into.form = {.in_sequence = true}, into.source = {Source::of(apart)};
    code.back().destination.set(0, apart);
    code.push_back(into);
  }

  [[nodiscard]] Region make(const std::vector<Step>& path) const {
    Region region;
    region.path = path;
    region.successors = successors(path);
    region.loop_depth = static_cast<uint32_t>(flow_.loops[path[0].block].size());
    std::vector<Source> needed_always;
    for (const Step& step : path)
      for (const Instruction& c : kernel_.blocks[step.block].code)
        if (!step.optional && c.op == Ldc && is_constant(c)) needed_always.push_back(c.source[0]);
    for (size_t i = 0; i < path.size(); ++i) {
      const auto& code = kernel_.blocks[path[i].block].code;
      const bool last = i + 1 == path.size();
      for (const Instruction& c : code) {
        if (c.role == Role::Branch && !last && c.op == Bra) continue;  // no jumps inside a region
        Instruction copy = c;
        copy.step = static_cast<uint16_t>(i);
        const bool uniform = copy.role == Role::Pure && copy.destination[0] != kNone &&
                             kernel_.registers[copy.destination[0]].file == RegisterFile::Uniform;
        const bool shared = is_shared(copy, needed_always) && writes_[copy.destination[0]] == 1;
        if (path[i].optional && copy.role != Role::Branch && !uniform && !shared) {
          const uint32_t from = branching(path, i);
          const Instruction& branch = kernel_.blocks[path[from].block].code.back();
          const bool target = !successors(path[from].block).empty() && successors(path[from].block)[0] == path[i].block;
          copy.guard = branch.guard;
          copy.guard_negated = target ? branch.guard_negated : !branch.guard_negated;
        }
        if (path[i].optional && copy.role == Role::Branch) continue;
        region.code.push_back(copy);
        if (path[i].optional && copy.guard && joins_half(copy)) insert_half(region.code);
      }
    }
    // A predicated branch does not diverge and needs no convergence barrier.
    for (Instruction& close : region.code) {
      if (close.op != Bsync || close.target == kNone) continue;
      for (Instruction& open : region.code)
        if (open.op == Bssy && open.target == close.target && open.step < close.step) open.dead = close.dead = true;
    }
    std::erase_if(region.code, [](const Instruction& c) { return c.dead; });
    return region;
  }
  [[nodiscard]] static uint32_t branching(const std::vector<Step>& path, size_t i) {
    while (path[i].optional) --i;
    return static_cast<uint32_t>(i);
  }

  Kernel& kernel_;
  const Flow& flow_;
  std::vector<bool> absorbed_;
  std::vector<bool> in_straight_code_;  // the rest of a loop whose iterations are all in one region
  std::vector<bool> counted_;           // heads of loops that are unrolled whose count only the launch knows
  std::vector<unsigned> writes_;        // by register
  std::vector<bool> is_constant_;       // ... a parameter of the kernel
};

}  // namespace

std::vector<bool> find_sides(Kernel& kernel, const Flow& flow) { return Regions(kernel, flow).sides(); }

std::vector<Region> form_regions(Kernel& kernel, const Flow& flow) { return Regions(kernel, flow).run(); }

}  // namespace drywarp::sass
