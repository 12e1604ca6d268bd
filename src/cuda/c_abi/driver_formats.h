// The driver's formats of array elements as the runtime's.
#pragma once

#include <algorithm>
#include <iterator>

#include "cuda.h"
#include "cuda/c_abi/runtime.h"

namespace drywarp::cudart {

struct ArrayFormat {
  CUarray_format driver;
  int bits;  // a channel
  cudaChannelFormatKind kind;
};
inline constexpr ArrayFormat kArrayFormats[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, 8, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_UNSIGNED_INT16, 16, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_UNSIGNED_INT32, 32, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_SIGNED_INT8, 8, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_SIGNED_INT16, 16, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_SIGNED_INT32, 32, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_HALF, 16, cudaChannelFormatKindFloat},
    {CU_AD_FORMAT_FLOAT, 32, cudaChannelFormatKindFloat},
};

// Null: there is none.
[[nodiscard]] inline const ArrayFormat* find_format(CUarray_format driver) {
  const auto* found = std::ranges::find(kArrayFormats, driver, &ArrayFormat::driver);
  return found == std::end(kArrayFormats) ? nullptr : found;
}
[[nodiscard]] inline const ArrayFormat* find_format(int bits, int kind) {
  const auto* found =
      std::ranges::find_if(kArrayFormats, [&](const ArrayFormat& f) { return f.bits == bits && int(f.kind) == kind; });
  return found == std::end(kArrayFormats) ? nullptr : found;
}

}  // namespace drywarp::cudart
