// Products of matrices by the four warps of a group (wgmma.mma_async): d = a * b + d, with d of 64 lines.
//
// A warp has 16 lines of a and d, in fragments as mma's (matrix_shapes.h). b is in shared memory, and a is there, too,
// or in registers. Instruction::src is in the order of the text; behind it are the registers of d, which are read, too.
#pragma once

#include "language/ir/matrix_shapes.h"

namespace drywarp::ir {

inline constexpr unsigned kGroupWarps = 4, kLinesOfWarp = 16;

struct GroupProduct {
  MatrixInputs inputs{};
  unsigned n = 0, k = 0;
  MatrixFragments fragments;  // a, c: of a warp; b: all of it
  bool a_in_registers = false;
  size_t a = 0, b = 0, scale_d = 0, sums = 0;     // indices into src: the first operand of each
  bool negate_a = false, negate_b = false;        // imm-scale-a, -b
  bool transpose_a = false, transpose_b = false;  // in memory, lines of k elements; transposed: lines of m or n
};
// Nothing: PTX has no such form, or drywarp does not know it.
[[nodiscard]] std::optional<GroupProduct> group_product(const Instruction& in);
[[nodiscard]] bool known_group_product(const Instruction& in);

}  // namespace drywarp::ir
