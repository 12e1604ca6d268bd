#include "base/events/barrier_note.h"

#include <gtest/gtest.h>

#include "base/events/counts.h"

namespace drywarp {
namespace {

using Kind = BarrierNote::Kind;
using Notes = std::vector<BarrierNote>;

TEST(BarrierNotes, TheMostPreciseKindInTheLowestBlockSpeaksForABarrier) {
  Notes notes;
  add(notes, {Kind::SkippedByWarps, 7, 1, {1, 0, 0}, 0, 2, 2});
  add(notes, {Kind::ThreadsEnded, 3, 1, {0, 0, 0}, 0, 40, 88});
  add(notes, {Kind::DivergentWarp, 7, 2, {5, 1, 0}, 3, 8, 24});
  add(notes, {Kind::DivergentWarp, 7, 1, {9, 0, 0}, 1, 4, 28});  // an earlier block: x is fastest
  add(notes, {Kind::DivergentWarp, 7, 1, {9, 0, 0}, 1, 2, 30});  // the same block again: the first time stays
  EXPECT_EQ(notes, (Notes{{Kind::ThreadsEnded, 3, 1, {0, 0, 0}, 0, 40, 88},
                          {Kind::DivergentWarp, 7, 5, {9, 0, 0}, 1, 4, 28}}));
}

TEST(BarrierNotes, AreAddedUpOverLaunches) {
  LaunchCounts all, one;
  one.barrier_notes = {{Kind::DivergentWarp, 2, 6, {0, 0, 0}, 0, 16, 16}};
  all += one;
  all += one;
  EXPECT_EQ(all.barrier_notes, (Notes{{Kind::DivergentWarp, 2, 12, {0, 0, 0}, 0, 16, 16}}));
}

TEST(BarrierNotes, SayWhatHappened) {
  EXPECT_EQ(what_happened({Kind::DivergentWarp, 0, 1, {0, 2, 0}, 1, 1, 31}),
            "of warp 1 of block (0,2,0), 1 lane waits at it and 31 run on and end without it");
  EXPECT_EQ(what_happened({Kind::SkippedByWarps, 0, 1, {0, 0, 0}, 0, 2, 1}),
            "of block (0,0,0), 2 warps wait at it and 1 runs on and ends without it");
  EXPECT_EQ(what_happened({Kind::ThreadsEnded, 0, 1, {0, 0, 0}, 0, 40, 88}),
            "88 of 128 threads of block (0,0,0) have ended before it");
}

}  // namespace
}  // namespace drywarp
