#include <algorithm>
#include <map>
#include <set>

#include "language/analysis/passes.h"
#include "model/sass/passes/passes.h"
#include "model/sass/passes/predicated_sides.h"
#include "model/sass/passes/unroll.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

// Constants that only sides need are not shared: each side loads its own.
bool is_shared(const Instruction& c, const std::vector<Source>& needed_always) {
  return is_made_of_constants(c) &&
         (c.op != Ldc || std::ranges::find(needed_always, c.source[0]) != needed_always.end());
}

class Regions {
 public:
  Regions(Kernel& kernel, const Flow& flow)
      : kernel_(kernel),
        flow_(flow),
        absorbed_(kernel.blocks.size()),
        in_straight_code_(kernel.blocks.size()),
        counted_(kernel.blocks.size()),
        writes_(count_writes(kernel)),
        predicated_(kernel, flow) {}

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
        if (unrolling.goes_on) leave_between(result.back(), unrolling.goes_on, unrolling.copies[0]);
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
  [[nodiscard]] bool calls(uint32_t b) const {
    const ir::Block& block = kernel_.function->blocks[b];
    return block.first != block.end &&
           analysis::really_calls(*kernel_.module, kernel_.function->instructions[block.end - 1]);
  }

  // Whether lanes join at the block, in a loop but not at its beginning.
  [[nodiscard]] bool joins_behind_branch(uint32_t b) const {
    const auto& from = flow_.control.predecessors[b];
    return !flow_.loops[b].empty() && from.size() > 1 &&
           std::ranges::none_of(from, [&](uint32_t f) { return flow_.dominates(b, f); });
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
        if (taken(next[0]) || !flow_.only_from(next[0], {at})) break;
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
          if (taken(b) || !flow_.only_from(b, {before}) || successors(b).size() != 1) break;
          side.push_back(b);
          if (!only_jumps(b)) break;
        }
        return side;
      };
      const auto end = [&](const std::vector<uint32_t>& side) { return successors(side.back())[0]; };
      // Sides of the path read global memory: those behind them may, too.
      const BeforeSide before{
          std::ranges::any_of(path, [&](const Step& s) { return s.optional && predicated_.reads_global(s.block); }),
          joins_behind_branch(head)};
      const std::vector<uint32_t> first = side_from(a), second = side_from(b);
      const auto add = [&](const std::vector<uint32_t>& side) {
        for (uint32_t b : side) path.push_back({b, true});
      };
      uint32_t join = ir::kExit;
      if (!first.empty() && end(first) == b && predicated_.alone(at, first, b, before)) {
        join = b;
        const uint32_t last = first.back();
        add(first);
        if (taken(b) || !flow_.only_from(b, {at, last})) break;
      } else if (!second.empty() && end(second) == a && predicated_.alone(at, second, a, before)) {
        join = a;
        const uint32_t last = second.back();
        add(second);
        if (taken(a) || !flow_.only_from(a, {at, last})) break;
      } else if (!first.empty() && !second.empty() && end(first) == end(second) &&
                 predicated_.both(at, first, second, end(first), before)) {
        join = end(first);
        add(first);
        add(second);
        if (join == ir::kExit || taken(join) || !flow_.only_from(join, {first.back(), second.back()})) break;
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

  [[nodiscard]] bool only_jumps(uint32_t b) const {
    return std::ranges::all_of(kernel_.blocks[b].code,
                               [](const Instruction& c) { return c.op == Bra && c.role == Role::Branch && !c.guard; });
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
        if (b == ir::kExit || absorbed_[b] || !flow_.only_from(b, {before}) || successors(b).size() != 1) break;
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

  // Iterations but the last of `all` end with a branch that may leave the loop. The code has all of them; a region with
  // fewer is for lanes that leave.
  static void leave_between(Region& region, const Source& goes_on, unsigned all) {
    region.fallback = region.path.size() < all;
    for (uint16_t step = 0; step < region.path.size() && step + 1U < all; ++step) {
      Instruction leave;
      leave.op = Bra;
      leave.role = Role::Effect;
      leave.source.set(0, goes_on);
      leave.form.in_sequence = true;
      leave.step = step;
      const auto at = std::ranges::find_if(region.code, [&](const Instruction& c) { return c.step > step; });
      if (at != region.code.begin()) leave.instruction = (at - 1)->instruction;
      region.code.insert(at, leave);
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

  // A value of 16 bits that comes from several blocks, and that no PRMT computes itself.
  [[nodiscard]] bool joins_half(const Instruction& c) const {
    const Register r = c.destination[0];
    const auto& of = kernel_.function->registers;
    return c.role == Role::Pure && c.op != Mov && c.op != Prmt && c.destination[1] == kNone && r < of.size() &&
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
        if (!step.optional && c.op == Ldc && is_made_of_constants(c)) needed_always.push_back(c.source[0]);
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
  const PredicatedSides predicated_;
};

}  // namespace

std::vector<bool> find_sides(Kernel& kernel, const Flow& flow) { return Regions(kernel, flow).sides(); }

std::vector<Region> form_regions(Kernel& kernel, const Flow& flow) { return Regions(kernel, flow).run(); }

}  // namespace drywarp::sass
