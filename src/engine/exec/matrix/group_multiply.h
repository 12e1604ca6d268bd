// Products of matrices by four warps (wgmma), of which one warp computes its lines: bit by bit as a Hopper's tensor
// cores.
//
// The arithmetic is that of multiply.h, but for 8-bit floating-point numbers: Hopper has instructions for these, which
// keep fewer bits of a sum.
#pragma once

#include "engine/exec/matrix/multiply.h"
#include "language/ir/group_products.h"

namespace drywarp::exec {

// A line of a or b, whatever its format.
inline constexpr unsigned kLineBytesOfGroup = 32;
struct GroupFactors {
  const uint32_t* a_registers = nullptr;  // of 32 lanes, one after another; null: `a` has its lines
  uint8_t a[ir::kLinesOfWarp][kLineBytesOfGroup];
  uint8_t b[256][kLineBytesOfGroup];
};

// `sums`: the registers of d, of 32 lanes, one after another: read if `adds`, and written.
void multiply_group(const ir::Instruction& in, const ir::GroupProduct& product, const MatrixArithmetic& arithmetic,
                    const GroupFactors& factors, bool adds, uint32_t* sums);

}  // namespace drywarp::exec
