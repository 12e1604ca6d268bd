// Arithmetic that is too long to inline: IEEE operations with directed rounding, division of 64-bit integers, and the
// mathematics library (libdevice's __nv_* functions). Plain C++ over arrays of 1 or 32 lanes.
#pragma once

#include <cstdint>
#include <string_view>

namespace drywarp::jit {

// Argument arrays follow the order of the value arguments; a fourth array follows the third in the memory of `c`.
// `result` holds one array for the function's result (none for void), then one for each pointer argument, in order.
using LaneFunction = void (*)(void* result, const void* a, const void* b, const void* c, uint32_t lanes);

// nullptr if there is no helper of that name. Names are "dw_<what>"; libdevice's functions are found by their own names
// ("__nv_sinf"), and called by the JIT for `call`s to functions that no module defines.
LaneFunction find_lane_function(std::string_view name);

// What a __nv_* function takes and gives, so that a call can be checked and its results stored. Sizes in bytes, 0 where
// there is none. In every one of libdevice's functions the pointers through which it returns stand after the values:
// __nv_sincosf(x, &s, &c) has argument_bytes {4}, pointer_bytes {4, 4} and no result; __nv_frexp(x, &e) {8}, {4}, 8.
struct MathSignature {
  uint8_t result_bytes = 0;
  uint8_t argument_bytes[4] = {0, 0, 0, 0};
  uint8_t pointer_bytes[2] = {0, 0};
  // __nv_norm(n, p) and its kin read n elements at the generic address p: the caller hands over host addresses and
  // makes n zero in lanes that are not active.
  bool reads_memory = false;
};
const MathSignature* find_math_signature(std::string_view name);

}  // namespace drywarp::jit
