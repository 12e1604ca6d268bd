// Rounds sizes and counts up to a whole number of units: alignment, allocation granularity, warps of a block.
#pragma once

#include <type_traits>

namespace drywarp {

// `unit` is not 0.
template <class T>
constexpr T round_up(T value, std::type_identity_t<T> unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace drywarp
