// Converts constants of the text to bits of the instruction's type.
#pragma once

#include <cstdint>

#include "language/ir/kernel.h"
#include "language/ptx/ast.h"

namespace drywarp::ir {

// `value` must be an Integer, Float32 or Float64 operand. Integers wrap to the width; floating-point constants round to
// nearest even; an integer in a floating-point operand of 32 or 64 bits is converted, in a 16-bit or packed one it is
// the bit pattern; a floating-point constant in an untyped or integer operand is the pattern at that width.
[[nodiscard]] uint64_t immediate_bits(const ptx::Operand& value, Type type);

// IEEE binary16 (or bfloat16) nearest to `value`, ties to even.
[[nodiscard]] uint16_t half_bits(double value);
[[nodiscard]] uint16_t bfloat_bits(double value);

}  // namespace drywarp::ir
