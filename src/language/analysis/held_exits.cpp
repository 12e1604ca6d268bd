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
#include "language/analysis/held_exits.h"

#include <algorithm>
#include <optional>

#include "language/analysis/dominance.h"
#include "language/analysis/levels.h"
#include "language/analysis/passes.h"

namespace drywarp::analysis {

namespace {

using ir::BlockId;
using ir::Instruction;
using ir::kExit;
using ir::Opcode;

// Of a function; each copies it. What is left then meets later than on a GPU.
constexpr size_t kMostRewrites = 256, kFewestRewrites = 8, kMostCopied = 500'000;  // instructions

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

std::optional<HeldExit> look(const ir::Function& f, const ControlFlow& flow, const std::vector<BlockId>& dominator,
                             const Level& level, BlockId b) {
  const std::optional<BlockId> meets = level.meets(b);
  if (!meets || flow.reconvergence[b] == *meets) return std::nullopt;
  HeldExit found{.branch = b,
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
    while (found.between[at] && !dominates(dominator, found.clears, at)) found.clears = dominator[found.clears];
  return found;
}

// In the innermost loop that has such branches, the outermost of those that meet where the innermost does: they share
// one barrier, as in ptxas's code.
std::optional<HeldExit> find(const ir::Function& f, const ControlFlow& flow) {
  const std::vector<BlockId> dominator = immediate_dominators(f, flow);
  std::vector<bool> seen(f.blocks.size(), false);
  for (const Level& level : levels(f, flow, dominator)) {
    std::vector<HeldExit> here;
    const bool stays = !level.is_function() && polls(f, level);
    for (const BlockId b : level.blocks()) {
      if (stays) seen[b] = true;
      if (seen[b] || !branches(f, b)) continue;
      // A branch out of this loop belongs to the level around it.
      const bool exits = std::ranges::any_of(f.blocks[b].successors, [&](BlockId s) { return level.leaves(b, s); });
      if (exits && !level.is_function()) continue;
      seen[b] = true;
      if (auto found = look(f, flow, dominator, level, b)) here.push_back(std::move(*found));
    }
    if (here.empty()) continue;
    const BlockId meets = std::ranges::min_element(here, {}, &HeldExit::size)->meets;
    std::erase_if(here, [&](const HeldExit& found) { return found.meets != meets; });
    return *std::ranges::max_element(here, {}, &HeldExit::size);
  }
  return std::nullopt;
}

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
    const std::optional<HeldExit> found = find(f, flow);
    if (!found) break;
    f = with_held_block(f, *found);
  }
  return f;
}

}  // namespace drywarp::analysis
