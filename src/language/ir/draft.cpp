#include "language/ir/draft.h"

#include <algorithm>

#include "language/ir/passes.h"

namespace drywarp::ir {

void Draft::finish(Function& function) && {
  // An empty block means the next one that is not empty; the last block is never empty.
  std::vector<Label> meaning(code_.size(), kNone);
  Label next = order_.back();
  for (size_t i = order_.size(); i-- > 0;) {
    if (!code_[order_[i]].empty()) next = order_[i];
    meaning[order_[i]] = next;
  }
  std::vector<bool> targeted(code_.size());
  for (Label label : order_) {
    for (Instruction& instruction : code_[label]) {
      if (instruction.op == Opcode::Bra) {
        instruction.target = meaning[instruction.target];
        targeted[instruction.target] = true;
      }
      for (BlockId& target : instruction.targets) {
        target = meaning[target];
        targeted[target] = true;
      }
    }
  }
  function.instructions.clear();
  function.instructions.reserve(size_);
  function.blocks.clear();
  std::vector<BlockId> block_of(code_.size(), kNone);
  bool falls = false;  // from the block before
  for (Label label : order_) {
    std::vector<Instruction>& code = code_[label];
    if (code.empty()) continue;
    const auto first = uint32_t(function.instructions.size());
    if (function.blocks.empty() || !falls || targeted[label]) {
      if (!function.blocks.empty()) function.blocks.back().end = first;
      function.blocks.push_back({first, first, {}});
    }
    block_of[label] = BlockId(function.blocks.size() - 1);
    falls = !is_terminator(code.back());
    std::move(code.begin(), code.end(), std::back_inserter(function.instructions));
  }
  function.blocks.back().end = uint32_t(function.instructions.size());
  for (Instruction& instruction : function.instructions) {
    if (instruction.op == Opcode::Bra) instruction.target = block_of[instruction.target];
    for (BlockId& target : instruction.targets) target = block_of[target];
  }
  set_successors(function);
}

}  // namespace drywarp::ir
