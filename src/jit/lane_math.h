// Arithmetic that is too long to inline: IEEE operations with directed rounding, the multi-function unit's approximations,
// conversions, and the mathematics library (libdevice's __nv_* functions). Plain C++ over arrays of 1 or 32 lanes.
#pragma once

#include <cstdint>
#include <string_view>

namespace drywarp::jit {

using LaneFunction = void (*)(void* result, const void* a, const void* b, const void* c, uint32_t lanes);

// nullptr if there is no helper of that name. Names are "dw_<what>"; libdevice's functions are found by their own names
// ("__nv_sinf"), and called by the JIT for `call`s to functions that no module defines.
LaneFunction find_lane_function(std::string_view name);

// What a __nv_* function takes and gives, so that a call can be checked: sizes in bytes, 0 where there is none.
// Pointer arguments (__nv_sincosf, __nv_frexp, __nv_modf ...) get `pointer_results`: extra results to be stored.
struct MathSignature {
  uint8_t result_bytes = 0;
  uint8_t argument_bytes[3] = {0, 0, 0};
};
const MathSignature* find_math_signature(std::string_view name);

}  // namespace drywarp::jit
