// How a register's value varies over the 32 lanes of a warp. Decided before the program runs, and exact. So most
// address arithmetic and loop control is computed once a warp instead of once a lane.
//
//   Uniform   the same in every active lane
//   Affine    base + stride1 * K1 + stride2 * K2, an integer of 32 bits, modulo 2^32
//   Extended  scale * extend(affine) + addend, an integer of 64 bits: how 32-bit indices become addresses
//   Varying   anything
//
// K1 and K2 are the lane patterns of the block's shape: with rows of w lanes, K1 = lane mod w and K2 = lane / w (w = 32
// and K2 = 0 for one-dimensional blocks). base, strides, scale and addend are uniform values known when the program
// runs; what is known earlier (a constant stride, the alignment of the base) is kept here, so that warp numbers (tid /
// 32) and warp-aligned comparisons (tid < 64) are uniform.
//
// After Coutinho et al., "Divergence Analysis and Optimizations", PACT 2011; Collange et al., "Affine Vector Cache",
// 2010.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "language/analysis/passes.h"
#include "language/ir/kernel.h"

namespace drywarp::analysis {

struct BlockShape {
  uint32_t x = 1, y = 1, z = 1;
  bool operator==(const BlockShape&) const = default;
};

// Lanes in a row: what K1 counts. 32: K2 is always 0.
struct LanePattern {
  uint32_t width = 32;
  [[nodiscard]] uint32_t rows() const { return 32 / width; }
};
LanePattern lane_pattern(const BlockShape& block);

struct Shape {
  enum class Kind : uint8_t { Unknown, Uniform, Affine, Extended, Varying };
  Kind kind = Kind::Unknown;
  bool is_signed = false;  // Extended: how the 32 bits are extended
  uint8_t alignment = 0;   // log2 of what divides a Uniform value, or the base of an Affine one; up to 32
  std::optional<int32_t> stride1, stride2;  // Affine and Extended: known strides
  std::optional<int64_t> scale;             // Extended: known scale

  static Shape uniform(uint8_t alignment = 0) { return {Kind::Uniform, false, alignment, {}, {}, {}}; }
  static Shape varying() { return {Kind::Varying, false, 0, {}, {}, {}}; }
  static Shape affine(uint8_t alignment, std::optional<int32_t> s1, std::optional<int32_t> s2) {
    return {Kind::Affine, false, alignment, s1, s2, {}};
  }
  [[nodiscard]] bool is_uniform() const { return kind == Kind::Uniform || kind == Kind::Unknown; }
  bool operator==(const Shape&) const = default;
};

struct Shapes {
  LanePattern pattern;
  std::vector<Shape> registers;
  // A conditional branch at the end of this block may send lanes both ways.
  std::vector<bool> divergent;
  // Registers whose values lanes outside the active mask still need while this block runs: writes must blend.
  std::vector<RegisterSet> kept;
  // Of the two targets of a divergent branch, the one that waits while the other runs first; kExit if the reconvergence
  // point itself is one of them.
  std::vector<ir::BlockId> second;
};

Shapes shapes(const ir::Function& function, const ControlFlow& flow, const Liveness& live, const BlockShape& block);

// log2 of what divides `value`, up to 32.
uint8_t alignment_of(uint64_t value);

// The shape of a special register.
Shape shape_of(ir::SpecialRegister reg, const BlockShape& block);

}  // namespace drywarp::analysis
