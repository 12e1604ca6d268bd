// The line that a terminal shows while a sweep runs.
#include "faces/cli/targets/sweep_progress.h"

#include <gtest/gtest.h>

namespace drywarp::cli {
namespace {

std::string shown(size_t done, size_t total, size_t run, double seconds, const sweep::Row* best = nullptr,
                  size_t columns = 79) {
  sweep::Space space;
  EXPECT_TRUE(space.add("BLOCK_SIZE", sweep::Kind::Macro, {sweep::value_of("128")}).ok());
  EXPECT_TRUE(space.add("ELEMENTS", sweep::Kind::Macro, {sweep::value_of("16")}).ok());
  return sweep_progress_text({sweep::Stage::Whole, done, total, run, seconds, best}, space, columns);
}

TEST(SweepProgress, saysRateAndTimeLeft) {
  EXPECT_EQ(shown(0, 40, 0, 1), "[..........] 0/40 whole");
  EXPECT_EQ(shown(10, 40, 10, 4), "[##........] 10/40 whole, 2.5 rows/s, 12 s left");
  EXPECT_EQ(shown(20, 40, 10, 70), "[#####.....] 20/40 whole, 7 s a row, 2 min left");  // ten were there before
  EXPECT_EQ(shown(1, 1000, 1, 20), "[..........] 1/1000 whole, 20 s a row, 5 h 33 min left");
  EXPECT_EQ(shown(3000, 4000, 3000, 10), "[#######...] 3000/4000 whole, 300 rows/s, 3 s left");
  EXPECT_EQ(shown(40, 40, 40, 4), "[##########] 40/40 whole, 10 rows/s, 0 s left");
  EXPECT_EQ(shown(0, 0, 0, 0), "[##########] 0/0 whole");
}

TEST(SweepProgress, fitsTheTerminal) {
  sweep::Row best{1, {0, 0}, sweep::Measurement{}, ""};
  best.measurement->seconds = 12.3e-6;
  const std::string whole = "[#####.....] 20/40 whole, 5.0 rows/s, 4 s left, best 12.3 us: BLOCK_SIZE=128 ELEMENTS=16";
  EXPECT_EQ(shown(20, 40, 20, 4, &best, 99), whole);
  EXPECT_EQ(shown(20, 40, 20, 4, &best, 79), whole.substr(0, 76) + "...");
  EXPECT_EQ(shown(20, 40, 20, 4, &best, 120).substr(0, 23), "[##########..........] ");
  for (size_t columns = 0; columns < 100; ++columns) EXPECT_LE(shown(20, 40, 20, 4, &best, columns).size(), columns);
}

}  // namespace
}  // namespace drywarp::cli
