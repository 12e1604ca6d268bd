#include <algorithm>

#include "language/analysis/dominance.h"
#include "language/analysis/passes.h"

namespace drywarp::analysis {
namespace {

using ir::BlockId;
using ir::kExit;

// Post-order over successors, iteratively: kernels can have tens of thousands of blocks in a row.
std::vector<BlockId> post_order(const ir::Function& f, std::vector<bool>& seen) {
  std::vector<BlockId> order;
  std::vector<std::pair<BlockId, size_t>> stack;
  if (f.blocks.empty()) return order;
  stack.push_back({0, 0});
  seen[0] = true;
  while (!stack.empty()) {
    auto& [block, next] = stack.back();
    const auto& successors = f.blocks[block].successors;
    if (next == successors.size()) {
      order.push_back(block);
      stack.pop_back();
      continue;
    }
    BlockId s = successors[next++];
    if (s != kExit && !seen[s]) {
      seen[s] = true;
      stack.push_back({s, 0});
    }
  }
  return order;
}

std::vector<BlockId> post_dominators(const ir::Function& f, const ControlFlow& flow) {
  const auto exit = static_cast<uint32_t>(f.blocks.size());
  Edges back(exit + 1);
  for (const BlockId b : flow.order) {
    back[b] = flow.predecessors[b];
    if (std::ranges::find(f.blocks[b].successors, kExit) != f.blocks[b].successors.end()) back[exit].push_back(b);
  }
  std::vector<uint32_t> above = immediate_dominators(back, exit);
  // A loop that never leaves has no path to the exit: hang it on the exit so that every block has a post-dominator.
  for (auto b = flow.order.rbegin(); b != flow.order.rend(); ++b) {
    if (above[*b] != ir::kNone) continue;
    back[exit].push_back(*b);
    above = immediate_dominators(back, exit);
  }
  above.pop_back();
  for (BlockId& b : above)
    if (b == exit || b == ir::kNone) b = kExit;
  return above;
}

}  // namespace

ControlFlow control_flow(const ir::Function& f) {
  ControlFlow flow;
  const size_t count = f.blocks.size();
  flow.reachable.assign(count, false);
  flow.order = post_order(f, flow.reachable);
  std::reverse(flow.order.begin(), flow.order.end());
  flow.predecessors.resize(count);
  flow.loop_header.assign(count, false);
  std::vector<uint32_t> position(count, 0);
  for (uint32_t i = 0; i < flow.order.size(); ++i) position[flow.order[i]] = i;
  for (BlockId b : flow.order)
    for (BlockId s : f.blocks[b].successors) {
      if (s == kExit) continue;
      auto& p = flow.predecessors[s];
      if (std::find(p.begin(), p.end(), b) == p.end()) p.push_back(b);
      if (position[s] <= position[b]) flow.loop_header[s] = true;
    }
  flow.reconvergence = post_dominators(f, flow);
  return flow;
}

std::vector<bool> divergent_region(const ir::Function& f, const ControlFlow& flow, BlockId block) {
  std::vector<bool> inside(f.blocks.size(), false);
  const BlockId end = flow.reconvergence[block];
  std::vector<BlockId> work(f.blocks[block].successors);
  while (!work.empty()) {
    BlockId b = work.back();
    work.pop_back();
    if (b == kExit || b == end || inside[b]) continue;
    inside[b] = true;
    work.insert(work.end(), f.blocks[b].successors.begin(), f.blocks[b].successors.end());
  }
  return inside;
}

std::vector<BlockId> loop_body(const ControlFlow& flow, BlockId header) {
  std::vector<uint32_t> position(flow.predecessors.size(), 0);
  for (uint32_t i = 0; i < flow.order.size(); ++i) position[flow.order[i]] = i;
  std::vector<BlockId> body{header};
  std::vector<bool> inside(position.size(), false);
  inside[header] = true;
  const auto add = [&](BlockId b) {
    if (inside[b]) return;
    inside[b] = true;
    body.push_back(b);
  };
  for (const BlockId p : flow.predecessors[header])
    if (position[p] >= position[header]) add(p);
  for (size_t i = 1; i < body.size(); ++i)
    for (const BlockId p : flow.predecessors[body[i]]) add(p);
  return body;
}

std::vector<BlockId> immediate_dominators(const ir::Function& f, const ControlFlow& flow) {
  if (f.blocks.empty()) return {};
  Edges next(f.blocks.size());
  for (BlockId b = 0; b < f.blocks.size(); ++b) {
    next[b] = f.blocks[b].successors;
    std::erase(next[b], kExit);
  }
  return immediate_dominators(next, flow.order[0]);
}

}  // namespace drywarp::analysis
