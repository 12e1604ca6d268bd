#include "engine/check/byte_set.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <thread>
#include <vector>

namespace drywarp::check {
namespace {

constexpr uint64_t kStart = uint64_t{1} << 40;

TEST(ByteSet, HasWhatWasInsertedAndNotErased) {
  ByteSet set;
  EXPECT_TRUE(set.empty());
  set.insert(kStart + 10, 100000);
  set.erase(kStart + 500, 20000);
  set.erase(kStart + 30000, 1);
  EXPECT_FALSE(set.has(kStart + 9));
  EXPECT_TRUE(set.has(kStart + 10));
  EXPECT_TRUE(set.has(kStart + 499));
  EXPECT_FALSE(set.has(kStart + 500));
  EXPECT_FALSE(set.has(kStart + 20499));
  EXPECT_TRUE(set.has(kStart + 20500));
  EXPECT_FALSE(set.has(kStart + 30000));
  EXPECT_TRUE(set.has(kStart + 100009));
  EXPECT_FALSE(set.has(kStart + 100010));
  EXPECT_EQ(set.count(kStart, 200000), 100000u - 20000 - 1);
  EXPECT_TRUE(set.has_all(kStart + 40000, 60000));
  EXPECT_FALSE(set.has_all(kStart + 40000, 60011));
  EXPECT_TRUE(set.has_any(kStart + 20000, 501));
  EXPECT_FALSE(set.has_any(kStart + 20000, 500));
  set.erase(kStart, 200000);
  EXPECT_TRUE(set.empty());
}

// Against a std::set, byte by byte.
TEST(ByteSet, IsWhatASetOfNumbersIs) {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    ByteSet a, b;
    std::set<uint64_t> in_a, in_b;
    for (int i = 0; i < 60; ++i) {
      const uint64_t at = kStart + random() % 70000, bytes = 1 + random() % (i % 7 == 0 ? 20000 : 100);
      const bool first = random() % 2 == 0, inserts = random() % 4 != 0;
      ByteSet& set = first ? a : b;
      std::set<uint64_t>& in = first ? in_a : in_b;
      inserts ? set.insert(at, bytes) : set.erase(at, bytes);
      for (uint64_t x = at; x < at + bytes; ++x) inserts ? (void)in.insert(x) : (void)in.erase(x);
    }
    std::set<uint64_t> both, got;
    for (const uint64_t x : in_a)
      if (in_b.contains(x)) both.insert(x);
    for (auto c = a.common(b); c; c = a.common(b, c->end))
      for (uint64_t x = c->begin; x < c->end; ++x) got.insert(x);
    EXPECT_EQ(got, both);
    EXPECT_EQ(a.count(kStart, 100000), in_a.size());
    if (round % 2 == 0) {
      a.erase(b);
      for (const uint64_t x : both) in_a.erase(x);
    } else {
      a.insert(b);
      in_a.insert(in_b.begin(), in_b.end());
    }
    EXPECT_EQ(a.count(kStart, 100000), in_a.size());
    EXPECT_EQ(a.empty(), in_a.empty());
    for (const uint64_t x : in_a) ASSERT_TRUE(a.has(x));
  }
}

TEST(ByteSet, WholePagesTakeNoBits) {
  ByteSet whole, holes;
  whole.insert(kStart, uint64_t{1} << 28);
  holes.insert(kStart, uint64_t{1} << 20);
  for (uint64_t page = 0; page < 64; ++page) holes.erase(kStart + page * 16384, 1);
  EXPECT_LT(whole.memory(), uint64_t{1} << 20);
  EXPECT_EQ(holes.memory(), (uint64_t{1} << 20) / 8);
}

TEST(ByteSet, ManyWriters) {
  ByteSet set;
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 4; ++t)
    threads.emplace_back([&set, t] {
      ByteSet::Writer writer(set);
      for (uint64_t i = 0; i < 20000; ++i) writer.insert(kStart + (i * 4 + t) * 5, 5);
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(set.count(kStart, 1000000), 400000u);
}

}  // namespace
}  // namespace drywarp::check
