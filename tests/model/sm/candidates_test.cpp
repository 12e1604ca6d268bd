#include "model/sm/units/candidates.h"

#include <gtest/gtest.h>

#include <random>
#include <tuple>

namespace drywarp::sm {
namespace {

struct Plain {
  uint32_t warp, block;
  Cycles ready;
  uint32_t turn;
};

// Compared with a linear search while warps start and end: of those that are ready and can issue, the warp of the
// oldest block, and of these the least recently issued.
TEST(Candidates, prefersTheOldestBlockThenTheLeastRecentlyIssued) {
  std::mt19937 random(1);  // the same in every run
  for (const uint32_t most : {1u, 7u, 8u, 16u, 63u, 64u}) {
    Candidates candidates;
    std::vector<Plain> plain;
    uint32_t warps = 0, blocks = 0, turns = 0;
    for (int step = 0; step < 5000; ++step) {
      if (plain.size() < most && random() % 4 == 0) {
        blocks += random() % 3 == 0 ? 1 : 0;
        plain.push_back({warps, blocks, 0, 0});
        candidates.add(warps++, blocks);
      }
      if (plain.size() > most / 2 && random() % 8 == 0) {
        const uint32_t place = random() % plain.size();
        plain.erase(plain.begin() + place);
        candidates.remove(place);
      }
      ASSERT_EQ(candidates.size(), plain.size());
      Cycles soonest = kNever;
      for (const Plain& p : plain) soonest = std::min(soonest, p.ready);
      ASSERT_EQ(candidates.soonest(), soonest);
      const Cycles by = random() % 20;
      const uint32_t cannot = random() % 4;  // those whose number has this rest
      uint32_t best = Candidates::kNone;
      for (uint32_t place = 0; place < plain.size(); ++place) {
        const Plain& p = plain[place];
        if (p.ready > by || p.warp % 4 == cannot) continue;
        if (best == Candidates::kNone || std::tie(p.block, p.turn) < std::tie(plain[best].block, plain[best].turn))
          best = place;
      }
      ASSERT_EQ(candidates.next(by, [&](const Candidate& c) { return c.warp % 4 != cannot; }), best) << most;
      if (best == Candidates::kNone) continue;
      candidates.issues(best);
      plain[best].turn = ++turns;
      plain[best].ready = random() % 16 == 0 ? kNever : by + random() % 30;
      candidates.set_ready(best, plain[best].ready);
    }
  }
}

// More warps than any GPU has.
TEST(Candidates, worksWithAnyNumber) {
  Candidates candidates;
  for (uint32_t warp = 0; warp < 150; ++warp) {
    candidates.add(warp, warp / 10);
    candidates.set_ready(warp, warp % 7 == 3 ? 5 : kNever);
  }
  for (const uint32_t wanted : {3u, 66u, 143u})
    EXPECT_EQ(candidates.next(5, [&](const Candidate& c) { return c.warp >= wanted; }), wanted);
  EXPECT_EQ(candidates.next(4, [](const Candidate&) { return true; }), Candidates::kNone);
}

}  // namespace
}  // namespace drywarp::sm
