// The time line of a run that knows its operations.
#include <gtest/gtest.h>

#include "profile/record/time_line.h"

namespace drywarp::record {
namespace {

timeline::Operation operation(timeline::Kind kind, uint32_t stream, double ns, std::vector<uint32_t> after = {}) {
  timeline::Operation o;
  o.kind = kind, o.stream = stream, o.duration_ns = ns, o.after = std::move(after);
  o.shape.slots = 8;
  return o;
}

TEST(RunTimeLine, NeedsOperations) {
  Profile profile;
  EXPECT_FALSE(time_line(profile));
  profile.operations = {operation(timeline::Kind::Wait, 0, 0)};
  EXPECT_FALSE(time_line(profile));
  EXPECT_FALSE(pipelined_seconds(profile));
}

TEST(RunTimeLine, CountsWhatHasNoTime) {
  Profile profile;
  profile.operations = {operation(timeline::Kind::Kernel, 1, 30), operation(timeline::Kind::ToHost, 2, 20),
                        operation(timeline::Kind::Kernel, 1, 0, {0})};
  const auto line = time_line(profile);
  ASSERT_TRUE(line);
  EXPECT_EQ(line->untimed, 1u);
  EXPECT_EQ(line->totals.whole_ns, 30);
  EXPECT_EQ(line->totals.together_ns, 20);
}

// Three operations that depend on each other: eight parts, of which the slowest kind decides.
TEST(RunTimeLine, PartsOverlap) {
  Profile profile;
  profile.operations = {operation(timeline::Kind::ToDevice, 0, 80), operation(timeline::Kind::Kernel, 0, 160, {0}),
                        operation(timeline::Kind::ToHost, 0, 80, {1})};
  profile.operations[1].shape.blocks = 64;
  EXPECT_DOUBLE_EQ(*pipelined_seconds(profile), (10 + 160 + 10) * 1e-9);
}

}  // namespace
}  // namespace drywarp::record
