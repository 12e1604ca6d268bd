// Liveness of virtual registers across blocks.
#pragma once

#include <vector>

#include "model/sass/code/code.h"

namespace drywarp::sass {

// Only registers that some block reads before it writes them.
class LiveSets {
 public:
  explicit LiveSets(const Kernel& kernel);

  // Registers live where `block` starts; ascending.
  [[nodiscard]] const std::vector<Register>& in(uint32_t block) const { return in_[block]; }
  // Registers live at the start of any of `blocks`.
  [[nodiscard]] std::vector<Register> at(const std::vector<uint32_t>& blocks) const;

  // Removes registers that were spilled to memory.
  void forget(const std::vector<Register>& registers);
  // Puts a newer register in the place of one.
  void replace(Register one, Register newer);

 private:
  std::vector<std::vector<Register>> in_;
};

}  // namespace drywarp::sass
