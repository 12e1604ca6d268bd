#include "cuda/streams/streams.h"

#include <gtest/gtest.h>

namespace drywarp::cuda {
namespace {

class StreamsTest : public ::testing::Test {
 protected:
  exec::DeviceMemory device_{1 << 20};
  Memory memory_{device_};
  std::vector<size_t> ran_;
  Error run(const Operation& operation) {
    ran_.push_back(operation.index());
    return Error::Success;
  }
  device::DeviceSpec spec_;
  Recorder recorder_{Options{}, spec_, [](const std::string&) {}};
  OperationLog log_{spec_, recorder_, true};
  std::recursive_mutex mutex_;
  Backlog backlog_{mutex_, [this](Work& work, SessionLock&) { return run(work.operation); }};
  Streams streams_{
      {[this](Stream&, const Operation& operation, const check::OperationMoment*) { return run(operation); },
       [](const Operation&) { return false; }, [] { return std::string(); }},
      backlog_,
      memory_,
      log_};
  static timeline::Operation kernel() {
    timeline::Operation operation;
    operation.kind = timeline::Kind::Kernel, operation.duration_ns = 10, operation.shape.slots = 8;
    return operation;
  }
  double end(const Stream& stream) { return log_.end_ns(stream.tail.at(0)); }
};

TEST_F(StreamsTest, WhatIsIssuedRunsAtOnce) {
  EXPECT_EQ(streams_.issue(*streams_.find(0), EmptyOperation{}), Error::Success);
  EXPECT_EQ(ran_.size(), 1u);
}

TEST_F(StreamsTest, TheDefaultStreamIsOrderedWithBlockingStreams) {
  Stream &a = *streams_.create(0, 0), &b = *streams_.create(0, 0), &apart = *streams_.create(1, 0);
  Stream &legacy = *streams_.find(kDefaultStream), &own = *streams_.find(kPerThreadStream);
  for (Stream* stream : {&apart, &a, &legacy, &b, &own}) streams_.log(*stream, kernel());
  EXPECT_EQ(end(apart), 10);
  EXPECT_EQ(end(a), 10);
  EXPECT_EQ(end(legacy), 20);
  EXPECT_EQ(end(b), 30);
  EXPECT_EQ(end(own), 30);
}

TEST_F(StreamsTest, StreamsOverlapUntilAnEventOrdersThem) {
  Stream &a = *streams_.create(1, 0), &b = *streams_.create(1, 0);
  streams_.use_model_clock();
  Event &start = *streams_.create_event(0), &middle = *streams_.create_event(0), &end = *streams_.create_event(0);
  streams_.record(start, a);
  for (Stream* stream : {&a, &a, &b}) streams_.log(*stream, kernel());
  streams_.record(middle, a);
  streams_.wait(b, middle);
  streams_.log(b, kernel());
  streams_.record(end, b);
  float ms = 0;
  ASSERT_EQ(streams_.elapsed(ms, start, middle), Error::Success);
  EXPECT_FLOAT_EQ(ms, 20e-6F);
  ASSERT_EQ(streams_.elapsed(ms, start, end), Error::Success);
  EXPECT_FLOAT_EQ(ms, 30e-6F);
}

TEST_F(StreamsTest, TheHostGoesOnBehindWhatItWaitsFor) {
  Stream &a = *streams_.create(1, 0), &b = *streams_.create(1, 0);
  streams_.log(a, kernel());
  streams_.synchronize(a);
  streams_.log(b, kernel());
  EXPECT_EQ(end(b), 20);
}

TEST_F(StreamsTest, TimesNeverStandStill) {
  Event* first = streams_.create_event(0);
  Event* second = streams_.create_event(0);
  streams_.record(*first, *streams_.find(0));
  streams_.record(*second, *streams_.find(0));
  float ms = 0;
  ASSERT_EQ(streams_.elapsed(ms, *first, *second), Error::Success);
  EXPECT_GT(ms, 0);
  ASSERT_EQ(streams_.elapsed(ms, *second, *first), Error::Success);
  EXPECT_LT(ms, 0);
  Event* never = streams_.create_event(0);
  EXPECT_EQ(streams_.elapsed(ms, *first, *never), Error::InvalidResourceHandle);
  Event* untimed = streams_.create_event(Event::kDisableTiming);
  streams_.record(*untimed, *streams_.find(0));
  EXPECT_EQ(streams_.elapsed(ms, *first, *untimed), Error::InvalidResourceHandle);
}

TEST_F(StreamsTest, ForkAndJoinBecomeEdges) {
  Stream* a = streams_.create(1, 0);
  Stream* b = streams_.create(1, 0);
  Event* fork = streams_.create_event(0);
  Event* join = streams_.create_event(0);
  ASSERT_EQ(streams_.begin_capture(*a, CaptureMode::Global, nullptr, {}), Error::Success);
  streams_.issue(*a, EmptyOperation{});
  streams_.record(*fork, *a);
  ASSERT_EQ(streams_.wait(*b, *fork), Error::Success);
  streams_.issue(*b, HostOperation{});
  streams_.issue(*a, FillOperation{});
  streams_.record(*join, *b);
  streams_.wait(*a, *join);
  streams_.issue(*a, CopyOperation{});
  std::shared_ptr<Graph> graph;
  Graph* into = nullptr;
  ASSERT_EQ(streams_.end_capture(*a, graph, into), Error::Success);
  EXPECT_TRUE(ran_.empty());
  ASSERT_EQ(graph->nodes().size(), 4u);
  const auto& last = *graph->nodes().back();
  EXPECT_EQ(last.dependencies.size(), 2u);
  EXPECT_EQ(graph->ordered().front(), graph->nodes().front().get());
  EXPECT_FALSE(b->capture);
}

TEST_F(StreamsTest, CaptureErrorsAreCudas) {
  std::shared_ptr<Graph> graph;
  Graph* into = nullptr;
  EXPECT_EQ(streams_.begin_capture(*streams_.find(0), CaptureMode::Global, nullptr, {}),
            Error::StreamCaptureUnsupported);
  Stream* a = streams_.create(0, 0);
  Stream* b = streams_.create(1, 0);
  EXPECT_EQ(streams_.end_capture(*a, graph, into), Error::IllegalState);

  // A branch that never joins back.
  streams_.begin_capture(*a, CaptureMode::Global, nullptr, {});
  Event* fork = streams_.create_event(0);
  streams_.record(*fork, *a);
  streams_.wait(*b, *fork);
  streams_.issue(*b, EmptyOperation{});
  EXPECT_EQ(streams_.query(*fork), Error::CapturedEvent);
  EXPECT_EQ(streams_.end_capture(*a, graph, into), Error::StreamCaptureInvalidated);

  streams_.begin_capture(*a, CaptureMode::Global, nullptr, {});
  streams_.record(*fork, *a);
  streams_.wait(*b, *fork);
  streams_.issue(*b, EmptyOperation{});
  EXPECT_EQ(streams_.end_capture(*a, graph, into), Error::StreamCaptureUnjoined);

  // Work on the default stream would depend on a blocking stream's captured work.
  streams_.begin_capture(*a, CaptureMode::Global, nullptr, {});
  EXPECT_EQ(streams_.issue(*streams_.find(0), EmptyOperation{}), Error::StreamCaptureImplicit);
  EXPECT_EQ(streams_.issue(*a, EmptyOperation{}), Error::StreamCaptureInvalidated);
  EXPECT_EQ(streams_.end_capture(*a, graph, into), Error::StreamCaptureInvalidated);

  streams_.begin_capture(*a, CaptureMode::Relaxed, nullptr, {});
  EXPECT_EQ(streams_.check_unsafe_call(), Error::Success);
  EXPECT_EQ(streams_.synchronize(*a), Error::StreamCaptureUnsupported);
}

TEST_F(StreamsTest, ACopyOfAGraphKeepsItsShapeAndTakesUpdates) {
  Graph graph(memory_);
  Node* first = graph.add(EmptyOperation{}, {});
  Node* second = graph.add(HostOperation{}, {first});
  EXPECT_EQ(graph.connect(second, first), Error::InvalidValue);  // a cycle
  Graph copy(graph);
  ASSERT_NE(copy.clone_of(second), nullptr);
  EXPECT_EQ(copy.clone_of(second)->dependencies, std::vector<Node*>{copy.clone_of(first)});

  int data = 0;
  std::get<HostOperation>(second->operation).data = &data;
  Node* at = nullptr;
  EXPECT_EQ(copy.update_from(graph, at), UpdateResult::Success);
  EXPECT_EQ(std::get<HostOperation>(copy.clone_of(second)->operation).data, &data);

  second->operation = EmptyOperation{};
  EXPECT_EQ(copy.update_from(graph, at), UpdateResult::NodeTypeChanged);
  EXPECT_EQ(at, second);
  graph.add(EmptyOperation{}, {});
  EXPECT_EQ(copy.update_from(graph, at), UpdateResult::TopologyChanged);
}

}  // namespace
}  // namespace drywarp::cuda
