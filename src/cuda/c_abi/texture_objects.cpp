#include "cuda/c_abi/texture_objects.h"

#include <algorithm>

#include "cuda/c_abi/copy_ends.h"

namespace drywarp::cudart {
namespace {

using cuda::Array;
using exec::ChannelKind;
using exec::TexelFormat;
using exec::Texture;

Error make_format(const cuda::ChannelFormat& from, TexelFormat& out) {
  const unsigned channels = 1u + (from.y > 0) + (from.z > 0) + (from.w > 0);
  const bool alike = (from.y == 0 || from.y == from.x) && (from.z == 0 || from.z == from.x) &&
                     (from.w == 0 || from.w == from.x) && channels != 3;
  const bool known = from.kind == cudaChannelFormatKindSigned || from.kind == cudaChannelFormatKindUnsigned ||
                     (from.kind == cudaChannelFormatKindFloat && from.x != 8);
  if (!alike || !known || (from.x != 8 && from.x != 16 && from.x != 32)) return Error::InvalidChannelDescriptor;
  constexpr ChannelKind kKinds[] = {ChannelKind::Signed, ChannelKind::Unsigned, ChannelKind::Float};
  out = {kKinds[from.kind], static_cast<uint8_t>(from.x), static_cast<uint8_t>(channels)};
  return Error::Success;
}
cuda::ChannelFormat channels(const cudaChannelFormatDesc& d) { return {d.x, d.y, d.z, d.w, int(d.f)}; }

exec::Image image_of(const Array& array) {
  return {array.address,
          static_cast<uint32_t>(array.extent.width),
          static_cast<uint32_t>(array.rows()),
          static_cast<uint32_t>(array.slices()),
          array.pitch(),
          array.pitch() * array.rows()};
}

Error add_levels(Session& session, const cudaResourceDesc& resource, Texture& out) {
  switch (resource.resType) {
    case cudaResourceTypeArray: {
      const Array* of = array(resource.res.array.array);
      if (!session.memory().is_live(of)) return Error::InvalidValue;
      out.levels = {image_of(*of)};
      return make_format(of->format, out.format);
    }
    case cudaResourceTypeMipmappedArray: {
      const auto* of = reinterpret_cast<const cuda::MipmappedArray*>(resource.res.mipmap.mipmap);
      if (!session.memory().is_live(of)) return Error::InvalidValue;
      for (const Array* level : of->levels) out.levels.push_back(image_of(*level));
      return make_format(of->levels.front()->format, out.format);
    }
    case cudaResourceTypeLinear: {
      const auto& linear = resource.res.linear;
      if (!linear.devPtr || linear.sizeInBytes == 0) return Error::InvalidValue;
      DW_TRY(make_format(channels(linear.desc), out.format));
      const auto width = static_cast<uint32_t>(linear.sizeInBytes / out.format.bytes());
      if (width == 0) return Error::InvalidValue;
      out.levels = {{address(linear.devPtr), width, 1, 1, linear.sizeInBytes, linear.sizeInBytes}};
      out.buffer = true;
      return Error::Success;
    }
    case cudaResourceTypePitch2D: {
      const auto& plane = resource.res.pitch2D;
      if (!plane.devPtr || plane.width == 0 || plane.height == 0) return Error::InvalidValue;
      DW_TRY(make_format(channels(plane.desc), out.format));
      out.levels = {{address(plane.devPtr), static_cast<uint32_t>(plane.width), static_cast<uint32_t>(plane.height), 1,
                     plane.pitchInBytes, plane.pitchInBytes * plane.height}};
      return Error::Success;
    }
  }
  return Error::InvalidValue;
}

// Formats of views are numbered by kind and width, each with one, two and four channels.
Error apply_view(const cudaResourceViewDesc& view, Texture& out) {
  if (view.format != cudaResViewFormatNone) {
    if (view.format > cudaResViewFormatFloat4) return Error::InvalidValue;
    constexpr TexelFormat kFormats[] = {{ChannelKind::Unsigned, 8, 1},  {ChannelKind::Signed, 8, 1},
                                        {ChannelKind::Unsigned, 16, 1}, {ChannelKind::Signed, 16, 1},
                                        {ChannelKind::Unsigned, 32, 1}, {ChannelKind::Signed, 32, 1},
                                        {ChannelKind::Float, 16, 1},    {ChannelKind::Float, 32, 1}};
    const unsigned number = unsigned(view.format) - 1;
    TexelFormat format = kFormats[number / 3];
    format.channels = static_cast<uint8_t>(1u << number % 3);
    if (format.bytes() != out.format.bytes()) return Error::InvalidValue;
    out.format = format;
  }
  const size_t last = std::min<size_t>(view.lastMipmapLevel, out.levels.size() - 1);
  if (view.firstMipmapLevel > last) return Error::InvalidValue;
  out.levels.erase(out.levels.begin() + static_cast<ptrdiff_t>(last) + 1, out.levels.end());
  out.levels.erase(out.levels.begin(), out.levels.begin() + view.firstMipmapLevel);
  if (view.lastLayer == 0 && view.firstLayer == 0) return Error::Success;
  for (exec::Image& image : out.levels) {
    if (view.firstLayer > view.lastLayer || view.lastLayer >= image.slices) return Error::InvalidValue;
    image.address += view.firstLayer * image.slice;
    image.slices = view.lastLayer - view.firstLayer + 1;
  }
  return Error::Success;
}

}  // namespace

Error make_texture(Session& session, const cudaResourceDesc& resource, const cudaTextureDesc& sampling,
                   const cudaResourceViewDesc* view, Texture& out) {
  DW_TRY(add_levels(session, resource, out));
  if (view) DW_TRY(apply_view(*view, out));
  exec::Sampler& sampler = out.sampler;
  for (unsigned d = 0; d < 3; ++d) {
    if (unsigned(sampling.addressMode[d]) > cudaAddressModeBorder) return Error::InvalidValue;
    sampler.modes[d] = static_cast<exec::AddressMode>(sampling.addressMode[d]);
  }
  sampler.linear = sampling.filterMode == cudaFilterModeLinear;
  sampler.normalized = sampling.normalizedCoords != 0;
  sampler.as_float = sampling.readMode == cudaReadModeNormalizedFloat;
  // Integers are not filtered, and those of 32 bits have no floats.
  const bool integers = out.format.kind != ChannelKind::Float;
  if (integers && sampler.linear && !sampler.as_float) return Error::InvalidFilterSetting;
  if (integers && sampler.as_float && out.format.channel_bits == 32) return Error::InvalidNormSetting;
  sampler.srgb = sampling.sRGB != 0;
  sampler.linear_in_levels = sampling.mipmapFilterMode == cudaFilterModeLinear;
  std::copy(std::begin(sampling.borderColor), std::end(sampling.borderColor), sampler.border.begin());
  sampler.level_bias = sampling.mipmapLevelBias;
  sampler.least_level = sampling.minMipmapLevelClamp;
  sampler.greatest_level = sampling.maxMipmapLevelClamp;
  return Error::Success;
}

Error make_surface(Session& session, const cudaResourceDesc& resource, Texture& out) {
  if (resource.resType != cudaResourceTypeArray) return Error::InvalidValue;
  out.surface = true;
  return add_levels(session, resource, out);
}

}  // namespace drywarp::cudart
