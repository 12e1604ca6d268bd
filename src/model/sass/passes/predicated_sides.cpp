#include "model/sass/passes/predicated_sides.h"

#include <algorithm>

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

}  // namespace

bool is_made_of_constants(const Instruction& c) {
  bool yes = c.role == Role::Pure && c.destination[0] != kNone;
  for_each_source(c, [&](const Source&) { yes = false; });
  return yes && c.op != S2r;
}

PredicatedSides::PredicatedSides(const Kernel& kernel, const Flow& flow)
    : kernel_(kernel), flow_(flow), writes_(count_writes(kernel)), is_parameter_(kernel.registers.size()) {
  for (const CodeBlock& block : kernel.blocks)
    for (const Instruction& c : block.code)
      for (const Register d : c.destination)
        if (d != kNone) is_parameter_[d] = (c.op == Ldc || c.op == Uldc) && c.space == AddressSpace::None;
}

bool PredicatedSides::alone(uint32_t at, const std::vector<uint32_t>& side, uint32_t join, BeforeSide before) const {
  return std::ranges::all_of(side, [&](uint32_t b) { return fits(at, b, join, longest_side(at, join), before); });
}

bool PredicatedSides::both(uint32_t at, const std::vector<uint32_t>& first, const std::vector<uint32_t>& second,
                           uint32_t join, BeforeSide before) const {
  std::vector<uint32_t> sides = first;
  sides.insert(sides.end(), second.begin(), second.end());
  return std::ranges::all_of(sides, [&](uint32_t b) { return fits(at, b, join, kLongestOfTwo, before); }) &&
         (!waits_for_constants(first, second) || works_beside(at, sides, join));
}

// Instructions of a side alone that is predicated, by where it branches off and joins.
unsigned PredicatedSides::longest_side(uint32_t at, uint32_t join) const {
  if (overlaps_reads(at, join)) return kLongestBesideReads;
  if (at != 0 || join == ir::kExit || flow_.control.predecessors[join].size() != 2) return kLongestSide;
  return works_behind(join) ? kLongestFirst : kLongestSide;
}

bool PredicatedSides::works_behind(uint32_t join) const {
  unsigned count = 0;
  bool branches = false;
  for (const Instruction& c : kernel_.blocks[join].code) {
    branches |= c.role == Role::Branch && c.guard;
    count += c.role != Role::Branch && c.role != Role::Copy;
  }
  return count >= (branches ? kWorkBeforeBranch : kWork);
}

bool PredicatedSides::reads_global(uint32_t b) const {
  return std::ranges::any_of(kernel_.blocks[b].code,
                             [](const Instruction& c) { return c.op == Ldg && c.role == Role::Load; });
}

bool PredicatedSides::reads_shared(uint32_t b) const {
  return std::ranges::any_of(kernel_.blocks[b].code, [](const Instruction& c) {
    return c.role == Role::Load && c.space == AddressSpace::Shared;
  });
}

// Whether the block has a load from global memory that its branch does not depend on.
bool PredicatedSides::reads_beside(uint32_t b) const {
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
bool PredicatedSides::overlaps_reads(uint32_t at, uint32_t join) const {
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
bool PredicatedSides::leads_to_inner_loop(uint32_t at, uint32_t b) const {
  const auto inside = [&](uint32_t next) {
    return next != ir::kExit && flow_.loops[next].size() > flow_.loops[at].size();
  };
  return std::ranges::any_of(successors(b), [&](uint32_t next) {
    if (inside(next)) return true;
    return next != ir::kExit && successors(next).size() == 1 && inside(successors(next)[0]);
  });
}

// Whether lanes come to the join from elsewhere than the branch's block and its sides.
bool PredicatedSides::joined_from_elsewhere(uint32_t at, uint32_t join) const {
  constexpr unsigned kMostOfSide = 2;  // blocks: a jump, and its target
  return std::ranges::any_of(flow_.control.predecessors[join], [&](uint32_t b) {
    for (unsigned i = 0; i < kMostOfSide && b != at && flow_.control.predecessors[b].size() == 1; ++i)
      b = flow_.control.predecessors[b][0];
    return b != at;
  });
}

// Whether ptxas predicates a side with loads from global memory: beside a load that the branch does not wait for
// always, else unless lanes join from elsewhere or go on to an inner loop. A side that stores, too, needs a load before
// the branch, one from shared memory of its own, or other work. (ptxas 13, sm_90: 603 of 689 kinds of side and join, in
// and out of loops.) In a loop whose next branch waits for what the side
// computes, one that does not store needs an instruction beside it, and not the loop's count (56 of 68 kernels).
bool PredicatedSides::hides_reads(uint32_t at, uint32_t side, uint32_t join, bool stores, bool behind_branch) const {
  if (reads_beside(at) || join == ir::kExit) return true;
  if (joined_from_elsewhere(at, join)) return false;
  if (reads_global(at)) return true;
  if (!flow_.loops[at].empty() && leads_to_inner_loop(at, straight_on(join).back())) return false;
  if (behind_branch) return works_beside(at, {side}, join);
  if (!stores) return flow_.loops[at].empty() || !decides_next(at, side, join) || work_beside(at, {side}, join) != 0;
  return reads_shared(side) || works_beside(at, {side}, join);
}

// Whether the branch takes in the next iteration what the side computes in this one.
bool PredicatedSides::decides_next(uint32_t at, uint32_t side, uint32_t join) const {
  std::vector<uint32_t> blocks = behind(join);
  blocks.insert(blocks.end(), {at, side});
  std::set<Register> taken;
  for_each_source(kernel_.blocks[at].code.back(), [&](const Source& s) { taken.insert(s.reg); });
  for (size_t before = 0; before != taken.size();) {
    before = taken.size();
    for (const uint32_t b : blocks)
      for (const Instruction& c : kernel_.blocks[b].code)
        if (writes_any(c, taken)) for_each_source(c, [&](const Source& s) { taken.insert(s.reg); });
  }
  return std::ranges::any_of(kernel_.blocks[side].code, [&](const Instruction& c) { return writes_any(c, taken); });
}

// Whether one of two sides reads global memory and the other one only sets constants: ptxas branches, unless there is
// work beside them.
bool PredicatedSides::waits_for_constants(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b) const {
  const auto reads = [&](uint32_t block) { return reads_global(block); };
  return (std::ranges::any_of(a, reads) && sets_constants(b)) || (std::ranges::any_of(b, reads) && sets_constants(a));
}

// ... before the branch, for neither it nor its sides, or behind them, without what these compute: two instructions
// suffice in 14 of 15 kinds of such code, and fewer in none of 13.
bool PredicatedSides::works_beside(uint32_t at, const std::vector<uint32_t>& sides, uint32_t join) const {
  constexpr unsigned kWorkBeside = 2;
  return work_beside(at, sides, join) >= kWorkBeside;
}

// The number of these instructions.
unsigned PredicatedSides::work_beside(uint32_t at, const std::vector<uint32_t>& sides, uint32_t join) const {
  unsigned count = 0;
  const auto works = [&](const Instruction& c) {
    const bool store = c.op == Stg || c.op == Sts;
    const bool compares = c.destination[0] != kNone && is_predicate(c.destination[0]);
    return store || c.role == Role::Load || (c.role == Role::Pure && !is_made_of_constants(c) && !compares);
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
  return count;
}

bool PredicatedSides::is_predicate(Register r) const { return kernel_.registers[r].file == RegisterFile::Predicate; }

bool PredicatedSides::writes_any(const Instruction& c, const std::set<Register>& some) {
  return std::ranges::any_of(c.destination, [&](Register d) { return some.contains(d); });
}

// The block, and those that it alone goes on to: a barrier ends a block here, and none of ptxas's.
std::vector<uint32_t> PredicatedSides::straight_on(uint32_t b) const {
  std::vector<uint32_t> on{b};
  while (successors(on.back()).size() == 1) {
    const uint32_t next = successors(on.back())[0];
    if (next == ir::kExit || next == b || !flow_.only_from(next, {on.back()})) break;
    on.push_back(next);
  }
  return on;
}

// The same, with sides that will be predicated, and what is behind them. (ptxas 13, sm_90: of
// two to four sides that load and store, without other work, all are predicated, in 32 of 32 kinds.)
std::vector<uint32_t> PredicatedSides::behind(uint32_t join) const {
  std::vector<uint32_t> on = straight_on(join);
  for (;;) {
    const uint32_t at = on.back();
    const auto& next = successors(at);
    if (next.size() != 2) return on;
    const auto is_side = [&](uint32_t side, uint32_t end) {
      return side != ir::kExit && flow_.only_from(side, {at}) && successors(side) == std::vector{end} &&
             fits(at, side, end, longest_side(at, end), {.reads = true});
    };
    const bool falls = is_side(next[1], next[0]);
    if (!falls && !is_side(next[0], next[1])) return on;
    const uint32_t side = next[falls ? 1 : 0], end = next[falls ? 0 : 1];
    on.push_back(side);
    if (end == ir::kExit || !flow_.only_from(end, {at, side}) || std::ranges::find(on, end) != on.end()) return on;
    const std::vector<uint32_t> further = straight_on(end);
    on.insert(on.end(), further.begin(), further.end());
  }
}

// Whether the side only sets constants.
bool PredicatedSides::sets_constants(const std::vector<uint32_t>& side) const {
  return std::ranges::all_of(side, [&](uint32_t b) {
    return std::ranges::all_of(kernel_.blocks[b].code, [&](const Instruction& c) {
      return c.role == Role::Branch || is_made_of_constants(c) || (c.role == Role::Copy && !c.source[0].is_register());
    });
  });
}

// Whether the block is in a loop that has no other inside.
bool PredicatedSides::in_innermost_loop(uint32_t b) const {
  if (flow_.loops[b].empty()) return false;
  const uint32_t header = flow_.loops[b].back();
  return std::ranges::none_of(flow_.loops, [&](const auto& around) {
    const auto at = std::ranges::find(around, header);
    return at != around.end() && at + 1 != around.end();
  });
}

// The longest side with loads from global memory.
unsigned PredicatedSides::longest_with_reads(uint32_t at, unsigned stores, bool finds_place) const {
  if (stores == 0) return flow_.loops[at].empty() ? kLongestReads : kLongestBesideReads;
  if (in_innermost_loop(at)) return kLongestBesideReads;
  return finds_place ? kLongestReadsAndStores : kLongestReads;
}

// Short enough, and no atomics or barriers.
bool PredicatedSides::fits(uint32_t at, uint32_t side, uint32_t join, unsigned longest, BeforeSide before) const {
  unsigned count = 0, stores = 0, literals = 0;
  bool loads = false, loads_pointer = false, finds_place = false;  // ... computes where it stores
  std::set<Register> constants, own;  // each side loads its constants, wherever they end up
  const Instruction* previous = nullptr;
  for (const Instruction& c : kernel_.blocks[side].code) {
    const bool selects_scaled = previous && scales(*previous, c);
    previous = &c;
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
    const bool uniform = c.destination[0] != kNone && kernel_.registers[c.destination[0]].file == RegisterFile::Uniform;
    count += uniform || selects_scaled ? 0 : c.role == Role::Copy ? 1 : issued(c);
    stores += store;
    literals += !uniform && loads_literal(kernel_, c);
    for_each_source(c, [&](const Source& s) {
      if (s.reg >= is_parameter_.size() || !is_parameter_[s.reg] || writes_[s.reg] != 1) return;
      constants.insert(s.reg);
      loads_pointer |= kernel_.registers[s.reg].words == 2;
    });
    for (const Register d : c.destination) own.insert(d);
  }
  if (loads && !before.reads && !hides_reads(at, side, join, stores != 0, before.behind_branch)) return false;
  if (loads) longest = longest_with_reads(at, stores, finds_place);
  if (!loads && finds_place && loads_pointer && flow_.loops[at].empty() && reads_global(at))
    longest = std::min(longest, kLongestWithPlace);
  count += std::ranges::count_if(constants, [&](Register r) { return !own.contains(r); });
  if (longest == kLongestBesideReads) count -= literals;
  return count <= longest || (count == stores && count <= kLongestStores);
}

}  // namespace drywarp::sass
