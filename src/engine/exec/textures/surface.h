// Accesses to surfaces: unformatted, at an x coordinate in bytes.
#pragma once

#include <array>
#include <cstdint>

#include "engine/exec/textures/texture.h"

namespace drywarp::exec {

enum class Outside : uint8_t { Trap, Clamp, Zero };  // PTX's .trap, .clamp, .zero

struct SurfacePlace {
  unsigned dimensions = 1;
  std::array<int32_t, 3> at{};  // x in bytes
  int32_t layer = 0;
  bool layered = false;
};

struct SurfaceAddress {
  uint64_t address = 0;  // 0: outside
  bool traps = false;
};
// Where `bytes` at a place lie.
[[nodiscard]] SurfaceAddress surface_address(const Texture& surface, const SurfacePlace& place, unsigned bytes,
                                             Outside outside);

}  // namespace drywarp::exec
