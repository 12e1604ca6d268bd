// How many low bits of each integer register may be set: the others are zero wherever the register is read. ptxas knows
// this too, and multiplies what fits in a word by one IMAD.WIDE. Private to select/.
#pragma once

#include <vector>

#include "language/ir/kernel.h"

namespace drywarp::sass {

class KnownWidths {
 public:
  explicit KnownWidths(const ir::Function& function);

  [[nodiscard]] unsigned of(const ir::Operand& operand) const;
  // Whether the upper word is known to be zero.
  [[nodiscard]] bool fits_word(const ir::Instruction& in, size_t source) const {
    return source < in.src.size() && of(in.src[source]) <= kWord;
  }
  // Whether the first result's upper word is known to be zero, and no other instruction writes the register.
  [[nodiscard]] bool result_fits_word(const ir::Instruction& in) const {
    const ir::Operand& result = in.dst.front();
    return result.kind == ir::Operand::Kind::Register && of(result) <= kWord && writes_[result.id] == 1;
  }

 private:
  static constexpr unsigned kWord = 32;
  [[nodiscard]] unsigned result(const ir::Instruction& in) const;

  std::vector<uint8_t> widths_;  // by register
  std::vector<uint8_t> writes_;  // by register: none, one, or more than one
};

}  // namespace drywarp::sass
