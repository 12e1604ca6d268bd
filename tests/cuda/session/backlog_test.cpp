#include "cuda/streams/backlog.h"

#include <gtest/gtest.h>

#include "cuda/streams/copies.h"
#include "cuda/streams/streams.h"

namespace drywarp::cuda {
namespace {

// Stands in for a session; host functions wait until they are released.
class BacklogTest : public ::testing::Test {
 protected:
  ~BacklogTest() override { release_ = true; }

  Error run(Work& work, SessionLock& lock) {
    if (std::holds_alternative<HostOperation>(work.operation)) {
      work.waits = true;
      lock.unlock();
      while (!release_) std::this_thread::yield();
      lock.lock();
    }
    return done(work.operation);
  }
  Error done(const Operation& operation) {
    if (const auto* record = std::get_if<RecordOperation>(&operation)) streams_.stamp(*record->event);
    ran_.push_back(operation.index());
    return std::holds_alternative<FreeOperation>(operation) ? Error::InvalidValue : Error::Success;
  }

  static constexpr size_t kHost = Operation(HostOperation{}).index(), kEmpty = Operation(EmptyOperation{}).index();
  std::atomic<bool> release_{false};
  std::vector<size_t> ran_;
  exec::DeviceMemory device_{1 << 20};
  Memory memory_{device_};
  device::DeviceSpec spec_;
  Recorder recorder_{Options{}, spec_, [](const std::string&) {}};
  OperationLog log_{spec_, recorder_, false};
  std::recursive_mutex mutex_;
  Backlog backlog_{mutex_, [this](Work& work, SessionLock& lock) { return run(work, lock); }};
  Streams streams_{
      {[this](Stream&, const Operation& operation, const check::OperationMoment*) { return done(operation); },
       [](const Operation& operation) { return std::holds_alternative<HostOperation>(operation); },
       [] { return std::string(); }},
      backlog_,
      memory_,
      log_};
  Stream& legacy_ = *streams_.find(0);
  Stream& plain_ = *streams_.create(0, 0);
  Stream& apart_ = *streams_.create(1, 0);
};

TEST_F(BacklogTest, WhatIsOrderedBehindWaitingWorkQueuesAndTheRestRuns) {
  const SessionLock hold(mutex_);
  ASSERT_EQ(streams_.issue(plain_, HostOperation{}), Error::Success);
  EXPECT_EQ(streams_.query(plain_), Error::NotReady);
  EXPECT_EQ(streams_.query(legacy_), Error::NotReady);
  EXPECT_EQ(streams_.query(apart_), Error::Success);
  streams_.issue(legacy_, FillOperation{});
  streams_.issue(apart_, EmptyOperation{});
  EXPECT_EQ(ran_, std::vector{kEmpty});
  release_ = true;
  EXPECT_EQ(streams_.synchronize(legacy_), Error::Success);
  EXPECT_EQ(ran_, (std::vector{kEmpty, kHost, Operation(FillOperation{}).index()}));
  EXPECT_EQ(streams_.query(plain_), Error::Success);
}

TEST_F(BacklogTest, EventsAreReadyWhenWhatIsBeforeThemIsDone) {
  const SessionLock hold(mutex_);
  Event& before = *streams_.create_event(0);
  Event& after = *streams_.create_event(0);
  streams_.record(before, plain_);
  streams_.issue(plain_, HostOperation{});
  streams_.record(after, plain_);
  streams_.wait(apart_, after);
  streams_.issue(apart_, EmptyOperation{});
  float milliseconds = 0;
  EXPECT_EQ(streams_.query(before), Error::Success);
  EXPECT_EQ(streams_.query(after), Error::NotReady);
  EXPECT_EQ(streams_.elapsed(milliseconds, before, after), Error::NotReady);
  EXPECT_EQ(streams_.query(apart_), Error::NotReady);
  EXPECT_TRUE(ran_.empty());
  release_ = true;
  EXPECT_EQ(streams_.synchronize(after), Error::Success);
  EXPECT_EQ(streams_.elapsed(milliseconds, before, after), Error::Success);
  EXPECT_GT(milliseconds, 0);
  EXPECT_EQ(streams_.synchronize(apart_), Error::Success);
  EXPECT_EQ(ran_.back(), kEmpty);
}

TEST_F(BacklogTest, StreamsAndEventsMayBeDestroyedWithWorkInThem) {
  const SessionLock hold(mutex_);
  Event* event = streams_.create_event(0);
  streams_.issue(apart_, HostOperation{});
  streams_.record(*event, apart_);
  streams_.issue(apart_, EmptyOperation{});
  EXPECT_EQ(streams_.destroy_event(event), Error::Success);
  EXPECT_EQ(streams_.destroy(reinterpret_cast<uint64_t>(&apart_)), Error::Success);
  release_ = true;
  streams_.finish_all();
  EXPECT_TRUE(backlog_.empty());
  EXPECT_EQ(ran_.back(), kEmpty);
}

TEST_F(BacklogTest, AnErrorThatComesLateIsToldOnceToWhoWaits) {
  const SessionLock hold(mutex_);
  streams_.issue(plain_, HostOperation{});
  EXPECT_EQ(streams_.issue(plain_, FreeOperation{64}), Error::Success);
  release_ = true;
  EXPECT_EQ(streams_.synchronize(plain_), Error::InvalidValue);
  EXPECT_EQ(streams_.synchronize(plain_), Error::Success);
}

TEST_F(BacklogTest, PageableMemoryIsTakenWhenACopyOfItQueues) {
  const SessionLock hold(mutex_);
  std::vector<uint8_t> from(6, 7), to(6);
  CopyOperation copy;
  copy.from = {reinterpret_cast<uint64_t>(from.data()), 3, 6};
  copy.extent = {2, 2, 1};
  stage(copy);
  from.assign(6, 9);
  copy.to = {reinterpret_cast<uint64_t>(to.data()), 3, 6};
  perform(copy);
  EXPECT_EQ(to, (std::vector<uint8_t>{7, 7, 0, 7, 7, 0}));
}

}  // namespace
}  // namespace drywarp::cuda
