#include "engine/exec/textures/sampling.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace drywarp::exec {
namespace {

constexpr int kWeightBits = 8;
constexpr int64_t kOne = int64_t{1} << kWeightBits;

// Coordinates far outside behave alike.
float bounded(float x) {
  constexpr float kFar = 1 << 30;
  return std::isnan(x) ? 0 : std::clamp(x, -kFar, kFar);
}

// Of a number of which an int64_t holds the whole part.
int64_t floor_of(double x) {
  const auto whole = static_cast<int64_t>(x);
  return whole - (static_cast<double>(whole) > x ? 1 : 0);
}
// 2^power, for what a double's exponent can be; floor(), ldexp() and the like are calls of the library.
double power_of_two(int power) { return std::bit_cast<double>(static_cast<uint64_t>(1023 + power) << 52); }
// Of a number that is neither 0 nor denormal.
int exponent_of(double x) { return static_cast<int>(std::bit_cast<uint64_t>(x) >> 52 & 0x7ff) - 1023; }

// The texels of one dimension that a place mixes: `first` and the next one, which has weight / kOne.
struct Span {
  int64_t first = 0;
  int64_t weight = 0;
};
Span span_at(float texels, bool linear) {
  const double x = bounded(texels);
  if (!linear) return {floor_of(x), 0};
  const int64_t fixed = floor_of(x * double{kOne} + 0.5) - kOne / 2;
  return {fixed >> kWeightBits, fixed & (kOne - 1)};
}

// The weights of the texels that spans mix, in units of 1 / kOne; their sum is kOne. Bit 0 of a texel's number is x.
// Of one and two dimensions as on an H200; how it rounds those of three is not known.
std::array<int64_t, 8> weights_of(const Span* spans, unsigned dimensions) {
  const auto part = [](int64_t a, int64_t b) { return (a * b + kOne / 2) >> kWeightBits; };
  const int64_t x = spans[0].weight, y = dimensions > 1 ? spans[1].weight : 0, z = dimensions > 2 ? spans[2].weight : 0;
  std::array<int64_t, 8> weights{};
  for (const unsigned far : {0u, 1u}) {
    const int64_t plane = far ? z : kOne - z;
    const int64_t with_x = part(plane, x), with_y = part(plane, y), with_both = part(with_x, y);
    int64_t* to = &weights[4 * far];
    to[0] = plane - with_x - with_y + with_both, to[1] = with_x - with_both;
    to[2] = with_y - with_both, to[3] = with_both;
  }
  return weights;
}

// A sum of texels as the texture unit adds: each is cut to a few bits below the last of the largest one.
class Sum {
 public:
  void add(float value, int64_t weight) {
    if (weight == 0) return;
    values_[count_] = value, weights_[count_++] = weight;
    if (value != 0 && std::isfinite(value)) exponent_ = std::max(exponent_, exponent_of(value));
  }
  [[nodiscard]] float result() const {
    if (count_ == 1) return values_[0];
    constexpr int kMantissaBits = 23, kExtraBits = 4;
    const int last = exponent_ - kMantissaBits - kExtraBits;
    const double scale = power_of_two(-last), unit = power_of_two(last);
    double sum = 0;
    for (unsigned i = 0; i < count_; ++i) {
      const double value = values_[i];
      // No value has more bits before the point than an int64_t.
      const double cut = std::isfinite(value) ? static_cast<double>(static_cast<int64_t>(value * scale)) * unit : value;
      sum += cut * static_cast<double>(weights_[i]);
    }
    return rounded(sum / double{kOne});
  }

 private:
  // To float, halves away from zero.
  static float rounded(double value) {
    if (value == 0 || !std::isfinite(value)) return static_cast<float>(value);
    const int shift = 23 - exponent_of(value);
    const auto whole = static_cast<int64_t>(std::fabs(value) * power_of_two(shift) + 0.5);
    return static_cast<float>(std::copysign(static_cast<double>(whole) * power_of_two(-shift), value));
  }

  static constexpr int kNone = -200;
  float values_[8];
  int64_t weights_[8];
  unsigned count_ = 0;
  int exponent_ = kNone;
};

// One level of a texture, in one slice if it is layered.
class Level {
 public:
  Level(const Texture& texture, const Image& image, const SamplePlace& place)
      : texture_(texture), image_(image), dimensions_(dimensions_of(texture, place)) {
    std::array<float, 3> at = place.at;
    normalized_ = texture.sampler.normalized && !place.whole;
    if (place.cube) {
      const CubePlace on_face = cube_place(place.at);
      at = {on_face.s, on_face.t, 0};
      normalized_ = true;
      const uint32_t cubes = std::max(image.slices / 6, 1u);
      slice_ = (place.layered ? std::min(place.layer, cubes - 1) : 0) * 6 + on_face.face;
    } else if (place.layered) {
      slice_ = std::min(place.layer, image.slices - 1);
    }
    // Wrap and mirror need normalized coordinates.
    for (unsigned d = 0; d < 3; ++d) {
      const AddressMode mode = texture.sampler.modes[d];
      modes_[d] = normalized_ || mode == AddressMode::Border ? mode : AddressMode::Clamp;
    }
    const uint32_t sizes[] = {image.width, image.height, image.slices};
    for (unsigned d = 0; d < dimensions_; ++d) {
      sizes_[d] = sizes[d];
      at_[d] = normalized_ ? at[d] * static_cast<float>(sizes[d]) : at[d];
      if (place.whole) spans_[d].first = place.index[d];
    }
    whole_ = place.whole;
  }

  Sampled read(bool linear) {
    if (!whole_)
      for (unsigned d = 0; d < dimensions_; ++d) spans_[d] = span_at(at_[d], linear);
    if (!returns_floats(texture_.format, texture_.sampler)) {
      const uint64_t address = address_of(0);
      if (address != 0) return {read_integers(texture_.format, address), address};
      return {bits_of(border()), 0};
    }
    Sampled result;
    if (spans_[0].weight == 0 && spans_[1].weight == 0 && spans_[2].weight == 0) {
      result.first = address_of(0);
      result.texel = bits_of(texel_at(result.first));
      return result;
    }
    std::array<Sum, 4> sums;
    const unsigned channels = texture_.format.channels;
    const std::array<int64_t, 8> weights = weights_of(spans_, dimensions_);
    for (unsigned corner = 0; corner < 1u << dimensions_; ++corner) {
      if (weights[corner] == 0) continue;
      const uint64_t address = address_of(corner);
      const FloatTexel texel = texel_at(address);
      if (result.first == 0) result.first = address;
      for (unsigned c = 0; c < channels; ++c) sums[c].add(texel[c], weights[corner]);
    }
    FloatTexel texel{};
    for (unsigned c = 0; c < channels; ++c) texel[c] = filtered(texture_.format, sums[c].result());
    result.texel = bits_of(texel);
    return result;
  }

  Sampled gather(unsigned component) {
    for (unsigned d = 0; d < dimensions_; ++d) spans_[d] = span_at(at_[d], true);
    constexpr unsigned kCorners[] = {2, 3, 1, 0};
    Sampled result;
    for (unsigned c = 0; c < 4; ++c) {
      const uint64_t address = address_of(kCorners[c]);
      if (result.first == 0) result.first = address;
      const bool floats = returns_floats(texture_.format, texture_.sampler);
      const Texel texel = floats         ? bits_of(texel_at(address))
                          : address == 0 ? bits_of(border())
                                         : read_integers(texture_.format, address);
      result.texel[c] = texel[component];
    }
    return result;
  }

 private:
  // A texture of one dimension is one of two, of height 1 and at y = 0: a border mixes into linear filtering.
  static unsigned dimensions_of(const Texture& texture, const SamplePlace& place) {
    if (place.cube) return 2;
    return place.dimensions == 1 && !place.layered && !place.whole && !texture.buffer ? 2 : place.dimensions;
  }
  // Of a texel that the spans mix, a bit of `corner` a dimension; 0: the border.
  [[nodiscard]] uint64_t address_of(unsigned corner) const {
    uint64_t address = image_.address + slice_ * image_.slice;
    const uint64_t steps[] = {texture_.format.bytes(), image_.pitch, image_.slice};
    for (unsigned d = 0; d < dimensions_; ++d) {
      const int64_t index = spans_[d].first + (corner >> d & 1);
      const auto resolved = resolve(index, sizes_[d], texture_.buffer ? AddressMode::Border : modes_[d]);
      if (!resolved) return 0;
      address += *resolved * steps[d];
    }
    return address;
  }
  [[nodiscard]] FloatTexel texel_at(uint64_t address) const {
    return address != 0 ? read_floats(texture_.format, texture_.sampler, address) : border();
  }
  // Its bits are those of an integer texture's border, too.
  [[nodiscard]] FloatTexel border() const {
    FloatTexel texel{};
    for (unsigned c = 0; c < texture_.format.channels && !texture_.buffer; ++c)
      texel[c] = border_value(texture_.format, texture_.sampler, texture_.sampler.border[c]);
    return texel;
  }

  const Texture& texture_;
  const Image& image_;
  const unsigned dimensions_;
  bool normalized_ = false, whole_ = false;
  uint32_t slice_ = 0;
  std::array<AddressMode, 3> modes_{};
  uint32_t sizes_[3] = {1, 1, 1};
  float at_[3] = {};
  Span spans_[3];
};

}  // namespace

std::optional<uint32_t> resolve(int64_t index, uint32_t size, AddressMode mode) {
  const int64_t last = int64_t{size} - 1;
  if (index >= 0 && index <= last) return static_cast<uint32_t>(index);
  switch (mode) {
    case AddressMode::Wrap:
      return static_cast<uint32_t>((index % size + size) % size);
    case AddressMode::Clamp:
      return static_cast<uint32_t>(std::clamp<int64_t>(index, 0, last));
    case AddressMode::Mirror: {
      const int64_t period = 2 * int64_t{size}, at = (index % period + period) % period;
      return static_cast<uint32_t>(std::min(at, period - 1 - at));
    }
    case AddressMode::Border:
      return std::nullopt;
  }
  return std::nullopt;
}

CubePlace cube_place(const std::array<float, 3>& direction) {
  const auto [x, y, z] = direction;
  const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  float major = az, s = z < 0 ? -x : x, t = -y;
  unsigned face = z < 0 ? 5 : 4;
  if (ax > ay && ax > az) {
    major = ax, s = x < 0 ? z : -z, t = -y, face = x < 0 ? 1 : 0;
  } else if (ay > az && ay >= ax) {
    major = ay, s = x, t = y < 0 ? -z : z, face = y < 0 ? 3 : 2;
  }
  if (major == 0) return {face, 0.5f, 0.5f};
  return {face, (s / major + 1) / 2, (t / major + 1) / 2};
}

Sampled sample(const Texture& texture, const SamplePlace& place) {
  const Sampler& sampler = texture.sampler;
  const bool linear = sampler.linear && !place.whole && !texture.buffer;
  const auto last = static_cast<float>(texture.levels.size() - 1);
  if (texture.levels.size() == 1) return Level(texture, texture.levels[0], place).read(linear);
  float level = bounded(place.level) + sampler.level_bias;
  level = std::clamp(std::clamp(level, sampler.least_level, std::max(sampler.least_level, sampler.greatest_level)),
                     0.0f, last);
  if (!sampler.linear_in_levels || !returns_floats(texture.format, sampler))
    return Level(texture, texture.levels[static_cast<size_t>(level + 0.5f)], place).read(linear);
  const auto fixed = static_cast<int64_t>(std::floor(double{level} * double{kOne} + 0.5));
  const auto first = static_cast<size_t>(fixed >> kWeightBits);
  const double weight = static_cast<double>(fixed & (kOne - 1)) / double{kOne};
  Sampled low = Level(texture, texture.levels[first], place).read(linear);
  if (weight == 0) return low;
  const Sampled high = Level(texture, texture.levels[first + 1], place).read(linear);
  const auto a = std::bit_cast<FloatTexel>(low.texel), b = std::bit_cast<FloatTexel>(high.texel);
  FloatTexel mixed{};
  for (unsigned c = 0; c < 4; ++c) mixed[c] = static_cast<float>((1 - weight) * double{a[c]} + weight * double{b[c]});
  low.texel = bits_of(mixed);
  return low;
}

Sampled gather(const Texture& texture, const SamplePlace& place, unsigned component) {
  return Level(texture, texture.levels[0], place).gather(component);
}

float level_of(const Texture& texture, unsigned dimensions, const std::array<float, 3>& dx,
               const std::array<float, 3>& dy) {
  const Image& image = texture.levels[0];
  const float sizes[] = {static_cast<float>(image.width), static_cast<float>(image.height),
                         static_cast<float>(image.slices)};
  const auto length = [&](const std::array<float, 3>& derivative) {
    float sum = 0;
    for (unsigned d = 0; d < dimensions; ++d) {
      const float texels = texture.sampler.normalized ? derivative[d] * sizes[d] : derivative[d];
      sum += texels * texels;
    }
    return std::sqrt(sum);
  };
  return std::log2(std::max(length(dx), length(dy)));
}

}  // namespace drywarp::exec
