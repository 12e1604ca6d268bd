#include "language/analysis/dominance.h"

#include <algorithm>

#include "language/ir/kernel.h"

namespace drywarp::analysis {
namespace {

// Iteratively: kernels can have tens of thousands of blocks in a row.
std::vector<uint32_t> post_order(const Edges& next, uint32_t root) {
  std::vector<uint32_t> order;
  std::vector<bool> seen(next.size(), false);
  std::vector<std::pair<uint32_t, size_t>> stack{{root, 0}};
  seen[root] = true;
  while (!stack.empty()) {
    auto& [node, edge] = stack.back();
    if (edge == next[node].size()) {
      order.push_back(node);
      stack.pop_back();
      continue;
    }
    const uint32_t to = next[node][edge++];
    if (seen[to]) continue;
    seen[to] = true;
    stack.push_back({to, 0});
  }
  return order;
}

}  // namespace

std::vector<uint32_t> immediate_dominators(const Edges& next, uint32_t root) {
  const std::vector<uint32_t> order = post_order(next, root);
  std::vector<uint32_t> number(next.size(), 0), above(next.size(), ir::kNone);
  Edges before(next.size());
  for (uint32_t i = 0; i < order.size(); ++i) {
    number[order[i]] = i;
    for (const uint32_t to : next[order[i]]) before[to].push_back(order[i]);
  }
  above[root] = root;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto node = order.rbegin() + 1; node != order.rend(); ++node) {
      uint32_t meet = ir::kNone;
      for (uint32_t b : before[*node]) {
        if (above[b] == ir::kNone) continue;
        if (meet == ir::kNone) meet = b;
        while (b != meet) {
          uint32_t& lower = number[b] < number[meet] ? b : meet;
          lower = above[lower];
        }
      }
      changed |= above[*node] != meet;
      above[*node] = meet;
    }
  }
  return above;
}

bool dominates(const std::vector<uint32_t>& immediate, uint32_t above, uint32_t node) {
  while (node != above) {
    const uint32_t up = immediate[node];
    if (up == node || up == ir::kNone) return false;
    node = up;
  }
  return true;
}

}  // namespace drywarp::analysis
