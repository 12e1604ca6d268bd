// Code that a pass builds: labelled blocks, numbered at the end. Private to this room.
#pragma once

#include <vector>

#include "language/ir/kernel.h"

namespace drywarp::ir {

// Until finish(), Instruction::target and targets hold labels. A label is started once; what follows belongs to it.
class Draft {
 public:
  using Label = uint32_t;
  Label label() {
    code_.emplace_back();
    return Label(code_.size() - 1);
  }
  // Labels 0 .. count-1, for a function whose block numbers stay its labels.
  void labels(size_t count) { code_.resize(count); }
  void start(Label label) { order_.push_back(label); }
  void add(Instruction instruction) {
    ++size_;
    code_[order_.back()].push_back(std::move(instruction));
  }
  [[nodiscard]] size_t size() const { return size_; }

  // Writes instructions and blocks: empty blocks vanish, and a block merges with the one that it falls through to if
  // nothing else leads there.
  void finish(Function& function) &&;

 private:
  std::vector<std::vector<Instruction>> code_;
  std::vector<Label> order_;
  size_t size_ = 0;
};

}  // namespace drywarp::ir
