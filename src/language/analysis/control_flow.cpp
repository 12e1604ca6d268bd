#include "language/analysis/passes.h"

#include <algorithm>

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

// Cooper, Harvey, Kennedy: "A Simple, Fast Dominance Algorithm", on the reversed graph rooted at the function's exit.
std::vector<BlockId> post_dominators(const ir::Function& f, const ControlFlow& flow) {
  const uint32_t count = f.blocks.size();
  const uint32_t exit = count;                             // the virtual node
  std::vector<std::vector<uint32_t>> reversed(count + 1);  // successors in the reversed graph = predecessors
  std::vector<bool> leaves(count, false);
  for (BlockId b = 0; b < count; ++b)
    for (BlockId s : f.blocks[b].successors)
      if (s == kExit) leaves[b] = true;
  for (BlockId b = 0; b < count; ++b)
    if (leaves[b] && flow.reachable[b]) reversed[exit].push_back(b);
  for (BlockId b = 0; b < count; ++b)
    if (flow.reachable[b]) reversed[b].assign(flow.predecessors[b].begin(), flow.predecessors[b].end());

  std::vector<uint32_t> number(count + 1, ~0u), by_number;
  auto visit = [&](uint32_t root) {
    std::vector<std::pair<uint32_t, size_t>> stack{{root, 0}};
    std::vector<uint32_t> post;
    number[root] = 0;
    while (!stack.empty()) {
      auto& [node, next] = stack.back();
      if (next == reversed[node].size()) {
        post.push_back(node);
        stack.pop_back();
        continue;
      }
      uint32_t p = reversed[node][next++];
      if (number[p] == ~0u) {
        number[p] = 0;
        stack.push_back({p, 0});
      }
    }
    return post;
  };
  // A loop that never leaves has no path to the exit: hang it on the exit so that every block has a post-dominator.
  std::vector<uint32_t> post = visit(exit);
  for (auto it = flow.order.rbegin(); it != flow.order.rend(); ++it) {
    if (number[*it] != ~0u) continue;
    reversed[exit].push_back(*it);
    std::fill(number.begin(), number.end(), ~0u);
    post = visit(exit);
  }
  for (uint32_t i = 0; i < post.size(); ++i) number[post[i]] = i;
  std::vector<std::vector<uint32_t>> forward(count + 1);
  for (uint32_t n = 0; n <= count; ++n)
    for (uint32_t p : reversed[n]) forward[p].push_back(n);

  std::vector<uint32_t> dom(count + 1, ~0u);
  dom[exit] = exit;
  auto meet = [&](uint32_t a, uint32_t b) {
    while (a != b) {
      while (number[a] < number[b]) a = dom[a];
      while (number[b] < number[a]) b = dom[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (auto it = post.rbegin(); it != post.rend(); ++it) {
      if (*it == exit) continue;
      uint32_t found = ~0u;
      for (uint32_t s : forward[*it])
        if (dom[s] != ~0u) found = found == ~0u ? s : meet(s, found);
      if (found != ~0u && dom[*it] != found) {
        dom[*it] = found;
        changed = true;
      }
    }
  }
  std::vector<BlockId> result(count, kExit);
  for (BlockId b = 0; b < count; ++b)
    if (dom[b] != ~0u && dom[b] != exit) result[b] = dom[b];
  return result;
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
  std::vector<uint32_t> place(f.blocks.size(), 0);
  for (uint32_t i = 0; i < flow.order.size(); ++i) place[flow.order[i]] = i;
  std::vector<BlockId> above(f.blocks.size(), ir::kNone);
  if (flow.order.empty()) return above;
  above[flow.order[0]] = flow.order[0];
  for (bool changed = true; changed;) {
    changed = false;
    for (const BlockId b : flow.order) {
      if (b == flow.order[0]) continue;
      BlockId meet = ir::kNone;
      for (BlockId p : flow.predecessors[b]) {
        if (above[p] == ir::kNone) continue;
        if (meet == ir::kNone) {
          meet = p;
          continue;
        }
        while (p != meet) (place[p] > place[meet] ? p : meet) = above[place[p] > place[meet] ? p : meet];
      }
      changed |= above[b] != meet;
      above[b] = meet;
    }
  }
  return above;
}

}  // namespace drywarp::analysis
