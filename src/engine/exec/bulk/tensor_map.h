// A tensor in global memory and the box of it that one instruction copies: what cuTensorMapEncodeTiled keeps of its
// arguments. A map is 128 bytes in memory of the program, which programs do not look into.
#pragma once

#include <cstdint>

namespace drywarp::exec {

inline constexpr unsigned kTensorMapBytes = 128, kMostTensorRank = 5;

// As CUtensorMapDataType counts.
enum class TensorType : uint8_t { U8, U16, U32, S32, U64, S64, F16, F32, F64, BF16, F32Ftz, TF32, TF32Ftz, Count };
[[nodiscard]] unsigned element_bytes(TensorType type);

struct TensorMap {
  static constexpr uint32_t kMark = 0x7d3a9c51;
  uint32_t mark = kMark;  // else these bytes are no map
  TensorType type{};
  uint8_t rank = 0;
  uint8_t swizzle_bytes = 0;  // 0, 32, 64, 128
  bool nan_outside = false;   // elements outside are NaN, not 0
  uint64_t address = 0;
  uint64_t strides[kMostTensorRank - 1] = {};  // bytes from an element to the next of dimension 1, 2, ...
  uint32_t last[kMostTensorRank] = {};         // the last element of each dimension
  uint16_t box[kMostTensorRank] = {};          // elements
  uint8_t steps[kMostTensorRank] = {};         // of those, each so many-th is copied
};
static_assert(sizeof(TensorMap) <= kTensorMapBytes);

}  // namespace drywarp::exec
