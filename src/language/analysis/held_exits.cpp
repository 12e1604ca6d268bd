// Lanes that leave a loop, or end, inside a branch: where the others go on together.
//
//   for (...) { if (a) { ...; if (b) break; } rest; }
//
// A GPU's compiler lets the lanes of both sides of `a` meet before `rest`: those that leave give up their part in that
// barrier (BREAK in ptxas 13's code). By post-dominators alone the sides would only meet behind the loop, and each
// would run the loop on its own. So the edge that leaves is led through the point where the sides meet: its lanes wait
// there with a flag and leave together once all have come. What runs is the same; the code is one whose immediate
// post-dominators are the points where a GPU's lanes meet.
//
// The same holds outside of loops where lanes end: `if (a) { ...; if (b) return; } rest;`.
#include <algorithm>
#include <optional>

#include "language/analysis/passes.h"
#include "language/ir/passes.h"

namespace drywarp::analysis {

namespace {

using ir::BlockId;
using ir::Instruction;
using ir::kExit;
using ir::Opcode;

// Of a function; each copies it. What is left then meets later than on a GPU.
constexpr size_t kMostRewrites = 256, kFewestRewrites = 8, kMostCopied = 500'000;  // instructions

struct Edge {
  BlockId from, to;
};

// A branch whose sides meet at `meets`, as long as they stay; `leaving`: edges on the way that leave, all to one block.
struct Found {
  BlockId branch, meets, clears;  // `clears`: where the flag is cleared
  std::vector<bool> between;
  std::vector<Edge> leaving;
  size_t size;
};

class Dominators {
 public:
  Dominators(const ir::Function& f, const ControlFlow& flow)
      : first_(flow.order[0]), above_(immediate_dominators(f, flow)) {}
  [[nodiscard]] BlockId above(BlockId b) const { return above_[b]; }
  [[nodiscard]] bool dominates(BlockId upper, BlockId b) const {
    while (b != upper && b != first_) b = above_[b];
    return b == upper;
  }

 private:
  BlockId first_;
  std::vector<BlockId> above_;
};

// The blocks of a loop, or of the whole function, with the edges that stay in it. Where a loop's header follows, or
// nothing, the level ends.
class Level {
 public:
  Level(const ir::Function& f, std::vector<BlockId> blocks, BlockId header)
      : f_(&f), blocks_(std::move(blocks)), header_(header) {
    std::ranges::sort(blocks_);
    meet();
  }

  [[nodiscard]] size_t size() const { return blocks_.size(); }
  [[nodiscard]] const std::vector<BlockId>& blocks() const { return blocks_; }
  [[nodiscard]] bool has(BlockId b) const { return std::ranges::binary_search(blocks_, b); }

  // Where the sides of a branch meet in this level: a block of it; nothing: only at its end, in a function.
  [[nodiscard]] std::optional<BlockId> meets(BlockId b) const {
    const uint32_t above = above_[place_of(b)];
    if (above == kNowhere) return std::nullopt;
    if (above == end()) return header_ == ir::kNone ? std::nullopt : std::optional(header_);
    return blocks_[above];
  }

  // Whether no lane comes from here to the level's end: it leaves in any case.
  [[nodiscard]] bool always_leaves(BlockId b) const { return above_[place_of(b)] == kNowhere; }
  // Whether the edge leaves the level, or ends the lanes that take it.
  [[nodiscard]] bool leaves(BlockId from, BlockId to) const {
    if (header_ != ir::kNone) return to == kExit || !has(to);
    return f_->blocks[from].successors.size() > 1 && only_ends(to);
  }

 private:
  // Places in blocks_; the end's is behind the last.
  static constexpr uint32_t kNowhere = ~1u;
  [[nodiscard]] uint32_t end() const { return static_cast<uint32_t>(blocks_.size()); }
  [[nodiscard]] uint32_t place_of(BlockId b) const {
    return static_cast<uint32_t>(std::ranges::lower_bound(blocks_, b) - blocks_.begin());
  }

  // Does nothing but end, or jump to such a block.
  [[nodiscard]] bool only_ends(BlockId b, bool jumps = true) const {
    if (b == kExit) return true;
    const ir::Block& block = f_->blocks[b];
    if (block.end != block.first + 1) return false;
    const Instruction& last = f_->instructions[block.first];
    if (last.guard) return false;
    if (last.op == Opcode::Bra) return jumps && only_ends(last.target, false);
    return last.op == Opcode::Ret || last.op == Opcode::Exit;
  }
  // Immediate post-dominators in the level (Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm", 2001).
  void meet() {
    const uint32_t last = end();
    std::vector<std::vector<uint32_t>> next(last + 1), before(last + 1);
    for (uint32_t b = 0; b < last; ++b) {
      for (const BlockId s : f_->blocks[blocks_[b]].successors) {
        if (leaves(blocks_[b], s)) continue;
        const uint32_t to = s == kExit || s == header_ ? last : place_of(s);
        next[b].push_back(to), before[to].push_back(b);
      }
      if (next[b].empty()) next[b].push_back(last), before[last].push_back(b);
    }
    std::vector<uint32_t> number(last + 1, ~0u);
    std::vector<uint32_t> order;
    std::vector<std::pair<uint32_t, size_t>> stack{{last, 0}};
    number[last] = 0;
    while (!stack.empty()) {
      auto& [at, i] = stack.back();
      if (i == before[at].size()) {
        order.push_back(at);
        stack.pop_back();
        continue;
      }
      const uint32_t b = before[at][i++];
      if (number[b] != ~0u) continue;
      number[b] = 0;
      stack.push_back({b, 0});
    }
    for (uint32_t i = 0; i < order.size(); ++i) number[order[i]] = i;
    above_.assign(last + 1, kNowhere);
    above_[last] = last;
    for (bool changed = true; changed;) {
      changed = false;
      for (auto b = order.rbegin() + 1; b != order.rend(); ++b) {
        uint32_t found = kNowhere;
        for (uint32_t s : next[*b]) {
          if (above_[s] == kNowhere) continue;
          if (found == kNowhere) {
            found = s;
            continue;
          }
          while (s != found) (number[s] < number[found] ? s : found) = above_[number[s] < number[found] ? s : found];
        }
        changed |= above_[*b] != found;
        above_[*b] = found;
      }
    }
  }

  const ir::Function* f_;
  std::vector<BlockId> blocks_;
  BlockId header_;
  std::vector<uint32_t> above_;  // the immediate post-dominator's place, by place
};

// All loops, inner ones first, then the function itself. A cycle with two entries is no level of its own.
std::vector<Level> levels(const ir::Function& f, const ControlFlow& flow, const Dominators& dominators) {
  std::vector<Level> all;
  for (const BlockId header : flow.order) {
    if (!flow.loop_header[header]) continue;
    std::vector<BlockId> body = loop_body(flow, header);
    if (std::ranges::all_of(body, [&](BlockId b) { return dominators.dominates(header, b); }))
      all.emplace_back(f, std::move(body), header);
  }
  std::ranges::stable_sort(all, {}, &Level::size);
  all.emplace_back(f, flow.order, ir::kNone);
  return all;
}

// A loop that reads what others write meanwhile: who leaves it runs on at once (racing_loops).
bool polls(const ir::Function& f, const Level& level) {
  return std::ranges::any_of(level.blocks(), [&](BlockId b) {
    return std::any_of(f.instructions.begin() + f.blocks[b].first, f.instructions.begin() + f.blocks[b].end,
                       [](const Instruction& in) { return in.op == Opcode::Ld && in.mods.order != MemoryOrder::Weak; });
  });
}

bool branches(const ir::Function& f, BlockId b) {
  const ir::Block& block = f.blocks[b];
  if (block.successors.size() < 2 || block.first == block.end) return false;
  const Instruction& last = f.instructions[block.end - 1];
  return last.op == Opcode::Bra && last.guard;
}

std::optional<Found> look(const ir::Function& f, const ControlFlow& flow, const Dominators& dominators,
                          const Level& level, BlockId b) {
  const std::optional<BlockId> meets = level.meets(b);
  if (!meets || flow.reconvergence[b] == *meets) return std::nullopt;
  Found found{.branch = b,
              .meets = *meets,
              .clears = b,
              .between = std::vector<bool>(f.blocks.size(), false),
              .leaving = {},
              .size = 0};
  std::vector<BlockId> work;
  bool come = true;  // false: some lanes never come to where the sides meet, whatever they do
  const auto follow = [&](BlockId from) {
    for (const BlockId s : f.blocks[from].successors) {
      if (level.leaves(from, s)) {
        if (from != b && (found.leaving.empty() || found.leaving[0].to == s)) found.leaving.push_back({from, s});
      } else if (s != kExit && s != *meets && !found.between[s]) {
        come = come && !level.always_leaves(s);
        found.between[s] = true;
        work.push_back(s);
        ++found.size;
      }
    }
  };
  follow(b);
  while (!work.empty()) {
    const BlockId at = work.back();
    work.pop_back();
    follow(at);
  }
  const auto can_lead = [&](const Edge& e) {
    const ir::Block& block = f.blocks[e.from];
    if (block.first == block.end) return true;
    const Instruction& last = f.instructions[block.end - 1];
    return e.to != kExit && (!ir::is_terminator(last) || last.op == Opcode::Bra);
  };
  if (!come || found.leaving.empty() || !std::ranges::all_of(found.leaving, can_lead)) return std::nullopt;
  // Whoever comes in between, and into the level again, comes through the block that dominates all of it.
  found.clears = b;
  for (const BlockId at : level.blocks())
    while (found.between[at] && !dominators.dominates(found.clears, at)) found.clears = dominators.above(found.clears);
  return found;
}

// In the innermost loop that has such branches, the outermost of those that meet where the innermost does: they share
// one barrier, as in ptxas's code.
std::optional<Found> find(const ir::Function& f, const ControlFlow& flow) {
  const Dominators dominators(f, flow);
  const std::vector<Level> all = levels(f, flow, dominators);
  std::vector<bool> seen(f.blocks.size(), false);
  for (const Level& level : all) {
    std::vector<Found> here;
    const bool stays = &level != &all.back() && polls(f, level);
    for (const BlockId b : level.blocks()) {
      if (stays) seen[b] = true;
      if (seen[b] || !branches(f, b)) continue;
      // A branch out of this loop belongs to the level around it.
      const bool exits = std::ranges::any_of(f.blocks[b].successors, [&](BlockId s) { return level.leaves(b, s); });
      if (exits && &level != &all.back()) continue;
      seen[b] = true;
      if (auto found = look(f, flow, dominators, level, b)) here.push_back(std::move(*found));
    }
    if (here.empty()) continue;
    const BlockId meets = std::ranges::min_element(here, {}, &Found::size)->meets;
    std::erase_if(here, [&](const Found& found) { return found.meets != meets; });
    return *std::ranges::max_element(here, {}, &Found::size);
  }
  return std::nullopt;
}

class Rewrite {
 public:
  Rewrite(const ir::Function& f, const Found& found) : f_(f), found_(found) {}

  ir::Function run() {
    out_ = f_;
    out_.instructions.clear(), out_.blocks.clear();
    flag_ = static_cast<ir::RegisterId>(out_.registers.size());
    out_.registers.push_back({"%held" + std::to_string(flag_), ir::Type::Pred});
    place_ = f_.instructions[f_.blocks[found_.branch].end - 1].place;
    const BlockId count = static_cast<BlockId>(f_.blocks.size()), meets = found_.meets;
    // The new block falls into the point where the sides meet, if the block before that one is between them.
    const bool in_order = !stands_at_end();
    held_ = count;
    std::vector<BlockId> position(count + 1);
    for (BlockId b = 0; b < count; ++b) {
      if (in_order && b == meets) position[held_] = add_held_block();
      position[b] = copy(b);
    }
    if (!in_order) {
      position[held_] = add_held_block();
      add_block({jump(meets)});
    }
    for (Instruction& in : out_.instructions) {
      if (in.op == Opcode::Bra) in.target = position[in.target];
      for (BlockId& target : in.targets) target = position[target];
    }
    ir::set_successors(out_);
    return std::move(out_);
  }

 private:
  // Labels of targets are the old blocks' numbers until all blocks have their places; held_: the new block.
  BlockId add_block(std::vector<Instruction> code) {
    const auto first = static_cast<uint32_t>(out_.instructions.size());
    out_.instructions.insert(out_.instructions.end(), code.begin(), code.end());
    out_.blocks.push_back({first, static_cast<uint32_t>(out_.instructions.size()), {}});
    return static_cast<BlockId>(out_.blocks.size() - 1);
  }
  BlockId add_held_block() {
    Instruction leave = jump(found_.leaving[0].to);
    leave.guard = {flag_, false};
    return add_block({leave});
  }

  BlockId copy(BlockId b) {
    const ir::Block& block = f_.blocks[b];
    std::vector<Instruction> code(f_.instructions.begin() + block.first, f_.instructions.begin() + block.end);
    std::vector<Instruction> last;
    if (!code.empty() && ir::is_terminator(code.back())) last.push_back(std::move(code.back())), code.pop_back();
    if (b == found_.clears) code.push_back(set(0, {}));
    bool falls_out = false;  // its fall-through leaves
    if (leaves(b)) {
      const BlockId to = found_.leaving[0].to;
      const bool taken = !last.empty() && last[0].target == to, guarded = !last.empty() && last[0].guard;
      const bool falls = (last.empty() || guarded) && b + 1 == to;
      falls_out = falls;
      ir::Guard guard = guarded ? last[0].guard : ir::Guard{};
      if (taken && falls) guard = {};
      if (!taken && guarded) guard.negate = !guard.negate;
      code.push_back(set(1, guard));
      if (taken) last[0].target = held_;
    }
    const bool joins = changes(b);
    if (joins) {
      if (!last.empty() && last[0].op == Opcode::Bra && last[0].target == found_.meets) last[0].target = held_;
      if (!last.empty())
        for (BlockId& target : last[0].targets)
          if (target == found_.meets) target = held_;
    }
    code.insert(code.end(), last.begin(), last.end());
    // What falls through to the point, which stands elsewhere, or leaves by falling through, jumps.
    const bool falls_into_point = joins && falls_into(b) && b + 1 == found_.meets && stands_at_end();
    if (!falls_out && !falls_into_point) return add_block(std::move(code));
    if (last.empty()) {
      code.push_back(jump(held_));
      return add_block(std::move(code));
    }
    const BlockId at = add_block(std::move(code));
    add_block({jump(held_)});
    return at;
  }

  [[nodiscard]] bool stands_at_end() const {
    const BlockId meets = found_.meets;
    return meets < found_.branch || (falls_into(meets - 1) && !changes(meets - 1));
  }
  [[nodiscard]] bool leaves(BlockId b) const {
    return std::ranges::any_of(found_.leaving, [&](const Edge& e) { return e.from == b; });
  }
  // Edges from here to the point lead through the new block.
  [[nodiscard]] bool changes(BlockId b) const { return b == found_.branch || found_.between[b]; }
  [[nodiscard]] bool falls_into(BlockId b) const {
    const ir::Block& block = f_.blocks[b];
    if (block.first == block.end) return true;
    const Instruction& last = f_.instructions[block.end - 1];
    return !ir::is_terminator(last) || last.guard;
  }

  [[nodiscard]] Instruction held(Opcode op) const {
    Instruction in;
    in.op = op;
    in.origin = ir::Origin::Held;
    in.place = place_;
    return in;
  }
  [[nodiscard]] Instruction jump(BlockId to) const {
    Instruction in = held(Opcode::Bra);
    in.target = to;
    return in;
  }
  // The flag becomes the guard's value, or `value` without a guard.
  [[nodiscard]] Instruction set(uint64_t value, ir::Guard guard) const {
    Instruction in = held(Opcode::Mov);
    in.type = ir::Type::Pred;
    ir::Operand flag, source;
    flag.kind = source.kind = ir::Operand::Kind::Register;
    flag.id = flag_;
    if (guard) {
      if (guard.negate) in.op = Opcode::Not;
      source.id = guard.reg;
    } else {
      source.kind = ir::Operand::Kind::Immediate;
      source.bits = value;
    }
    in.dst = {flag}, in.src = {source};
    return in;
  }

  const ir::Function& f_;
  const Found& found_;
  ir::Function out_;
  ir::RegisterId flag_ = ir::kNone;
  uint32_t place_ = ir::kNone;
  BlockId held_ = 0;
};

}  // namespace

bool sets_held_flag(const Instruction& in) {
  return in.origin == ir::Origin::Held && in.op != Opcode::Bra &&
         (in.src[0].kind == ir::Operand::Kind::Register || in.src[0].bits != 0);
}

ir::Function hold_leaving_lanes(ir::Function f) {
  const size_t most =
      std::clamp(kMostCopied / std::max<size_t>(f.instructions.size(), 1), kFewestRewrites, kMostRewrites);
  for (size_t i = 0; i < most; ++i) {
    const ControlFlow flow = control_flow(f);
    const std::optional<Found> found = find(f, flow);
    if (!found) break;
    f = Rewrite(f, *found).run();
  }
  return f;
}

}  // namespace drywarp::analysis
