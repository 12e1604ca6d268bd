// Time lines that can be told by hand.
#include <gtest/gtest.h>

#include "model/timeline/simulator.h"
#include "model/timeline/summary.h"

namespace drywarp::timeline {
namespace {

Operation copy(Kind kind, uint32_t stream, double ns, std::vector<uint32_t> after = {}) {
  Operation o;
  o.kind = kind, o.stream = stream, o.duration_ns = ns, o.after = std::move(after);
  return o;
}
Operation kernel(uint32_t stream, double ns, double blocks, double slots, std::vector<uint32_t> after = {}) {
  Operation o = copy(Kind::Kernel, stream, ns, std::move(after));
  o.shape.blocks = blocks, o.shape.slots = slots;
  return o;
}
Operation wait(std::vector<uint32_t> after) { return copy(Kind::Wait, 0, 0, std::move(after)); }

std::vector<std::pair<double, double>> run(const std::vector<Operation>& operations, const Numbers& numbers = {}) {
  std::vector<std::pair<double, double>> out;
  for (const Span& s : time_line(operations, numbers)) out.emplace_back(s.start, s.end);
  return out;
}
using Times = std::vector<std::pair<double, double>>;

TEST(TimeLine, AnOperationStartsBehindThoseThatItIsAfter) {
  EXPECT_EQ(run({copy(Kind::ToDevice, 1, 10), kernel(1, 20, 4, 8, {0}), copy(Kind::ToHost, 1, 5, {1})}),
            (Times{{0, 10}, {10, 30}, {30, 35}}));
}

TEST(TimeLine, AnEngineServesOneCopyAtATimeAndDirectionsOverlap) {
  EXPECT_EQ(run({copy(Kind::ToDevice, 1, 10), copy(Kind::ToDevice, 2, 10), copy(Kind::ToHost, 3, 15)}),
            (Times{{0, 10}, {10, 20}, {0, 15}}));
}

TEST(TimeLine, FillsAndCopiesInsideTheDeviceShareAnEngine) {
  EXPECT_EQ(run({copy(Kind::Inside, 1, 10), copy(Kind::Fill, 2, 10)}), (Times{{0, 10}, {10, 20}}));
}

TEST(TimeLine, AReadyOperationPassesOneThatWaits) {
  // The copy of stream 2 was issued behind that of stream 1, which waits for a kernel.
  EXPECT_EQ(run({kernel(1, 30, 1, 1), copy(Kind::ToDevice, 1, 10, {0}), copy(Kind::ToDevice, 2, 10)}),
            (Times{{0, 30}, {30, 40}, {0, 10}}));
}

TEST(TimeLine, KernelsThatLeaveRoomRunSideBySide) {
  EXPECT_EQ(run({kernel(1, 30, 4, 8), kernel(2, 20, 4, 8)}), (Times{{0, 30}, {0, 20}}));
}

TEST(TimeLine, BlocksOfTheNextKernelStartInTheRoomThatTheLastRoundLeaves) {
  // Twelve blocks in eight slots: two rounds of 10, of which the second leaves four slots.
  EXPECT_EQ(run({kernel(1, 20, 12, 8), kernel(2, 10, 4, 8)}), (Times{{0, 20}, {10, 20}}));
  // Eight of its blocks: four in the room that is left, four when that ends.
  EXPECT_EQ(run({kernel(1, 20, 12, 8), kernel(2, 10, 8, 8)}), (Times{{0, 20}, {10, 30}}));
}

TEST(TimeLine, AHigherPriorityGoesFirstWhenBlocksEnd) {
  Operation urgent = kernel(3, 10, 8, 8);
  urgent.priority = -1, urgent.after = {0};
  EXPECT_EQ(run({copy(Kind::ToDevice, 3, 5), kernel(1, 20, 16, 8), urgent}), (Times{{0, 5}, {0, 30}, {10, 20}}));
}

TEST(TimeLine, KernelsThatNeedTheSameUnitSlowEachOther) {
  Operation a = kernel(1, 30, 4, 8), b = kernel(2, 30, 4, 8);
  a.shape.sm_share = b.shape.sm_share = 0.9;
  EXPECT_EQ(run({a, b}), (Times{{0, 54}, {0, 54}}));
  a.shape.sm_share = 0, b.shape.memory_share = 0.9;  // of different units
  EXPECT_EQ(run({a, b}), (Times{{0, 30}, {0, 30}}));
}

TEST(TimeLine, AKernelAloneTakesItsOwnTime) {
  for (const double blocks : {1.0, 7.0, 8.0, 9.0, 1000.0, 1e6}) {
    Operation o = kernel(1, 777, blocks, 8);
    o.shape.overhead_ns = 100, o.shape.sm_share = 1, o.shape.memory_share = 1;
    const auto [start, end] = run({o})[0];
    EXPECT_EQ(start, 0);
    EXPECT_NEAR(end, 777, 1) << blocks;
  }
}

TEST(TimeLine, ShortKernelsEndLateInALongRun) {
  const auto times = run({copy(Kind::ToDevice, 1, 1e18), kernel(1, 3, 64, 8, {0}), kernel(2, 3, 64, 8, {1})});
  EXPECT_GE(times[2].second, 1e18);
}

TEST(TimeLine, TheOverheadOfALaunchHidesBehindARunningKernel) {
  Operation second = kernel(2, 30, 8, 8);
  second.shape.overhead_ns = 10;
  EXPECT_EQ(run({kernel(1, 50, 8, 8), second}), (Times{{0, 50}, {40, 70}}));
}

TEST(TimeLine, TheHostIssuesOneCallAfterTheOther) {
  Operation a = kernel(1, 10, 1, 8), b = kernel(2, 10, 1, 8), other = kernel(3, 10, 1, 8);
  a.host_ns = b.host_ns = other.host_ns = 4;
  other.thread = 1;
  Numbers n;
  n.submit_ns = 3;
  EXPECT_EQ(run({a, b, other}, n), (Times{{7, 17}, {11, 21}, {7, 17}}));
}

TEST(TimeLine, AWaitingCallHoldsTheHostBack) {
  Numbers n;
  n.wake_ns = 5;
  EXPECT_EQ(run({kernel(1, 10, 1, 8), wait({0}), kernel(2, 10, 1, 8)}, n), (Times{{0, 10}, {10, 10}, {15, 25}}));
  Operation synchronous = copy(Kind::ToHost, 1, 10);
  synchronous.synchronous = true;
  EXPECT_EQ(run({synchronous, kernel(2, 10, 1, 8)}, n), (Times{{0, 10}, {15, 25}}));
  // What ended before the call takes no time to wait for.
  Operation late = wait({0});
  late.host_ns = 30;
  EXPECT_EQ(run({kernel(1, 10, 1, 8), late, kernel(2, 10, 1, 8)}, n), (Times{{0, 10}, {30, 30}, {30, 40}}));
}

TEST(TimeLine, GapsLieBetweenDependentOperations) {
  Numbers n;
  n.kernel_gap_ns = 1, n.dependency_gap_ns = 2, n.graph_gap_ns = 0.5;
  Operation in_graph = kernel(1, 10, 1, 8, {2}), next = kernel(1, 10, 1, 8, {3});
  in_graph.in_graph = next.in_graph = true;
  EXPECT_EQ(run({kernel(1, 10, 1, 8), kernel(1, 10, 1, 8, {0}), copy(Kind::ToHost, 2, 10, {1}), in_graph, next}, n),
            (Times{{0, 10}, {11, 21}, {23, 33}, {35, 45}, {45.5, 55.5}}));
}

TEST(TimeLine, CopiesOfOneEngineLieApart) {
  Numbers n;
  n.copy_gap_ns = 2;
  EXPECT_EQ(run({copy(Kind::ToDevice, 1, 10), copy(Kind::ToDevice, 1, 10, {0}), copy(Kind::ToDevice, 2, 10)}, n),
            (Times{{0, 10}, {24, 34}, {12, 22}}));
}

TEST(TimeLine, CopiesInBothDirectionsSlowEachOther) {
  Numbers n;
  n.both_ways_share = 0.5;
  EXPECT_EQ(run({copy(Kind::ToDevice, 1, 10), copy(Kind::ToHost, 2, 5)}, n), (Times{{0, 15}, {0, 10}}));
  EXPECT_EQ(run({copy(Kind::ToDevice, 1, 10), copy(Kind::Inside, 2, 5)}, n), (Times{{0, 10}, {0, 5}}));
  // One that begins later: 4 alone, then half as fast until the other has ended.
  EXPECT_EQ(run({copy(Kind::Fill, 2, 4), copy(Kind::ToHost, 2, 5, {0}), copy(Kind::ToDevice, 1, 10)}, n),
            (Times{{0, 4}, {4, 14}, {0, 15}}));
}

TEST(TimeLine, AnEventIsRecordedSomeTimeBehind) {
  Numbers n;
  n.mark_ns = 3, n.submit_ns = 1;
  EXPECT_EQ(run({copy(Kind::Mark, 1, 0), kernel(1, 10, 1, 8), copy(Kind::Mark, 1, 0, {1})}, n),
            (Times{{1, 1}, {1, 11}, {14, 14}}));
}

TEST(TimeLine, WhatIsKnownStaysKnown) {
  // An operation whose end was asked for is not changed by one that is issued later.
  Simulator simulator{Numbers{}};
  const uint32_t first = simulator.add(kernel(1, 10, 8, 8));
  EXPECT_EQ(simulator.end(first).end, 10);
  const uint32_t second = simulator.add(kernel(2, 10, 8, 8));
  EXPECT_EQ(simulator.end(second).start, 10);
  EXPECT_EQ(simulator.end(first).end, 10);
}

TEST(Totals, TellOverlapAndTheCriticalPath) {
  // Copy 10, kernel 20 beside a copy of 30 the other way, and a copy of 5 behind both.
  const std::vector<Operation> operations = {copy(Kind::ToDevice, 1, 10), kernel(1, 20, 8, 8, {0}),
                                             copy(Kind::ToHost, 2, 30), copy(Kind::ToHost, 1, 5, {1})};
  const Totals t = totals(operations, time_line(operations, {}));
  EXPECT_EQ(t.whole_ns, 35);
  EXPECT_EQ(t.busy_ns[unsigned(Kind::ToHost)], 35);
  EXPECT_EQ(t.any_ns, 35);
  EXPECT_EQ(t.together_ns, 30);
  EXPECT_EQ(t.possible_ns, 30);
  EXPECT_EQ(t.critical_ns[unsigned(Kind::ToHost)], 5);
  EXPECT_EQ(t.critical_ns[unsigned(Kind::Kernel)], 20);
  EXPECT_EQ(t.critical_ns[unsigned(Kind::ToDevice)], 10);
}

TEST(Totals, TheHostIsPartOfTheCriticalPath) {
  std::vector<Operation> operations = {kernel(1, 10, 1, 8), wait({0}), kernel(1, 10, 1, 8)};
  Numbers n;
  n.wake_ns = 7;
  const Totals t = totals(operations, time_line(operations, n));
  EXPECT_EQ(t.whole_ns, 27);
  EXPECT_EQ(t.critical_ns[kHost], 7);
  EXPECT_EQ(t.critical_ns[unsigned(Kind::Kernel)], 20);
}

}  // namespace
}  // namespace drywarp::timeline
