#include "engine/exec/textures/texel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace drywarp::exec {
namespace {

uint32_t channel(const TexelFormat& format, uint64_t address, unsigned number) {
  const unsigned bytes = format.channel_bits / 8;
  uint32_t value = 0;
  std::memcpy(&value, reinterpret_cast<const void*>(address + uint64_t{number} * bytes), bytes);
  if (format.kind != ChannelKind::Signed) return value;
  const unsigned above = 32u - format.channel_bits;
  return static_cast<uint32_t>(static_cast<int32_t>(value << above) >> above);
}

float half_to_float(uint32_t bits) { return static_cast<float>(std::bit_cast<_Float16>(static_cast<uint16_t>(bits))); }

// IEC 61966-2-1, to 14 bits of fraction, as on an H200.
float linear_of_srgb(float c) {
  constexpr double kSteps = 1 << 14;
  const double linear = c <= 0.04045f ? c / 12.92 : std::pow((double{c} + 0.055) / 1.055, 2.4);
  return static_cast<float>(std::floor(linear * kSteps + 0.5) / kSteps);
}

float float_of(const TexelFormat& format, uint32_t value) {
  switch (format.kind) {
    case ChannelKind::Float:
      return format.channel_bits == 16 ? half_to_float(value) : std::bit_cast<float>(value);
    case ChannelKind::Signed: {
      const auto greatest = static_cast<float>((1u << (format.channel_bits - 1)) - 1);
      return std::max(-1.0f, static_cast<float>(static_cast<int32_t>(value)) / greatest);
    }
    case ChannelKind::Unsigned:
      return static_cast<float>(value) / static_cast<float>((1u << format.channel_bits) - 1);
  }
  return 0;
}

}  // namespace

bool returns_floats(const TexelFormat& format, const Sampler& sampler) {
  return format.kind == ChannelKind::Float || (sampler.as_float && format.channel_bits < 32);
}

FloatTexel read_floats(const TexelFormat& format, const Sampler& sampler, uint64_t address) {
  FloatTexel texel{};
  const bool srgb = sampler.srgb && format.kind == ChannelKind::Unsigned && format.channel_bits == 8;
  for (unsigned c = 0; c < format.channels; ++c) {
    texel[c] = float_of(format, channel(format, address, c));
    if (srgb && c < 3) texel[c] = linear_of_srgb(texel[c]);
  }
  return texel;
}

Texel read_integers(const TexelFormat& format, uint64_t address) {
  Texel texel{};
  for (unsigned c = 0; c < format.channels; ++c) texel[c] = channel(format, address, c);
  return texel;
}

Texel bits_of(const FloatTexel& texel) { return std::bit_cast<Texel>(texel); }

}  // namespace drywarp::exec
