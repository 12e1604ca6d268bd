// Sampling against a plain reference that evaluates the formulas of the CUDA C++ Programming Guide, "Texture Fetching",
// with exact weights: linear filtering may differ by the rounding of its 8-bit weights, all else must be equal.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "engine/exec/textures/sampling.h"
#include "engine/exec/textures/surface.h"
#include "engine/exec/textures/texture_table.h"

namespace drywarp::exec {
namespace {

constexpr int kWidth = 5, kHeight = 4;

struct Plane {
  std::vector<float> texels;
  Texture texture;
};

Plane make_plane() {
  Plane plane;
  std::mt19937 random(7);
  std::uniform_real_distribution<float> value(-10, 10);
  for (int i = 0; i < kWidth * kHeight; ++i) plane.texels.push_back(value(random));
  plane.texture.levels = {
      {reinterpret_cast<uint64_t>(plane.texels.data()), kWidth, kHeight, 1, kWidth * 4, kWidth * kHeight * 4}};
  return plane;
}

// The guide's words for one dimension, by hand.
int reference_index(int index, int size, AddressMode mode) {
  if (mode == AddressMode::Wrap)
    while (index < 0 || index >= size) index += index < 0 ? size : -size;
  if (mode == AddressMode::Mirror)
    while (index < 0 || index >= size) index = index < 0 ? -1 - index : 2 * size - 1 - index;
  if (mode == AddressMode::Clamp) index = std::max(0, std::min(size - 1, index));
  return index;
}
double reference_texel(const Plane& plane, int x, int y, AddressMode mode) {
  x = reference_index(x, kWidth, mode), y = reference_index(y, kHeight, mode);
  if (x < 0 || y < 0 || x >= kWidth || y >= kHeight) return double{plane.texture.sampler.border[0]};
  return double{plane.texels[static_cast<size_t>(y * kWidth + x)]};
}

float fetched(const Texture& texture, float x, float y) {
  SamplePlace place;
  place.dimensions = 2;
  place.at = {x, y, 0};
  return std::bit_cast<float>(sample(texture, place).texel[0]);
}

class Planes : public testing::TestWithParam<AddressMode> {};
INSTANTIATE_TEST_SUITE_P(Modes, Planes,
                         testing::Values(AddressMode::Wrap, AddressMode::Clamp, AddressMode::Mirror,
                                         AddressMode::Border));

TEST_P(Planes, NearestTexelsAreTheGuides) {
  Plane plane = make_plane();
  plane.texture.sampler.modes.fill(GetParam());
  plane.texture.sampler.normalized = true;
  plane.texture.sampler.border[0] = 77;
  for (int i = -40; i < 80; ++i) {
    const float x = (static_cast<float>(i) + 0.4f) / 17, y = (static_cast<float>(i) * 0.7f + 0.3f) / 13;
    const int column = static_cast<int>(std::floor(x * kWidth)), row = static_cast<int>(std::floor(y * kHeight));
    EXPECT_EQ(fetched(plane.texture, x, y), static_cast<float>(reference_texel(plane, column, row, GetParam())))
        << x << ", " << y;
  }
}

TEST_P(Planes, FilteredTexelsAreWithinTheWeightsOfTheGuides) {
  Plane plane = make_plane();
  plane.texture.sampler.modes.fill(GetParam());
  plane.texture.sampler.normalized = plane.texture.sampler.linear = true;
  for (int i = -40; i < 80; ++i) {
    const float x = (static_cast<float>(i) + 0.4f) / 17, y = (static_cast<float>(i) * 0.7f + 0.3f) / 13;
    const double u = double{x} * kWidth - 0.5, v = double{y} * kHeight - 0.5;
    const double a = u - std::floor(u), b = v - std::floor(v);
    const int column = static_cast<int>(std::floor(u)), row = static_cast<int>(std::floor(v));
    const auto texel = [&](int dx, int dy) { return reference_texel(plane, column + dx, row + dy, GetParam()); };
    const double wanted =
        (1 - a) * (1 - b) * texel(0, 0) + a * (1 - b) * texel(1, 0) + (1 - a) * b * texel(0, 1) + a * b * texel(1, 1);
    EXPECT_NEAR(double{fetched(plane.texture, x, y)}, wanted, 4 * 10.0 / 256) << x << ", " << y;
  }
}

TEST(Sampling, WeightsHaveEightBits) {
  Plane plane = make_plane();
  plane.texture.sampler.linear = true;
  plane.texels[0] = 0, plane.texels[1] = 1;
  plane.texture.levels[0].height = 1;
  EXPECT_EQ(fetched(plane.texture, 0.5f + 1.0f / 1024, 0.5f), 0.0f);
  EXPECT_EQ(fetched(plane.texture, 0.5f + 2.0f / 1024, 0.5f), 1.0f / 256);
  EXPECT_EQ(fetched(plane.texture, 0.5f + 5.0f / 1024, 0.5f), 1.0f / 256);
  EXPECT_EQ(fetched(plane.texture, 1.5f, 0.5f), 1.0f);
}

TEST(Sampling, IntegersBecomeFloatsAndChannelsThatAreMissingZero) {
  const uint8_t bytes[] = {0, 255, 128, 127};
  Texture texture;
  texture.format = {ChannelKind::Unsigned, 8, 2};
  texture.levels = {{reinterpret_cast<uint64_t>(bytes), 2, 1, 1, 4, 4}};
  SamplePlace place;
  place.whole = true;
  place.index[0] = 1;
  EXPECT_EQ(sample(texture, place).texel, (Texel{128, 127, 0, 0}));
  texture.sampler.as_float = true;
  EXPECT_EQ(sample(texture, place).texel, bits_of({128 / 255.0f, 127 / 255.0f, 0, 0}));
  texture.format.kind = ChannelKind::Signed;
  EXPECT_EQ(sample(texture, place).texel, bits_of({-1, 1, 0, 0}));
}

TEST(Sampling, FacesOfCubesAreThoseOfTheLargestCoordinate) {
  const auto face = [](float x, float y, float z) { return cube_place({x, y, z}).face; };
  EXPECT_EQ(face(2, 1, 1), 0u);
  EXPECT_EQ(face(-2, 1, 1), 1u);
  EXPECT_EQ(face(1, 2, 1), 2u);
  EXPECT_EQ(face(1, -2, 1), 3u);
  EXPECT_EQ(face(1, 1, 2), 4u);
  EXPECT_EQ(face(1, 1, -2), 5u);
  // As on an H200: z before y before x.
  EXPECT_EQ(face(1, 1, 1), 4u);
  EXPECT_EQ(face(1, -1, 0), 3u);
}

TEST(Surfaces, AccessesOutsideFollowTheBoundaryMode) {
  Texture surface;
  surface.format = {ChannelKind::Float, 32, 1};
  surface.levels = {{4096, 5, 4, 1, 20, 80}};
  SurfacePlace place;
  place.dimensions = 2;
  place.at = {16, 3, 0};
  EXPECT_EQ(surface_address(surface, place, 4, Outside::Trap).address, 4096u + 60 + 16);
  place.at = {20, -1, 0};
  EXPECT_TRUE(surface_address(surface, place, 4, Outside::Trap).traps);
  EXPECT_EQ(surface_address(surface, place, 4, Outside::Zero).address, 0u);
  EXPECT_EQ(surface_address(surface, place, 4, Outside::Clamp).address, 4096u + 16);
}

TEST(Table, LaunchesKeepWhatTheySaw) {
  TextureTable table;
  const uint64_t handle = table.add({});
  EXPECT_NE(handle, 0u);
  const auto before = table.snapshot();
  table.remove(handle);
  EXPECT_TRUE(before->contains(handle));
  EXPECT_FALSE(table.snapshot()->contains(handle));
  EXPECT_NE(table.add({}), handle);
}

}  // namespace
}  // namespace drywarp::exec
