#include "timing/event_queue.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <tuple>

namespace drywarp::timing {
namespace {

using Event = EventQueue::Event;
uint64_t window(double at) { return static_cast<uint64_t>(at / EventQueue::kWindow); }
std::tuple<uint64_t, uint16_t, double, uint16_t, uint32_t> key(const Event& e) {
  return {window(e.at), e.sm, e.at, e.unit, e.version};
}

// Serves as an ordered set does, for events that come near, far, at fractions of cycles and in the window that is
// already open: one window after the other, in each one SM after the other, each in the order of time.
TEST(EventQueue, ServesInOrder) {
  std::mt19937 random(1);  // the same in every run
  for (const double reach : {3.0, 300.0, 30000.0}) {
    EventQueue queue;
    std::set<decltype(key({}))> expected;
    double now = 0;
    uint16_t sm = 0;
    uint32_t version = 0;
    // What happens on an SM brings about more of it on the same SM.
    const auto push = [&] {
      const double later = std::uniform_real_distribution<double>(0, reach)(random);
      const Event event{now + (random() % 2 ? later : static_cast<double>(static_cast<int>(later))), sm,
                        static_cast<uint16_t>(random() % 5), version++};
      queue.push(event);
      expected.insert(key(event));
    };
    for (sm = 0; sm < 8; ++sm) push();
    for (unsigned i = 0; i < 20000; ++i) {
      const Event* first = queue.first();
      ASSERT_EQ(first == nullptr, expected.empty());
      if (!first) break;
      ASSERT_EQ(key(*first), *expected.begin());
      if (random() % 4 == 0) continue;  // asked for, and left where it is
      now = first->at, sm = first->sm;
      queue.pop();
      expected.erase(expected.begin());
      for (unsigned n = 1 + (random() % 4 == 0) - (expected.size() > 40); n > 0; --n) push();
    }
    EXPECT_GT(version, 10000u);
  }
}

TEST(EventQueue, OlderOfTheSameComesFirst) {
  EventQueue queue;
  for (const uint32_t version : {2u, 1u, 3u}) queue.push({5, 0, 0, version});
  for (const uint32_t version : {1u, 2u, 3u}) {
    ASSERT_TRUE(queue.first());
    EXPECT_EQ(queue.first()->version, version);
    queue.pop();
  }
  EXPECT_FALSE(queue.first());
}

// An SM goes on until something else happens there, or its window ends.
TEST(EventQueue, SaysHowLongAnSmMayGoOn) {
  EventQueue queue;
  for (const double at : {801.0, 803.5}) queue.push({at, 3, 0, 0});
  queue.push({800.5, 4, 0, 0});
  ASSERT_EQ(queue.first()->sm, 3);
  queue.pop();
  EXPECT_EQ(queue.quiet_until(3), 803.5);
  ASSERT_EQ(queue.first()->at, 803.5);
  queue.pop();
  EXPECT_EQ(queue.quiet_until(3), 808);
  EXPECT_EQ(queue.first()->sm, 4);
}

// ... of its window.
TEST(EventQueue, KnowsWhatComes) {
  EventQueue queue;
  for (const uint16_t sm : {2, 0, 1}) queue.push({7.0 + sm, sm, 0, 0});
  ASSERT_TRUE(queue.first());
  ASSERT_EQ(queue.known().size(), 1u);
  queue.pop();
  ASSERT_TRUE(queue.first());
  ASSERT_EQ(queue.known().size(), 2u);
  EXPECT_EQ(queue.known().back().sm, 1);
  EXPECT_EQ(queue.known().front().sm, 2);
}

}  // namespace
}  // namespace drywarp::timing
