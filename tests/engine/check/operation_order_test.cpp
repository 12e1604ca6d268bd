// The order of operations by CUDA's rules: streams, the legacy default stream, events, the host, graphs.
#include "engine/check/operation_order.h"

#include <gtest/gtest.h>

namespace drywarp::check {
namespace {

TEST(OperationOrder, AStreamIsInOrder) {
  OperationOrder order;
  const uint32_t a = order.add_stream(false);
  const OperationMoment first = order.issue(a), second = order.issue(a);
  EXPECT_TRUE(is_before(first, second));
  EXPECT_FALSE(is_before(second, first));
}

// Programmatic dependent launch.
TEST(OperationOrder, ALaunchThatNeedNotWaitIsBesideTheOneBeforeIt) {
  OperationOrder order;
  const uint32_t a = order.add_stream(false);
  const OperationMoment first = order.issue(a), second = order.issue(a), third = order.issue(a, true),
                        fourth = order.issue(a);
  EXPECT_TRUE(is_before(first, third));
  EXPECT_TRUE(unordered(second, third));
  EXPECT_TRUE(is_before(second, fourth));
  EXPECT_TRUE(is_before(third, fourth));
}

TEST(OperationOrder, NothingOrdersTwoStreams) {
  OperationOrder order;
  const uint32_t a = order.add_stream(true), b = order.add_stream(true), c = order.add_stream(false);
  const OperationMoment in_a = order.issue(a), in_b = order.issue(b), in_c = order.issue(c);
  EXPECT_TRUE(unordered(in_a, in_b));
  EXPECT_TRUE(unordered(in_a, in_c));
}

TEST(OperationOrder, TheDefaultStreamWaitsForBlockingStreamsAndTheyForIt) {
  OperationOrder order;
  const uint32_t a = order.add_stream(true), b = order.add_stream(true), c = order.add_stream(false);
  const OperationMoment in_a = order.issue(a), in_c = order.issue(c);
  const OperationMoment in_default = order.issue(OperationOrder::kDefaultStream);
  const OperationMoment in_b = order.issue(b), later = order.issue(c);
  EXPECT_TRUE(is_before(in_a, in_default));
  EXPECT_TRUE(is_before(in_default, in_b));
  EXPECT_TRUE(is_before(in_a, in_b)) << "through the default stream";
  EXPECT_TRUE(unordered(in_c, in_default)) << "a stream that does not block";
  EXPECT_TRUE(unordered(in_default, later));
}

TEST(OperationOrder, AnEventOrdersWhatIsBeforeItsRecord) {
  OperationOrder order;
  const uint32_t a = order.add_stream(false), b = order.add_stream(false), c = order.add_stream(false);
  const OperationMoment first = order.issue(a);
  const OperationClock event = order.now(a);
  const OperationMoment behind = order.issue(a);
  const OperationMoment early = order.issue(b);
  order.wait(b, event);
  const OperationMoment waits = order.issue(b);
  EXPECT_TRUE(unordered(first, early));
  EXPECT_TRUE(is_before(first, waits));
  EXPECT_TRUE(unordered(behind, waits));
  order.wait(c, order.now(b));
  EXPECT_TRUE(is_before(first, order.issue(c))) << "through b";
}

// A wait in a blocking stream is an operation that the default stream waits for.
TEST(OperationOrder, AWaitReachesTheDefaultStream) {
  OperationOrder order;
  const uint32_t apart = order.add_stream(false), blocking = order.add_stream(true), other = order.add_stream(true);
  const OperationMoment first = order.issue(apart);
  order.wait(blocking, order.now(apart));
  EXPECT_TRUE(is_before(first, order.issue(OperationOrder::kDefaultStream)));
  EXPECT_TRUE(is_before(first, order.issue(other)));
}

TEST(OperationOrder, WhatTheHostHasWaitedForIsBeforeWhateverItIssues) {
  OperationOrder order;
  const uint32_t a = order.add_stream(false), b = order.add_stream(false);
  const OperationMoment first = order.issue(a), other = order.issue(b);
  EXPECT_FALSE(order.host_knows(first));
  order.host_waits_for(a);
  EXPECT_TRUE(order.host_knows(first));
  EXPECT_FALSE(order.host_knows(other));
  EXPECT_TRUE(is_before(first, order.issue(b)));
  EXPECT_TRUE(is_before(first, order.issue(order.add_stream(false)))) << "a new stream";
  const OperationClock event = order.now(b);
  const OperationMoment behind = order.issue(b);
  order.host_waits(event);
  EXPECT_TRUE(order.host_knows(other));
  EXPECT_FALSE(order.host_knows(behind));
  order.host_waits_for_all();
  EXPECT_TRUE(order.host_knows(behind));
}

TEST(OperationOrder, WaitingForABlockingStreamWaitsForTheDefaultStreamBeforeIt) {
  OperationOrder order;
  const uint32_t a = order.add_stream(true), b = order.add_stream(true);
  const OperationMoment in_default = order.issue(OperationOrder::kDefaultStream), in_b = order.issue(b);
  order.host_waits_for(a);
  EXPECT_TRUE(order.host_knows(in_default));
  EXPECT_FALSE(order.host_knows(in_b));
  order.host_waits_for(OperationOrder::kDefaultStream);
  EXPECT_TRUE(order.host_knows(in_b));
}

TEST(OperationOrder, TheLineOfARemovedStreamIsUsedAgainOnceTheHostHasWaitedForIt) {
  OperationOrder order;
  const uint32_t a = order.add_stream(false);
  const OperationMoment first = order.issue(a);
  order.remove_stream(a);
  const uint32_t b = order.add_stream(false);
  EXPECT_NE(a, b);
  EXPECT_TRUE(unordered(first, order.issue(b)));
  order.host_waits_for_all();
  const uint32_t c = order.add_stream(false);
  EXPECT_EQ(a, c);
  const OperationMoment in_b = order.issue(b), in_c = order.issue(c);
  EXPECT_TRUE(is_before(first, in_c));
  EXPECT_TRUE(unordered(in_b, in_c)) << "what the removed stream knew is gone";
}

TEST(GraphOrder, EdgesOrderNodesAndNothingElseDoes) {
  OperationOrder order;
  const uint32_t a = order.add_stream(false), b = order.add_stream(false);
  const OperationMoment before = order.issue(a);
  const OperationMoment launch = order.issue(a);
  GraphOrder graph(launch);
  const OperationMoment root = graph.add({}), left = graph.add({0}), right = graph.add({0}), end = graph.add({1, 2});
  const OperationMoment behind = order.issue(a), beside = order.issue(b);
  EXPECT_TRUE(is_before(before, root));
  EXPECT_TRUE(is_before(root, left));
  EXPECT_TRUE(is_before(root, right));
  EXPECT_TRUE(unordered(left, right));
  EXPECT_TRUE(is_before(left, end));
  EXPECT_TRUE(is_before(right, end));
  for (const OperationMoment& node : {root, left, right, end}) {
    EXPECT_TRUE(is_before(node, behind));
    EXPECT_TRUE(unordered(node, beside));
  }
  const OperationMoment apart = graph.add({});
  EXPECT_TRUE(unordered(apart, end)) << "no edge leads there";
}

TEST(GraphOrder, TheNextLaunchInItsStreamIsBehindAllNodes) {
  OperationOrder order;
  const uint32_t a = order.add_stream(false);
  GraphOrder first(order.issue(a));
  const OperationMoment left = first.add({}), right = first.add({});
  GraphOrder second(order.issue(a));
  const OperationMoment again = second.add({});
  EXPECT_TRUE(is_before(left, again));
  EXPECT_TRUE(is_before(right, again));
  EXPECT_FALSE(is_before(again, left));
}

TEST(GraphOrder, ANodeContinuesALineWhoseLastNodeIsBeforeIt) {
  OperationOrder order;
  GraphOrder graph(order.issue(OperationOrder::kDefaultStream));
  size_t join = 0;
  graph.add({});
  uint32_t most = 0;
  for (int round = 0; round < 100; ++round) {
    const OperationMoment left = graph.add({join}), right = graph.add({join});
    most = std::max({most, left.inner->line, right.inner->line});
    EXPECT_TRUE(unordered(left, right));
    graph.add({graph.size() - 2, graph.size() - 1});
    join = graph.size() - 1;
  }
  EXPECT_EQ(most, 1u);
}

}  // namespace
}  // namespace drywarp::check
