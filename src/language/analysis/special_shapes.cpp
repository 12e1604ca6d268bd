// Special registers: the same in every lane, or counting the lanes of the block's rows.
#include <algorithm>
#include <bit>

#include "language/analysis/shapes.h"

namespace drywarp::analysis {

using ir::SpecialRegister;

uint8_t alignment_of(uint64_t value) {
  return value == 0 ? 32 : static_cast<uint8_t>(std::min(32, std::countr_zero(value)));
}

LanePattern lane_pattern(const BlockShape& block) {
  if (block.y * block.z == 1 || block.x % 32 == 0 || block.x == 1) return {32};
  if (block.x < 32 && std::has_single_bit(block.x)) return {block.x};
  return {32};
}

Shape shape_of(SpecialRegister reg, const BlockShape& block) {
  const uint32_t width = lane_pattern(block).width;
  const bool rows = width != 32;  // several rows of x in a warp
  switch (reg) {
    case SpecialRegister::TidX:
      if (block.x == 1) return Shape::uniform(32);
      if (block.y * block.z == 1 || block.x % 32 == 0) return Shape::affine(5, 1, 0);
      if (rows) return Shape::affine(32, 1, 0);
      return Shape::varying();
    case SpecialRegister::TidY:
      if (block.y == 1) return Shape::uniform(32);
      if (block.x % 32 == 0) return Shape::uniform();
      if (block.x == 1) return block.z == 1 || block.y % 32 == 0 ? Shape::affine(5, 1, 0) : Shape::varying();
      if (rows && (block.z == 1 || (block.x * block.y) % 32 == 0))
        return Shape::affine(std::countr_zero(32 / width), 0, 1);
      return Shape::varying();
    case SpecialRegister::TidZ:
      if (block.z == 1) return Shape::uniform(32);
      if (block.x % 32 == 0 || (block.x * block.y) % 32 == 0) return Shape::uniform();
      return Shape::varying();
    case SpecialRegister::LaneId:
      return Shape::affine(32, 1, static_cast<int32_t>(width == 32 ? 0 : width));
    case SpecialRegister::LanemaskEq:
    case SpecialRegister::LanemaskLe:
    case SpecialRegister::LanemaskLt:
    case SpecialRegister::LanemaskGe:
    case SpecialRegister::LanemaskGt:
      return Shape::varying();
    case SpecialRegister::NtidX:
      return Shape::uniform(alignment_of(block.x));
    case SpecialRegister::NtidY:
      return Shape::uniform(alignment_of(block.y));
    case SpecialRegister::NtidZ:
      return Shape::uniform(alignment_of(block.z));
    default:
      return Shape::uniform();
  }
}

}  // namespace drywarp::analysis
