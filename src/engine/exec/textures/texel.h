// Texels in memory, and as a fetch returns them.
#pragma once

#include <array>
#include <cstdint>

#include "engine/exec/textures/texture.h"

namespace drywarp::exec {

// Four channels. Those that the format lacks are 0.
using FloatTexel = std::array<float, 4>;
using Texel = std::array<uint32_t, 4>;  // the bits of floats, or integers extended to 32 bits

// Whether a fetch returns floats.
[[nodiscard]] bool returns_floats(const TexelFormat& format, const Sampler& sampler);
// Of a texture that returns floats.
[[nodiscard]] FloatTexel read_floats(const TexelFormat& format, const Sampler& sampler, uint64_t address);
// Of one that returns integers.
[[nodiscard]] Texel read_integers(const TexelFormat& format, uint64_t address);
// What linear filtering returns: of halves, halves.
[[nodiscard]] float filtered(const TexelFormat& format, float value);
// A channel of the border: of integers as floats, a value that the format has.
[[nodiscard]] float border_value(const TexelFormat& format, const Sampler& sampler, float value);
[[nodiscard]] Texel bits_of(const FloatTexel& texel);

}  // namespace drywarp::exec
