// Streams of accesses on a device's DRAM.
#include "faces/explain/dram_stream.h"

#include <gtest/gtest.h>

#include <numeric>

namespace drywarp::explain {
namespace {

DramStream stream(const std::string& pattern, const std::string& device = "h200") {
  StreamQuery query;
  query.pattern = *parse_stream_pattern(pattern);
  query.elements = 1 << 19;
  const auto found = explain_stream(query, *device::load_device(device));
  EXPECT_TRUE(found.ok()) << (found.ok() ? "" : found.problem().to_string());
  return *found;
}

TEST(DramStream, sequentialHitsRowsAndWastesNothing) {
  const DramStream s = stream("sequential");
  EXPECT_EQ(s.wanted_bytes, 4 << 19);
  EXPECT_EQ(s.moved_bytes, s.wanted_bytes);
  EXPECT_GT(s.row_hit_rate(), 0.8);
  EXPECT_GT(s.bytes_per_second(), 0.5 * s.peak_bytes_per_second);
  EXPECT_LE(s.bytes_per_second(), s.peak_bytes_per_second);
  EXPECT_DOUBLE_EQ(std::accumulate(s.channels.bytes.begin(), s.channels.bytes.end(), 0.0), double(s.moved_bytes));
  EXPECT_DOUBLE_EQ(std::accumulate(s.banks.bytes.begin(), s.banks.bytes.end(), 0.0), double(s.moved_bytes));
}

TEST(DramStream, randomMissesRowsAndWastesBytes) {
  const DramStream s = stream("random");
  EXPECT_LT(s.row_hit_rate(), 0.1);
  EXPECT_GT(s.moved_bytes, 7 * s.wanted_bytes);
  EXPECT_LT(s.bytes_per_second(), stream("stride 16").bytes_per_second());
}

TEST(DramStream, strideMovesWholeFills) {
  // Elements are 64 bytes apart and fills have 64 bytes: a sixteenth of the moved bytes is requested.
  const DramStream s = stream("stride 16");
  EXPECT_EQ(s.moved_bytes, 16 * s.wanted_bytes);
}

TEST(DramStream, takesChannelsAndBanks) {
  StreamQuery query;
  query.elements = 1 << 19;
  const auto device = *device::load_device("h200");
  const auto all = explain_stream(query, device);
  query.channels = 1, query.banks = 1, query.pattern.kind = StreamPattern::Kind::Random;
  const auto one = explain_stream(query, device);
  ASSERT_TRUE(all.ok() && one.ok());
  EXPECT_EQ(one->channels.bytes.size(), 1);
  // One bank: every burst takes a row cycle.
  EXPECT_LT(one->bytes_per_second(), one->peak_bytes_per_second / 20);
  query.channels = 0;
  EXPECT_FALSE(explain_stream(query, device).ok());
}

TEST(DramStream, namesMissingNumbers) {
  device::DeviceSpec device = *device::load_device("h200");
  device.timing.dram.t_rcd.reset();
  const auto found = explain_stream({}, device);
  ASSERT_FALSE(found.ok());
  EXPECT_NE(found.problem().message.find("dram.t_rcd"), std::string::npos) << found.problem().message;
}

TEST(StreamPattern, isRead) {
  EXPECT_EQ(parse_stream_pattern("stride 4")->stride, 4);
  EXPECT_EQ(parse_stream_pattern("stride=12")->stride, 12);
  EXPECT_EQ(parse_stream_pattern("random")->kind, StreamPattern::Kind::Random);
  for (const char* wrong :
       {"", "stride", "stride ", "stride 0", "stride -1", "stride 4x", "rando", "stride 9999999999"})
    EXPECT_FALSE(parse_stream_pattern(wrong).ok()) << wrong;
}

}  // namespace
}  // namespace drywarp::explain
