#include "engine/exec/textures/texel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace drywarp::exec {
namespace {

template <class T>
uint32_t load(uint64_t address, unsigned number) {
  T value;
  std::memcpy(&value, reinterpret_cast<const void*>(address + uint64_t{number} * sizeof value), sizeof value);
  return value;
}

uint32_t channel(const TexelFormat& format, uint64_t address, unsigned number) {
  const uint32_t value = format.channel_bits == 32   ? load<uint32_t>(address, number)
                         : format.channel_bits == 16 ? load<uint16_t>(address, number)
                                                     : load<uint8_t>(address, number);
  if (format.kind != ChannelKind::Signed) return value;
  const unsigned above = 32u - format.channel_bits;
  return static_cast<uint32_t>(static_cast<int32_t>(value << above) >> above);
}

// Calls of the library on machines without F16C: inlined, the compiler would make them for every format.
[[gnu::noinline]] float rounded_to_half(float value) { return static_cast<float>(static_cast<_Float16>(value)); }
[[gnu::noinline]] float half_to_float(uint32_t bits) {
  return static_cast<float>(std::bit_cast<_Float16>(static_cast<uint16_t>(bits)));
}

// IEC 61966-2-1, to 8 bits of mantissa or 14 of fraction, as on an H200.
float linear_of_srgb(float c) {
  if (c == 0) return 0;
  const double linear = c <= 0.04045f ? c / 12.92 : std::pow((double{c} + 0.055) / 1.055, 2.4);
  constexpr int kBits = 8, kFractionBits = 14;
  const double step =
      std::ldexp(1.0, std::max(std::ilogb(linear) + 1 - kBits, linear < 0x1p-7 ? -kFractionBits : 1 - kFractionBits));
  return static_cast<float>(std::floor(linear / step + 0.5) * step);
}

// The greatest value of a channel of integers.
float greatest(const TexelFormat& format) {
  const unsigned bits = format.channel_bits - (format.kind == ChannelKind::Signed ? 1u : 0u);
  return static_cast<float>((uint64_t{1} << bits) - 1);
}

float float_of(const TexelFormat& format, uint32_t value) {
  switch (format.kind) {
    case ChannelKind::Float:
      return format.channel_bits == 16 ? half_to_float(value) : std::bit_cast<float>(value);
    case ChannelKind::Signed:
      return std::max(-1.0f, static_cast<float>(static_cast<int32_t>(value)) / greatest(format));
    case ChannelKind::Unsigned:
      return static_cast<float>(value) / greatest(format);
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

float filtered(const TexelFormat& format, float value) {
  return format.kind == ChannelKind::Float && format.channel_bits == 16 ? rounded_to_half(value) : value;
}

float border_value(const TexelFormat& format, const Sampler& sampler, float value) {
  if (format.kind == ChannelKind::Float || !returns_floats(format, sampler)) return value;
  const float least = format.kind == ChannelKind::Signed ? -1.0f : 0.0f;
  return std::trunc(std::clamp(value, least, 1.0f) * greatest(format)) / greatest(format);
}

Texel bits_of(const FloatTexel& texel) { return std::bit_cast<Texel>(texel); }

}  // namespace drywarp::exec
