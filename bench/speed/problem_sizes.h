// Problem sizes, shared by the kernels on the engine and by the plain C++ versions.
#pragma once

#include <cstdint>

namespace drywarp::bench {

inline constexpr uint32_t kVector = 1 << 22;
inline constexpr uint32_t kMatrix = 2048;     // transposed; rows = columns
inline constexpr uint32_t kMultiplied = 384;  // width of the matrices that are multiplied
inline constexpr uint32_t kReduced = 1 << 22;
inline constexpr uint32_t kReductionBlock = 128;
inline constexpr uint32_t kSummed = 1024;  // row and column sums
inline constexpr uint32_t kHistogram = 1 << 21;
inline constexpr uint32_t kDivergentWarps = 8192;
inline constexpr uint32_t kBankRepeats = 1024;
inline constexpr uint32_t kBankBlocks = 264;

}  // namespace drywarp::bench
