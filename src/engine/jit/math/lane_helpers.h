// The functions of lane_helpers.def by their C++ types, so that emitted code cannot call one that does not exist, or
// with other arguments.
#pragma once

#include <cstdint>

#include "language/ir/kernel.h"

namespace drywarp::jit {

// Its symbol; Signature: of one lane.
template <class Signature>
struct LaneHelper {
  const char* name;
};

template <class Signature>
struct DirectedHelper {
  LaneHelper<Signature> rz, rm, rp;
  // `rounding` is directed.
  [[nodiscard]] constexpr LaneHelper<Signature> towards(ir::Rounding rounding) const {
    return rounding == ir::Rounding::Rz ? rz : rounding == ir::Rounding::Rm ? rm : rp;
  }
};

namespace lane {
#define DW_LANE_HELPER(name, result, parameters) inline constexpr LaneHelper<result parameters> name{"dw_" #name};
#define DW_DIRECTED_HELPER(name, result, parameters)       \
  inline constexpr DirectedHelper<result parameters> name{ \
      {"dw_" #name "_rz"}, {"dw_" #name "_rm"}, {"dw_" #name "_rp"}};
#include "engine/jit/math/lane_helpers.def"
}  // namespace lane

}  // namespace drywarp::jit
