#include "language/analysis/levels.h"

#include <algorithm>

#include "language/analysis/dominance.h"

namespace drywarp::analysis {

using ir::BlockId;
using ir::kExit;

namespace {

// Does nothing but end, or jump to such a block.
bool only_ends(const ir::Function& f, BlockId b, bool jumps = true) {
  if (b == kExit) return true;
  const ir::Block& block = f.blocks[b];
  if (block.end != block.first + 1) return false;
  const ir::Instruction& last = f.instructions[block.first];
  if (last.guard) return false;
  if (last.op == ir::Opcode::Bra) return jumps && only_ends(f, last.target, false);
  return last.op == ir::Opcode::Ret || last.op == ir::Opcode::Exit;
}

}  // namespace

Level::Level(const ir::Function& f, std::vector<BlockId> blocks, BlockId header)
    : f_(&f), blocks_(std::move(blocks)), header_(header) {
  std::ranges::sort(blocks_);
  above_ = post_dominators();
}

std::optional<BlockId> Level::meets(BlockId b) const {
  const uint32_t above = above_[place_of(b)];
  if (above == ir::kNone) return std::nullopt;
  if (above == end()) return is_function() ? std::nullopt : std::optional(header_);
  return blocks_[above];
}

bool Level::always_leaves(BlockId b) const { return above_[place_of(b)] == ir::kNone; }

bool Level::leaves(BlockId from, BlockId to) const {
  if (!is_function()) return to == kExit || !std::ranges::binary_search(blocks_, to);
  return f_->blocks[from].successors.size() > 1 && only_ends(*f_, to);
}

uint32_t Level::place_of(BlockId b) const {
  return static_cast<uint32_t>(std::ranges::lower_bound(blocks_, b) - blocks_.begin());
}

std::vector<uint32_t> Level::post_dominators() const {
  Edges back(end() + 1);
  for (uint32_t b = 0; b < end(); ++b) {
    bool stays = false;
    for (const BlockId s : f_->blocks[blocks_[b]].successors) {
      if (leaves(blocks_[b], s)) continue;
      stays = true;
      back[s == kExit || s == header_ ? end() : place_of(s)].push_back(b);
    }
    if (!stays) back[end()].push_back(b);
  }
  return immediate_dominators(back, end());
}

std::vector<Level> levels(const ir::Function& f, const ControlFlow& flow, const std::vector<BlockId>& dominator) {
  std::vector<Level> all;
  for (const BlockId header : flow.order) {
    if (!flow.loop_header[header]) continue;
    std::vector<BlockId> body = loop_body(flow, header);
    if (std::ranges::all_of(body, [&](BlockId b) { return dominates(dominator, header, b); }))
      all.emplace_back(f, std::move(body), header);
  }
  std::ranges::stable_sort(all, {}, &Level::size);
  all.emplace_back(f, flow.order, ir::kNone);
  return all;
}

}  // namespace drywarp::analysis
