// Random walks over a kernel's blocks, matched to machine blocks as timing does.
#pragma once

#include <random>
#include <vector>

#include "language/ir/kernel.h"
#include "model/machine/machine_code.h"

namespace drywarp::sass {

// Blocks that a warp without divergence could run, `longest` at most.
inline std::vector<uint32_t> walk(const ir::Function& code, std::mt19937& random, size_t longest) {
  std::vector<uint32_t> steps{0};
  while (steps.size() < longest) {
    const auto& next = code.blocks[steps.back()].successors;
    if (next.empty()) break;
    const uint32_t to = next[random() % next.size()];
    if (to == ir::kExit) break;
    steps.push_back(to);
  }
  return steps;
}

// How many steps from `at` on the path covers, and which of the path's steps run; 0: it does not match.
inline size_t match(const machine::MachineBlock& block, const std::vector<uint32_t>& steps, size_t at,
                    std::vector<size_t>* taken = nullptr) {
  size_t position = at;
  for (size_t i = 0; i < block.path.size(); ++i) {
    if (position < steps.size() && steps[position] == block.path[i].block) {
      ++position;
      if (taken) taken->push_back(i);
    } else if (!block.path[i].optional) {
      return 0;
    }
  }
  return position - at;
}

// The machine block with the longest path that matches.
inline const machine::MachineBlock* longest_fit(const machine::MachineKernel& kernel,
                                                const std::vector<uint32_t>& steps, size_t at) {
  for (const auto& block : kernel.blocks)
    if (block.path[0].block == steps[at] && match(block, steps, at) > 0) return &block;
  return nullptr;
}

}  // namespace drywarp::sass
