// Driver API: tensors in global memory, as copies of their boxes take them.
#include <algorithm>
#include <cstring>

#include "cuda/c_abi/driver.h"
#include "engine/exec/bulk/tensor_map.h"

using namespace drywarp::cudart;
using drywarp::exec::TensorMap;
using drywarp::exec::TensorType;

namespace {

constexpr uint64_t kAddressUnit = 16, kMostStride = uint64_t{1} << 40, kMostElements = uint64_t{1} << 32;
constexpr uint32_t kMostBox = 256, kMostStep = 8;

uint32_t swizzle_bytes(CUtensorMapSwizzle swizzle) {
  constexpr uint32_t kBytes[] = {0, 32, 64, 128};  // in the order of the enumerators
  return kBytes[swizzle];
}

// What the driver's documentation demands of a tensor and its box.
bool fits(const TensorMap& map, const cuuint64_t* dims, const cuuint64_t* strides, const cuuint32_t* box,
          const cuuint32_t* steps) {
  if (map.address % kAddressUnit != 0) return false;
  for (unsigned d = 0; d < map.rank; ++d) {
    if (dims[d] == 0 || dims[d] > kMostElements) return false;
    if (box[d] == 0 || box[d] > kMostBox || steps[d] == 0 || steps[d] > kMostStep) return false;
    if (d + 1 < map.rank && (strides[d] % kAddressUnit != 0 || strides[d] >= kMostStride)) return false;
  }
  const uint32_t row = box[0] * drywarp::exec::element_bytes(map.type);
  return row % kAddressUnit == 0 && (map.swizzle_bytes == 0 || row <= map.swizzle_bytes);
}

}  // namespace

extern "C" {

CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address,
                                const cuuint64_t* dims, const cuuint64_t* strides, const cuuint32_t* box,
                                const cuuint32_t* steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  DW_DRIVER({
    const bool known = type <= CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ && swizzle <= CU_TENSOR_MAP_SWIZZLE_128B &&
                       promotion <= CU_TENSOR_MAP_L2_PROMOTION_L2_256B;
    if (!map || !known || rank == 0 || rank > drywarp::exec::kMostTensorRank || !dims || !box || !steps ||
        (rank > 1 && !strides))
      return Error::InvalidValue;
    if (interleave != CU_TENSOR_MAP_INTERLEAVE_NONE) return Error::NotSupported;
    TensorMap made;
    made.type = static_cast<TensorType>(type);
    made.rank = static_cast<uint8_t>(rank);
    made.swizzle_bytes = static_cast<uint8_t>(swizzle_bytes(swizzle));
    made.nan_outside = fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
    made.address = reinterpret_cast<uint64_t>(address);
    if (!fits(made, dims, strides, box, steps)) return Error::InvalidValue;
    for (unsigned d = 0; d < rank; ++d) {
      made.last[d] = static_cast<uint32_t>(dims[d] - 1);
      made.box[d] = static_cast<uint16_t>(box[d]), made.steps[d] = static_cast<uint8_t>(steps[d]);
      if (d + 1 < rank) made.strides[d] = strides[d];
    }
    std::memset(map, 0, sizeof *map);
    std::memcpy(map, &made, sizeof made);
    return Error::Success;
  });
}

CUresult cuTensorMapReplaceAddress(CUtensorMap* map, void* address) {
  DW_DRIVER({
    if (!map || reinterpret_cast<uint64_t>(address) % kAddressUnit != 0) return Error::InvalidValue;
    TensorMap made;
    std::memcpy(&made, map, sizeof made);
    if (made.mark != TensorMap::kMark) return Error::InvalidValue;
    made.address = reinterpret_cast<uint64_t>(address);
    std::memcpy(map, &made, sizeof made);
    return Error::Success;
  });
}

}  // extern "C"
