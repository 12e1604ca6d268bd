// What a texture or surface object stands for: memory, the format of its texels, and how it is sampled.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace drywarp::exec {

enum class ChannelKind : uint8_t { Signed, Unsigned, Float };

struct TexelFormat {
  ChannelKind kind = ChannelKind::Float;
  uint8_t channel_bits = 32;  // 8, 16 or 32; Float: 16 or 32
  uint8_t channels = 1;       // 1, 2 or 4
  [[nodiscard]] unsigned bytes() const { return channel_bits / 8 * channels; }
};

// One level of a texture: rows of texels in device memory.
struct Image {
  uint64_t address = 0;
  uint32_t width = 1, height = 1;  // texels
  uint32_t slices = 1;             // depth, layers, or faces and layers of cubes
  uint64_t pitch = 0, slice = 0;   // bytes from row to row, from slice to slice
  [[nodiscard]] uint64_t bytes(const TexelFormat& format) const {
    return (slices - 1) * slice + (height - 1) * pitch + uint64_t{width} * format.bytes();
  }
};

enum class AddressMode : uint8_t { Wrap, Clamp, Mirror, Border };  // cudaTextureAddressMode's numbers

struct Sampler {
  std::array<AddressMode, 3> modes{AddressMode::Clamp, AddressMode::Clamp, AddressMode::Clamp};
  bool linear = false;            // else the nearest texel
  bool normalized = false;        // coordinates: 0 to 1 is the whole texture
  bool as_float = false;          // integers become 0 to 1, or -1 to 1
  bool srgb = false;              // of 8-bit integers as floats
  bool linear_in_levels = false;  // mixes two levels; else the nearest
  std::array<float, 4> border{};  // outside with AddressMode::Border
  float level_bias = 0, least_level = 0, greatest_level = 0;
};

struct Texture {
  std::vector<Image> levels;  // at least one
  TexelFormat format;
  Sampler sampler;
  bool surface = false;
  bool buffer = false;  // linear memory: an index outside gives 0
};

}  // namespace drywarp::exec
