#include "model/sm/units/event_queue.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <tuple>

namespace drywarp::sm {
namespace {

constexpr Cycles kWindow = EventQueue::kWindow;

// Compared with an ordered list, for near and far events, fractions of cycles, and events that are set again. The order
// is by window, SM, time and unit.
TEST(EventQueue, ServesInOrder) {
  std::mt19937 random(1);  // the same in every run
  constexpr uint32_t kSms = 11;
  for (const uint32_t units : {2u, 5u, 9u})
    for (const double reach : {3.0, 300.0, 30000.0}) {
      EventQueue queue(kSms, units);
      std::map<std::pair<uint32_t, uint32_t>, Cycles> expected;  // by SM and unit
      const auto set = [&](uint32_t sm, uint32_t unit, Cycles at) {
        queue.set(sm, unit, at);
        expected[{sm, unit}] = at;
      };
      for (uint32_t sm = 0; sm < kSms; ++sm) set(sm, random() % units, random() % 20);
      unsigned served = 0;
      while (served < 20000 && queue.next_turn()) {
        for (EventQueue::Event event; (event = queue.take()).at < kNever; ++served) {
          const auto first = std::min_element(expected.begin(), expected.end(), [](const auto& a, const auto& b) {
            const auto key = [](const auto& e) {
              return std::tuple(std::floor(e.second / kWindow), e.first.first, e.second, e.first.second);
            };
            return key(a) < key(b);
          });
          ASSERT_EQ(std::tuple(queue.sm(), event.unit, event.at),
                    std::tuple(first->first.first, first->first.second, first->second));
          expected.erase(first);
          const auto later = [&] {
            const double by = std::uniform_real_distribution<double>(0, reach)(random);
            return event.at + (random() % 2 ? by : std::floor(by));
          };
          set(queue.sm(), event.unit, later());
          if (random() % 4 == 0) set(queue.sm(), random() % units, later());
        }
      }
      EXPECT_GE(served, 20000u);
    }
}

TEST(EventQueue, EndsWhenNothingIsLeft) {
  EventQueue queue(2, 3);
  EXPECT_FALSE(queue.next_turn());
  queue.set(1, 2, 40);
  queue.set(1, 1, 41);
  queue.set(1, 1, kNever);
  ASSERT_TRUE(queue.next_turn());
  EXPECT_EQ(queue.take().at, 40);
  EXPECT_EQ(queue.take().at, kNever);
  EXPECT_FALSE(queue.next_turn());
  queue.set(0, 0, 8);  // in a window that is over
  ASSERT_TRUE(queue.next_turn());
  EXPECT_EQ(queue.take().at, 8);
}

// Until the next event of the SM, or the end of the window.
TEST(EventQueue, SaysHowLongAnSmIsQuiet) {
  EventQueue queue(5, 3);
  queue.set(3, 0, 801);
  queue.set(3, 1, 803.5);
  queue.set(4, 0, 800.5);
  ASSERT_TRUE(queue.next_turn());
  ASSERT_EQ(queue.take().at, 801);
  EXPECT_EQ(queue.quiet_until(), 803.5);
  queue.set(3, 2, 802);
  EXPECT_EQ(queue.quiet_until(), 802);
  queue.set(3, 2, 900);
  ASSERT_EQ(queue.take().at, 803.5);
  EXPECT_EQ(queue.quiet_until(), 808);
  EXPECT_EQ(queue.take().at, kNever);
  ASSERT_TRUE(queue.next_turn());
  EXPECT_EQ(queue.sm(), 4u);
}

}  // namespace
}  // namespace drywarp::sm
