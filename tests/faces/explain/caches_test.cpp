// Working sets on the levels of a device's memory (course A8), and how older devices move a warp's data (course A1).
#include "faces/explain/caches.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "faces/explain/access.h"

namespace drywarp::explain {
namespace {

CacheExplanation caches(uint64_t size, uint32_t multiprocessors = 1, const std::string& pattern = "sequential") {
  CacheQuery query;
  query.size = size, query.multiprocessors = multiprocessors, query.pattern = *parse_stream_pattern(pattern);
  const auto found = explain_caches(query, *device::load_device("h200"));
  EXPECT_TRUE(found.ok()) << (found.ok() ? "" : found.problem().to_string());
  return *found;
}

TEST(Caches, fittingWorkingSetHitsFromTheSecondPassOn) {
  const CacheExplanation small = caches(64 << 10);
  const auto device = *device::load_device("h200");
  ASSERT_EQ(small.passes.size(), 3);
  EXPECT_EQ(small.passes[0].l1_sectors, (64 << 10) / 32);
  EXPECT_EQ(small.passes[0].l1_hits, 0);
  EXPECT_EQ(small.passes[0].dram_bytes, 64 << 10);
  EXPECT_EQ(small.passes[1].l1_hits, small.passes[1].l1_sectors);
  EXPECT_EQ(small.passes[1].dram_bytes, 0);
  // A load's latency is that of the level that hits.
  EXPECT_NEAR(small.passes[1].mean_latency, *device.timing.l1.hit_latency, 5);
  EXPECT_GT(small.passes[0].mean_latency, *device.timing.l2.latency_near);

  const CacheExplanation large = caches(2 << 20);  // more than L1, less than L2
  EXPECT_LT(large.passes[2].l1_hits, large.passes[2].l1_sectors / 10);
  EXPECT_EQ(large.passes[2].l2_hits, large.passes[2].l2_sectors);
  EXPECT_EQ(large.passes[2].dram_bytes, 0);
  EXPECT_GE(large.passes[2].mean_latency, *device.timing.l2.latency_near);
  EXPECT_LE(large.passes[2].mean_latency, *device.timing.l2.latency_far + 10);
}

TEST(Caches, namesEveryLevel) {
  const CacheExplanation found = caches(4096);
  std::vector<std::string> names;
  for (const MemoryLevel& level : found.levels) names.push_back(level.name);
  for (const char* wanted : {"registers", "shared", "constant", "L1, read-only, texture", "L2", "DRAM"})
    EXPECT_NE(std::ranges::find(names, wanted), names.end()) << wanted;
}

TEST(Caches, showsTheLevelsOfADeviceWhoseFileLacksNumbers) {
  device::DeviceSpec device = *device::load_device("h200");
  device.timing.l1.hit_latency.reset();
  device.timing.texture.l1_latency.reset();  // it would stand in
  const auto found = explain_caches({}, device);
  ASSERT_TRUE(found.ok());
  EXPECT_TRUE(found->passes.empty());
  EXPECT_NE(found->why_not.find("l1.hit_latency"), std::string::npos) << found->why_not;
  EXPECT_FALSE(found->levels.empty());
}

TEST(Caches, namesStandIns) {
  device::DeviceSpec device = *device::load_device("h200");
  EXPECT_TRUE(explain_caches({}, device)->stand_ins.empty());
  device.timing.l1.bytes_per_cycle.reset();
  const auto found = explain_caches({}, device);
  ASSERT_FALSE(found->passes.empty()) << found->why_not;
  EXPECT_EQ(found->stand_ins, (std::vector<machine::StandIn>{{"l1.bytes_per_cycle", "shared.bytes_per_cycle"}}));
}

TEST(Caches, rejectsImpossibleQueries) {
  const auto device = *device::load_device("h200");
  CacheQuery query;
  query.size = 0;
  EXPECT_FALSE(explain_caches(query, device).ok());
  query.size = uint64_t{1} << 40;
  EXPECT_FALSE(explain_caches(query, device).ok());
  query.size = 4096, query.multiprocessors = 1000;
  EXPECT_FALSE(explain_caches(query, device).ok());
}

AccessExplanation on(const std::string& device, int64_t stride, int64_t offset, unsigned bytes = 4) {
  PatternText text;
  text.stride = stride, text.offset = offset, text.bytes = bytes;
  return *explain_access(*parse_pattern(text), *device::load_device(device), 0, 0);
}

// Fermi fills whole lines: a shift by a word costs another 128 bytes.
TEST(OlderDevices, fermiMovesLines) {
  EXPECT_EQ(on("gtx480", 1, 0).device_pieces, 1);
  EXPECT_EQ(on("gtx480", 1, 1).device_pieces, 2);
  EXPECT_EQ(on("gtx480", 32, 0).device_pieces, 32);
  EXPECT_EQ(on("gtx480", 1, 0).moved_bytes, 128);
}

// GT200 looks at half-warps and moves segments of 32, 64 or 128 bytes: the guide's examples.
TEST(OlderDevices, gt200MovesSegments) {
  using Segments = std::map<uint32_t, uint32_t>;
  EXPECT_EQ(on("gtx280", 1, 0).segments, (Segments{{64, 2}}));
  EXPECT_EQ(on("gtx280", 1, 1).segments, (Segments{{32, 1}, {64, 1}, {128, 1}}));
  EXPECT_EQ(on("gtx280", 2, 0).segments, (Segments{{128, 2}}));
  EXPECT_EQ(on("gtx280", 32, 0).segments, (Segments{{32, 32}}));
  EXPECT_EQ(on("gtx280", 1, 0, 1).segments, (Segments{{32, 2}}));
  EXPECT_EQ(on("gtx280", 1, 0, 2).segments, (Segments{{32, 2}}));
  EXPECT_EQ(on("gtx280", 1, 0, 8).segments, (Segments{{128, 2}}));
  EXPECT_TRUE(on("h200", 1, 0).segments.empty());
}

}  // namespace
}  // namespace drywarp::explain
