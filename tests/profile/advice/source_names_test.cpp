// Names in source text, and the layout of lanes.
#include "profile/advice/source_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "profile/advice/lane_pattern.h"

namespace drywarp::advice {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> described(std::string_view line) {
  std::vector<std::string> all;
  for (const ArrayUse& use : array_uses(line))
    all.push_back(use.text() + (use.read ? " r" : "") + (use.written ? " w" : "") + (use.field ? " field" : ""));
  return all;
}

TEST(ArrayUses, ReadAndWritten) {
  EXPECT_THAT(described("if (x < n && y < m) out[x * rows + y] = in[y * columns + x];  // a[i]"),
              ElementsAre("out[x * rows + y] w", "in[y * columns + x] r"));
  EXPECT_THAT(described("tile[threadIdx.y][ threadIdx.x ] += a[b[i]];"),
              ElementsAre("tile[threadIdx.y][threadIdx.x] r w", "a[b[i]] r", "b[i] r"));
  EXPECT_THAT(described("p[i].x = q[i]->y == 3;"), ElementsAre("p[i] w field", "q[i] r field"));
  EXPECT_THAT(described("count[k]++; s[1] <<= 2; t [2] -= 1;"), ElementsAre("count[k] r w", "s[1] r w", "t[2] r w"));
  EXPECT_THAT(described("atomicAdd(&bins[in[i] & mask], 1u);"), ElementsAre("bins[in[i] & mask] r", "in[i] r"));
  EXPECT_THAT(described("out[unclosed = 3;"), IsEmpty());
  EXPECT_THAT(described("[]() { return 7; }"), IsEmpty());
}

Facts with_source(std::map<uint32_t, std::string> lines) {
  Facts facts;
  facts.source = [lines = std::move(lines)](const std::string&, uint32_t line) {
    const auto text = lines.find(line);
    return text == lines.end() ? std::string() : text->second;
  };
  return facts;
}

TEST(SharedArrays, AreFoundAboveTheLine) {
  const Facts facts = with_source({{3, "  __shared__ float m_tile[kTile][kTile], n_tile[kTile][kTile * Factor];"},
                                   {4, "extern __shared__ int data[];"},
                                   {20, "__shared__ double m_tile[8];"}});
  const auto found = find_shared_array(facts, "", 9, "n_tile");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->line, 3u);
  EXPECT_EQ(found->padded(1), "__shared__ float n_tile[kTile][kTile * Factor + 1];");
  EXPECT_THAT(find_shared_array(facts, "", 9, "data")->dimensions, ElementsAre(""));
  EXPECT_EQ(find_shared_array(facts, "", 30, "m_tile")->type, "double");  // the nearest
  EXPECT_FALSE(find_shared_array(facts, "", 2, "m_tile"));
  EXPECT_FALSE(find_shared_array(facts, "", 9, "other"));
}

TEST(KernelParameters, OfTheKernelAroundTheLine) {
  const Facts facts = with_source({{2, "template <typename T>"},
                                   {3, "__global__ void __launch_bounds__(256)"},
                                   {4, "    kernel(T* __restrict__ out, const Pair<int, float> *in,"},
                                   {5, "           int n) {"},
                                   {7, "  out[i] = in[i];"}});
  EXPECT_THAT(kernel_parameters(facts, "", 7), ElementsAre("out", "in", "n"));
  EXPECT_THAT(kernel_parameters(facts, "", 1), IsEmpty());
}

LaneLayout layout(record::Extent block, uint64_t (*address)(unsigned lane), LaneMask lanes = ~0u) {
  AccessSample sample;
  sample.size = 4, sample.lanes = lanes;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) sample.addresses[lane] = address(lane);
  return lane_layout(&sample, block);
}

TEST(LaneLayouts, AlongThreadIdxX) {
  using enum LanePattern;
  const record::Extent line{256, 1, 1}, square{16, 16, 1};
  EXPECT_EQ(lane_layout(nullptr, line).pattern, Unknown);
  EXPECT_EQ(layout(line, [](unsigned l) { return uint64_t{l} * 4; }).pattern, Contiguous);
  EXPECT_EQ(layout(line, [](unsigned l) { return 124 - uint64_t{l} * 4; }).pattern, Contiguous);  // backwards
  EXPECT_EQ(layout(line, [](unsigned l) { return 4 + uint64_t{l} * 4; }).pattern, Misaligned);
  EXPECT_EQ(layout(line, [](unsigned l) { return uint64_t{l} * 4; }, ~1u).pattern, Contiguous);  // lane 0 is out
  EXPECT_EQ(layout(line, [](unsigned l) { return uint64_t{l} * 124; }).pattern, Strided);
  EXPECT_EQ(layout(line, [](unsigned l) { return uint64_t{l} * 128; }).pattern, Rows);
  EXPECT_EQ(layout(line, [](unsigned) { return uint64_t{64}; }).pattern, Broadcast);
  EXPECT_EQ(layout(line, [](unsigned l) { return uint64_t{l} * l * 4; }).pattern, Scattered);
  // Two rows of a block, each contiguous; and the course's M[Row * Width + k] in a 16 x 16 block.
  EXPECT_EQ(layout(square, [](unsigned l) { return l / 16 * 4096 + uint64_t{l % 16} * 4; }).pattern, Contiguous);
  EXPECT_EQ(layout(square, [](unsigned l) { return l / 16 * uint64_t{4096}; }).pattern, Broadcast);
  EXPECT_EQ(layout({4, 64, 1}, [](unsigned l) { return l / 4 * 4096 + uint64_t{l % 4} * 4; }).pattern, NarrowRows);
}

}  // namespace
}  // namespace drywarp::advice
