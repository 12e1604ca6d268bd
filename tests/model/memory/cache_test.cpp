// One cache on hand-written accesses.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "model/memory/memory_system.h"
#include "small_memory.h"

namespace drywarp::memory {
namespace {

// Like the L1 of an H200: repeated reads of a stretch of the cache's size all hit; of one a quarter longer none do.
TEST(Cache, keepsAStretchOfItsSize) {
  for (const uint64_t lines : {1984u, 2480u}) {
    ZeroedArena arena;
    Cache cache(1984 * kLineBytes, 8, arena);
    uint64_t hits = 0;
    for (int round = 0; round < 3; ++round)
      for (uint64_t l = 0; l < lines; ++l) {
        hits += cache.access(12345 + l, 1, 0).hits;
        cache.fill(1, 0);
      }
    EXPECT_EQ(hits, lines == 1984 ? 2 * lines : 0) << lines;
  }
}

TEST(Cache, keepsWhatFitsAndDropsTheOldest) {
  ZeroedArena arena;
  Cache cache(16 * kLineBytes, 16, arena);  // one set
  for (uint64_t line = 0; line < 16; ++line) {
    EXPECT_EQ(cache.access(line, 15, 0).hits, 0);
    cache.fill(15, 0);
  }
  EXPECT_EQ(cache.access(0, 15, 0).hits, 15);
  cache.access(16, 15, 0);  // line 1 leaves
  cache.fill(15, 0);
  EXPECT_EQ(cache.access(0, 15, 0).hits, 15);
  EXPECT_EQ(cache.access(2, 3, 0).hits, 3);
  EXPECT_EQ(cache.access(1, 15, 0).hits, 0);
}

// Sets that protect lines, compared with two ordered lists: of those used again, and of the others.
TEST(Cache, protectsLinesThatAreUsedAgain) {
  constexpr uint32_t kWays = 4;
  for (const unsigned protects : {1u, 2u, 3u}) {
    ZeroedArena arena;
    Cache cache(kWays * kLineBytes, kWays, arena, protects);
    std::vector<uint64_t> kept, others;  // the latest first
    std::mt19937_64 random(protects);    // the same in every run
    unsigned evicted = 0;
    for (int i = 0; i < 5000; ++i) {
      const uint64_t line = random() % 7;
      const bool known = std::erase(kept, line) + std::erase(others, line) != 0;
      ASSERT_EQ(cache.access(line, 5, 0).hits, known ? 5u : 0u) << protects << ' ' << i;
      cache.fill(5, 0);
      const auto unprotect = [&] { others.insert(others.begin(), kept.back()), kept.pop_back(); };
      if (!known && kept.size() + others.size() == kWays) {
        others.pop_back();
        if (++evicted % 4 == 0 && !kept.empty()) unprotect();  // one of four that have to go
      }
      (known ? kept : others).insert((known ? kept : others).begin(), line);
      if (kept.size() > protects) unprotect();
    }
  }
}

// Threads that walk rows come to new lines together: these do not push each other out for long beside old ones.
TEST(Cache, endsProtectionWhereNewLinesPushEachOtherOut) {
  ZeroedArena arena;
  Cache cache(8 * kLineBytes, 8, arena, 5);
  const auto use = [&](uint64_t from, uint64_t to) {
    uint32_t hits = 0;
    for (uint64_t line = from; line < to; ++line) hits += cache.access(line, 1, 0).hits, cache.fill(1, 0);
    return hits;
  };
  use(0, 5), use(0, 5);
  uint32_t rounds = 0;
  while (use(100, 105) < 5) ASSERT_LT(++rounds, 5u);
  EXPECT_GE(rounds, 2u);
}

// As an H200's L1 (h200-l1-lines.csv): lines that are walked through there and back find what was used again before.
TEST(Cache, keepsProtectedLinesWhileOthersComeAndGo) {
  constexpr uint64_t kLines = 4096;
  ZeroedArena arena;
  Cache cache(1728 * kLineBytes, 8, arena, 5);
  std::vector<uint64_t> hits(8);
  for (unsigned pass = 0; pass < hits.size(); ++pass)
    for (uint64_t i = 0; i < kLines; ++i) {
      hits[pass] += cache.access(pass % 2 == 0 ? i : kLines - 1 - i, 1, 0).hits;
      cache.fill(1, 0);
    }
  EXPECT_NEAR(static_cast<double>(hits[1]), 1728, 20);
  for (unsigned pass = 2; pass < hits.size(); ++pass) EXPECT_NEAR(static_cast<double>(hits[pass]), 1100, 60) << pass;
}

// A request that hits sectors being filled waits for the last of them. Sectors that arrived long ago cause no wait.
TEST(Cache, saysWhenSectorsArrive) {
  ZeroedArena arena;
  Cache cache(16 * kLineBytes, 16, arena);
  EXPECT_EQ(cache.access(7, 3, 0).hits, 0);
  cache.fill(1, 500);
  cache.fill(2, 900);
  EXPECT_EQ(cache.access(7, 1, 600).ready, 500);
  EXPECT_EQ(cache.access(7, 3, 600).ready, 900);
  EXPECT_EQ(cache.access(7, 1, 800).ready, 500);  // the other one is still being filled
  EXPECT_EQ(cache.access(7, 2, 700).ready, 900);  // requested a little out of order
  EXPECT_LE(cache.access(7, 3, 5000).ready, 5000);
  EXPECT_LE(cache.access(7, 3, 5000).ready, 5000);
  EXPECT_EQ(cache.access(7, 4, 5001).hits, 0);
  cache.fill(4, 6000);
  EXPECT_EQ(cache.access(7, 7, 5002).ready, 6000);
}

// Sets of any associativity, compared with an ordered list.
TEST(Cache, replacesTheLeastRecentlyUsedLine) {
  for (uint32_t ways = 1; ways <= Cache::kMaxWays; ++ways) {
    ZeroedArena arena;
    Cache cache(ways * kLineBytes, ways, arena);
    std::vector<uint64_t> lines;   // the latest first
    std::mt19937_64 random(ways);  // the same in every run
    for (int i = 0; i < 5000; ++i) {
      // Some differ in their upper bits only.
      const uint64_t line = random() % (2 * ways) + (random() % 4 == 0 ? uint64_t{1} << 33 : 0);
      const auto place = std::find(lines.begin(), lines.end(), line);
      const bool known = place != lines.end();
      ASSERT_EQ(cache.present(line, 5), known ? 5u : 0u) << ways;
      const Cache::Found found = cache.access(line, 5, 0);
      ASSERT_EQ(found.hits, known ? 5u : 0u) << ways;
      if (known) {
        lines.erase(place);
      } else if (lines.size() == ways) {
        ASSERT_EQ(found.victim, lines.back()) << ways;
        ASSERT_EQ(found.dirty_out, 4u) << ways;
        lines.pop_back();
      }
      cache.fill(5, 0);
      cache.make_dirty(4);
      if (random() % 8 == 0) {
        cache.make_lru();
        lines.push_back(line);
      } else {
        lines.insert(lines.begin(), line);
      }
    }
  }
}

}  // namespace
}  // namespace drywarp::memory
