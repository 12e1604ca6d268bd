// How many operands an opcode takes and of which type each source is: what decoding of immediates and verification
// need.
#pragma once

#include "language/ir/kernel.h"

namespace drywarp::ir {

struct OperandForm {
  uint8_t min_dst, max_dst;  // after flattening vectors and p|q
  uint8_t min_src, max_src;
  uint8_t addresses;         // how many [..] operands it must have
  const char* source_types;  // one letter a source, the last repeats; see source_type
};

inline constexpr uint8_t kAny = 255;

// Opcodes that do not run have loose forms: any number of sources.
[[nodiscard]] const OperandForm& operand_form(Opcode op);
[[nodiscard]] Type source_type(const Instruction& instruction, size_t index);
// bar.red writes a register, the other forms of bar write none.
[[nodiscard]] bool has_destination(Opcode op, Mode mode);

}  // namespace drywarp::ir
