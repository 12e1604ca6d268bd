// What sequences of instructions share: divisions, roots, transcendental functions.
#pragma once

#include "model/sass/select/handlers.h"

namespace drywarp::sass::handlers {

constexpr Form mufu(Function function) { return {.function = function}; }
// Of divisions and roots whose rare cases a subroutine does.
inline constexpr Form kBesideSlowPath{.in_sequence = true, .beside_slow_path = true};
constexpr Form rounded_mufu(Function function) { return {.function = function, .beside_slow_path = true}; }
// The comparison that a step makes.
constexpr Form step(ir::Type type, ir::Compare compare) {
  return {.type = type, .compare = compare, .in_sequence = true};
}

inline constexpr uint32_t kSmallest = 0x00800000;  // bits of the smallest normal float

// Registers that slow-path subroutines take on top of what lives on. In ptxas 13's code for 347 kernels (sm_90) the
// single-precision ones touch 9 to 12, 5 to 9 and 7 to 10, the double-precision ones 18 to 22, 10 to 14 and 9 to 11;
// these numbers give the most kernels ptxas's step of registers. Beside a reciprocal or a square root 20 and 21 values
// fit in 32 registers, with these as with ptxas. Those of 64-bit integers are assumed.
struct SlowPath {
  uint8_t divide = 11, square_root = 6, reciprocal = 7;
  uint8_t divide_double = 18, square_root_double = 10, reciprocal_double = 8;
  uint8_t divide_long = 13, remainder_long = 15;
};
inline constexpr SlowPath kSlowPath;

// Of doubles (double_sequences.cpp). `reciprocal`: one over the root.
void double_reciprocal(Writer& write, Source a, Register d);
void double_root(Writer& write, Source a, Register d, bool reciprocal);

}  // namespace drywarp::sass::handlers
