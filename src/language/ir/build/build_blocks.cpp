// Basic blocks: cut at the labels that something jumps to and behind terminators.
#include <algorithm>

#include "language/ir/build/builder.h"
#include "language/ir/passes.h"

namespace drywarp::ir {

bool is_terminator(const Instruction& instruction) {
  switch (instruction.op) {
    case Opcode::Bra:
    case Opcode::BrxIdx:
    case Opcode::Ret:
    case Opcode::Exit:
    case Opcode::Trap:
      return true;
    default:
      return false;
  }
}

void set_successors(Function& function) {
  for (BlockId id = 0; id < function.blocks.size(); ++id) {
    Block& block = function.blocks[id];
    block.successors.clear();
    const BlockId next = id + 1 < function.blocks.size() ? id + 1 : kExit;
    const Instruction* last = block.first < block.end ? &function.instructions[block.end - 1] : nullptr;
    if (last == nullptr || !is_terminator(*last)) {
      block.successors = {next};
      continue;
    }
    if (last->op == Opcode::Bra) {
      block.successors = {last->target};
    } else if (last->op == Opcode::BrxIdx) {
      for (BlockId target : last->targets) {
        if (std::find(block.successors.begin(), block.successors.end(), target) == block.successors.end()) {
          block.successors.push_back(target);
        }
      }
    } else {
      block.successors = {kExit};
    }
    if (last->guard) block.successors.push_back(next);
  }
}

// Until here Instruction::target and targets hold label numbers.
bool FunctionBuilder::cut_blocks() {
  std::vector<Instruction>& list = out_.instructions;
  const bool falls_off = list.empty() || !is_terminator(list.back()) || list.back().guard ||
                         std::any_of(labels_.begin(), labels_.end(),
                                     [&](const Label& l) { return l.targeted && l.position == list.size(); });
  if (falls_off) {  // leaving the text's end is a return
    Instruction ret;
    ret.op = Opcode::Ret;
    ret.origin = Origin::Added;
    if (!out_.places.empty() && !list.empty()) ret.place = list.back().place;
    list.push_back(std::move(ret));
  }
  std::vector<bool> leader(list.size() + 1);
  leader[0] = true;
  for (const Label& label : labels_) {
    if (label.targeted) leader[label.position] = true;
  }
  for (size_t i = 0; i < list.size(); ++i) {
    if (is_terminator(list[i])) leader[i + 1] = true;
  }
  std::vector<BlockId> block_at(list.size() + 1, kNone);
  for (uint32_t i = 0; i < list.size(); ++i) {
    if (leader[i]) {
      if (!out_.blocks.empty()) out_.blocks.back().end = i;
      block_at[i] = BlockId(out_.blocks.size());
      out_.blocks.push_back({i, i, {}});
    }
  }
  out_.blocks.back().end = uint32_t(list.size());
  for (Instruction& instruction : list) {
    if (instruction.op == Opcode::Bra) instruction.target = block_at[labels_[instruction.target].position];
    for (BlockId& target : instruction.targets) target = block_at[labels_[target].position];
  }
  set_successors(out_);
  return true;
}

}  // namespace drywarp::ir
