// How aligned the values of registers are: what merging accesses knows of their addresses.
#pragma once

#include <unordered_map>
#include <vector>

#include "model/sass/code/code.h"

namespace drywarp::sass {

// How many low bits of each register are known to be zero: a greatest fixed point over the kernel. Within a region,
// enter() and pass() narrow it to the values that the registers have there.
class Alignment {
 public:
  Alignment(const Kernel& kernel, const std::vector<Region>& regions);
  [[nodiscard]] unsigned of(const Source& s) const;

  // At the start of an unrolled loop, a register that the loop steps has moved by all of the region's iterations at a
  // time since it was set, and by none if these are all of the loop's.
  void enter(const Kernel& kernel, const std::vector<Region>& regions, const Region& region);
  // Behind `c`.
  void pass(const Instruction& c);

 private:
  [[nodiscard]] unsigned of(const Instruction& c) const;
  [[nodiscard]] unsigned of_logic(const Instruction& c) const;

  std::vector<uint8_t> bits_;
  std::unordered_map<Register, uint8_t> here_;
};

}  // namespace drywarp::sass
