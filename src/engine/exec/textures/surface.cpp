#include "engine/exec/textures/surface.h"

#include <algorithm>

namespace drywarp::exec {

SurfaceAddress surface_address(const Texture& surface, const SurfacePlace& place, unsigned bytes, Outside outside) {
  const Image& image = surface.levels[0];
  const int64_t row = int64_t{image.width} * surface.format.bytes();
  const int64_t greatest[] = {row - bytes, int64_t{image.height} - 1, int64_t{image.slices} - 1};
  const uint64_t steps[] = {1, image.pitch, image.slice};
  SurfaceAddress result{image.address, false};
  const auto add = [&](int64_t at, unsigned d) {
    const bool inside = at >= 0 && at <= greatest[d];
    if (!inside && outside != Outside::Clamp) {
      result = {0, outside == Outside::Trap};
      return false;
    }
    result.address += static_cast<uint64_t>(std::clamp<int64_t>(at, 0, std::max<int64_t>(greatest[d], 0))) * steps[d];
    return true;
  };
  for (unsigned d = 0; d < place.dimensions; ++d)
    if (!add(place.at[d], d)) return result;
  if (place.layered) add(place.layer, 2);
  return result;
}

}  // namespace drywarp::exec
