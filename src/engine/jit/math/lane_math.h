// Arithmetic that is too long to inline: IEEE operations with directed rounding, division of 64-bit integers, and the
// mathematics library (libdevice's __nv_* functions). Plain C++ over arrays of 1 or 32 lanes.
#pragma once

#include <cstdint>
#include <string_view>

namespace drywarp::jit {

// Argument arrays follow the order of the value arguments; a fourth array follows the third in the memory of `c`.
// `result` holds one array for the function's result (none for void), then one for each pointer argument, in order.
using LaneFunction = void (*)(void* result, const void* a, const void* b, const void* c, uint32_t lanes);

// nullptr if no function has that name. Names are our own "dw_*", which emitted code calls, and libdevice's "__nv_*",
// which programs call without defining them.
LaneFunction find_lane_function(std::string_view name);

// The parameters and the result of a __nv_* function, as sizes in bytes; 0: none. All libdevice functions have the
// pointers through which they return after the values. __nv_sincosf(x, &s, &c) has argument_bytes {4}, pointer_bytes
// {4, 4} and no result; __nv_frexp(x, &e) has {8}, {4} and 8.
struct MathSignature {
  uint8_t result_bytes = 0;
  uint8_t argument_bytes[4] = {0, 0, 0, 0};
  uint8_t pointer_bytes[2] = {0, 0};
  // __nv_norm(n, p) and similar functions read n elements at the generic address p. The caller passes host addresses,
  // and n = 0 for inactive lanes.
  bool reads_memory = false;
};
const MathSignature* find_math_signature(std::string_view name);

}  // namespace drywarp::jit
