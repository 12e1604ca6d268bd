// Dominators of directed graphs: of a function's blocks, backwards (post-dominators), and of parts of them.
#pragma once

#include <cstdint>
#include <vector>

namespace drywarp::analysis {

using Edges = std::vector<std::vector<uint32_t>>;  // by node: where its edges lead

// The immediate dominator of each node; the root is its own, and a node that it does not reach has none (ir::kNone).
// Cooper, Harvey, Kennedy: "A Simple, Fast Dominance Algorithm", 2001.
[[nodiscard]] std::vector<uint32_t> immediate_dominators(const Edges& next, uint32_t root);

// Whether every way from the root to `node` leads through `above`.
[[nodiscard]] bool dominates(const std::vector<uint32_t>& immediate, uint32_t above, uint32_t node);

}  // namespace drywarp::analysis
