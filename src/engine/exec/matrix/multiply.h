// Products of matrices as a device's tensor cores compute them, bit by bit.
//
// Floating-point inputs but f64: products are exact. They and the sum so far are aligned to the largest exponent among
// them, where a product has the sum of its factors' exponents; bits behind `fraction_bits` are dropped. Their exact sum
// is rounded: to f32 towards zero, to f16 to nearest even. A step adds the products of `step_bytes` of a line of a,
// then the next step continues. The m8n8k4 of halves, where tensor cores do not compute it: as ptxas 13.0's code. f64:
// one fused multiply-add after another, along k. Whole numbers: exact, modulo 2^32. 8-bit floating-point numbers: as
// Hopper, which has no instruction for them but multiplies halves. A sparse a: the elements that are stored, as those
// of a product that has no others.
#pragma once

#include <cstdint>

#include "language/ir/kernel.h"

namespace drywarp::exec {

struct MatrixArithmetic {
  unsigned fraction_bits = 0;  // behind the binary point of the largest term
  unsigned step_bytes = 0;
  bool quad_pairs = false;  // computes the m8n8k4 of halves; else FFMA does
  // Behind the point of terms and sums of 8-bit floating-point products of warp groups; 0: there are no such groups.
  unsigned group_float8_bits = 0;
};

// `in`: an mma or mma.sp in a known form. `operands`: its registers of a, b and c and its metadata, one after another,
// each of 32 lanes of 32 bits, or of 64 bits if they are f64. `out`: those of d.
void multiply_matrices(const ir::Instruction& in, const MatrixArithmetic& arithmetic, const void* operands, void* out);

}  // namespace drywarp::exec
