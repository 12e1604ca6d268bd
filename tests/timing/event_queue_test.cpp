#include "timing/event_queue.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <tuple>

namespace drywarp::timing {
namespace {

using Event = EventQueue::Event;
std::tuple<double, uint32_t, uint32_t> key(const Event& e) { return {e.at, e.part, e.version}; }

// Serves as an ordered set does, for events that come near, far, at fractions of cycles and before the cycle that is
// already open.
TEST(EventQueue, ServesInOrder) {
  std::mt19937 random(1);  // the same in every run
  for (const double reach : {3.0, 300.0, 30000.0}) {
    EventQueue queue;
    std::set<std::tuple<double, uint32_t, uint32_t>> expected;
    double now = 0;
    uint32_t version = 0;
    const auto push = [&] {
      const double later = std::uniform_real_distribution<double>(0, reach)(random);
      const Event event{now + (random() % 2 ? later : static_cast<double>(static_cast<int>(later))),
                        static_cast<uint32_t>(random() % 8), version++};
      queue.push(event);
      expected.insert(key(event));
    };
    for (unsigned i = 0; i < 20000; ++i) {
      for (unsigned n = random() % 3; n > 0; --n) push();
      const Event* first = queue.first();
      ASSERT_EQ(first == nullptr, expected.empty());
      if (!first) continue;
      ASSERT_EQ(key(*first), *expected.begin());
      if (random() % 4 == 0) continue;  // asked for, and left where it is
      now = first->at;
      queue.pop();
      expected.erase(expected.begin());
    }
  }
}

TEST(EventQueue, OlderOfTheSameComesFirst) {
  EventQueue queue;
  for (const uint32_t version : {2u, 1u, 3u}) queue.push({5, 0, version});
  for (const uint32_t version : {1u, 2u, 3u}) {
    ASSERT_TRUE(queue.first());
    EXPECT_EQ(queue.first()->version, version);
    queue.pop();
  }
  EXPECT_FALSE(queue.first());
}

// ... in later cycles too, as long as little is known.
TEST(EventQueue, KnowsWhatComes) {
  EventQueue queue;
  for (const uint32_t part : {2u, 0u, 1u}) queue.push({7, part, 0});
  for (uint32_t later = 0; later < 40; ++later) queue.push({100.0 * later + 8.5, 3 + later, 0});
  ASSERT_TRUE(queue.first());
  for (uint32_t count = 0; count < EventQueue::kKnown; ++count) {
    ASSERT_TRUE(queue.ahead(count));
    EXPECT_EQ(queue.ahead(count)->part, count);
  }
}

}  // namespace
}  // namespace drywarp::timing
