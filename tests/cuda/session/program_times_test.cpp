// Which times launches have within their program.
#include "cuda/launch/program_times.h"

#include <gtest/gtest.h>

#include "base/access/access_pattern.h"

namespace drywarp::cuda {
namespace {

ProgramTimes times() {
  memory::L2Parameters l2;
  l2.bytes = 1 << 20;
  return ProgramTimes(l2);
}
ProgramTimes::Time some_time() { return std::make_shared<const sm::LaunchTime>(); }

// A launch of one block that loads `lines` lines from the first on; of a grid of `blocks`.
LaunchTrace loads(unsigned lines, uint64_t blocks = 1) {
  LaunchTrace trace;
  trace.blocks_in_grid = blocks;
  WarpTrace warp;
  for (unsigned i = 0; i < lines; ++i) warp.lines.push_back(TraceLine::of(i * kLineBytes, 15));
  TraceAccess access;
  access.access = 0, access.line_count = static_cast<uint16_t>(lines);
  warp.accesses = {access};
  trace.blocks = {{0, {warp}}};
  return trace;
}

TEST(ProgramTimes, areModelledOnceForEachEighthOfHeldLines) {
  ProgramTimes program = times();
  const auto alone = some_time(), warm = some_time();
  const LaunchTrace trace = loads(16);
  const auto first = program.begin(&trace);
  EXPECT_EQ(first.eighths, 0u);
  EXPECT_EQ(program.find(alone, first), alone);
  const auto second = program.begin(&trace);
  EXPECT_EQ(second.eighths, 8u);
  EXPECT_EQ(second.held.size(), 16u);
  EXPECT_EQ(program.find(alone, second), nullptr);
  program.keep(alone, second, warm);
  EXPECT_EQ(program.find(alone, program.begin(&trace)), warm);
  const LaunchTrace wider = loads(32);
  EXPECT_EQ(program.begin(&wider).eighths, 4u);
}

TEST(ProgramTimes, ofLaunchesThatAreNotRecordedAreThoseOfTheLastEqualOne) {
  ProgramTimes program = times();
  const auto alone = some_time(), warm = some_time();
  const LaunchTrace trace = loads(16);
  program.begin(&trace);
  const auto held = program.begin(&trace);
  EXPECT_EQ(program.find(alone, held), nullptr);
  EXPECT_EQ(program.find(alone, program.begin(nullptr)), alone);  // it was not modelled
  program.keep(alone, held, warm);
  EXPECT_EQ(program.find(alone, program.begin(nullptr)), warm);
}

TEST(ProgramTimes, startColdBehindALaunchThatIsRecordedInPart) {
  ProgramTimes program = times();
  const LaunchTrace trace = loads(16), part = loads(2, 100);
  program.begin(&trace);
  EXPECT_EQ(program.begin(&part).eighths, 0u);
  EXPECT_EQ(program.begin(&trace).held.size(), 2u);
}

TEST(ProgramTimes, findWhatCopiesHaveWritten) {
  ProgramTimes program = times();
  program.wrote(0, 16 * kLineBytes);
  const LaunchTrace trace = loads(16);
  EXPECT_EQ(program.begin(&trace).eighths, 8u);
}

}  // namespace
}  // namespace drywarp::cuda
