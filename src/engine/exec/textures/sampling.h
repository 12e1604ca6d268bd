// Samples textures as a GPU does: CUDA C++ Programming Guide, "Texture Fetching". Weights of linear filtering have 8
// bits of fraction. What the guide leaves open follows an H200: docs/textures.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "engine/exec/textures/texel.h"
#include "engine/exec/textures/texture.h"

namespace drywarp::exec {

// A place in a texture.
struct SamplePlace {
  unsigned dimensions = 1;  // 1 to 3; a cube has 3
  bool cube = false;
  bool whole = false;  // coordinates are numbers of texels: tex1Dfetch
  std::array<float, 3> at{};
  std::array<int32_t, 3> index{};  // if whole
  uint32_t layer = 0;              // outside, and that is where negative ones are: the last
  bool layered = false;
  float level = 0;
};

struct Sampled {
  Texel texel{};
  uint64_t first = 0;  // the address of a texel that was read; 0: none was
};

[[nodiscard]] Sampled sample(const Texture& texture, const SamplePlace& place);
// One component of the four texels that linear filtering would mix: lower left, lower right, upper right, upper left.
[[nodiscard]] Sampled gather(const Texture& texture, const SamplePlace& place, unsigned component);
// The level that derivatives ask for, of coordinates of the texture's unit.
[[nodiscard]] float level_of(const Texture& texture, unsigned dimensions, const std::array<float, 3>& dx,
                             const std::array<float, 3>& dy);

// The texel that a coordinate names in one dimension, under an address mode; nothing: the border.
[[nodiscard]] std::optional<uint32_t> resolve(int64_t index, uint32_t size, AddressMode mode);

struct CubePlace {
  unsigned face = 0;   // +x, -x, +y, -y, +z, -z
  float s = 0, t = 0;  // 0 to 1
};
[[nodiscard]] CubePlace cube_place(const std::array<float, 3>& direction);

}  // namespace drywarp::exec
