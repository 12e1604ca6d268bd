#include "engine/check/released_words.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace drywarp::check {
namespace {

Known knows(Time time) {
  Clock clock;
  clock.own.resize(2);
  clock.own[time % 2].raise(~LaneMask{0}, time);
  return std::make_shared<Clock>(clock);
}

// The times of both warps of a block that a reader knows.
std::pair<Time, Time> times(const BlockTimes* times) {
  return times ? std::pair((*times)[0].least(), (*times)[1].least()) : std::pair<Time, Time>();
}
const BlockTimes* of_block(const Clock& clock, uint64_t block, uint64_t own) {
  if (block == own) return clock.own.empty() ? nullptr : &clock.own;
  if (clock.others)
    for (const auto& [number, known] : *clock.others)
      if (number == block) return known.get();
  return nullptr;
}

// Chains of thousands of releases, some of which are told again: what a reader learns is what was there when it read,
// however late it learns it.
TEST(ReleasedWords, TellsReadersWhatWasThereWhenTheyRead) {
  constexpr uint64_t kWord = 7, kBlocks = 3;
  std::mt19937 random(1);
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  ReleasedWords words;
  struct Reader {
    ReleasedWords::Seen seen;
    uint64_t block;
    std::vector<std::pair<Time, Time>> all, wide;  // by block
  };
  std::vector<Reader> readers;
  std::vector<std::pair<Time, Time>> all(kBlocks), wide(kBlocks);
  std::vector<WordRelease> earlier;
  size_t learned = 0;
  const auto learn = [&](size_t i) {
    const Reader reader = readers[i];  // copies hold it, too
    readers.erase(readers.begin() + static_cast<std::ptrdiff_t>(i));
    const ReleasedWords::Seen* const seen[] = {&reader.seen};
    const Clock clock = *ReleasedWords::learned(std::make_shared<Clock>(), seen, reader.block, true);
    for (uint64_t b = 0; b < kBlocks; ++b)
      EXPECT_EQ(times(of_block(clock, b, reader.block)), b == reader.block ? reader.all[b] : reader.wide[b]) << b;
    ++learned;
  };
  for (Time now = 1; now < 6000 && !testing::Test::HasFailure(); ++now) {
    const bool again = !earlier.empty() && below(4) == 0;
    if (!again) {
      earlier.push_back({below(kBlocks), 0, below(3) != 0, false, knows(now)});
      auto raise = [&](auto& known) {
        auto& one = known[earlier.back().block];
        (now % 2 == 0 ? one.first : one.second) = now;
      };
      raise(all);
      if (earlier.back().wide) raise(wide);
    }
    const WordRelease& r =
        again ? earlier[earlier.size() - 1 - below(static_cast<uint32_t>(earlier.size()))] : earlier.back();
    words.update(kWord, r.block, r.thread, {r});
    if (below(20) == 0) {
      const uint64_t block = below(kBlocks);
      readers.push_back({ReleasedWords::Seen(words.read(kWord, block, true)), block, all, wide});
    }
    // Some never learn; most do so soon, and some much later.
    if (readers.size() > 3 && below(20) == 0) learn(below(10) == 0 ? 1 : readers.size() - 1);
    if (now % 2000 == 0) readers.clear();
  }
  EXPECT_GT(learned, 100U);
}

}  // namespace
}  // namespace drywarp::check
