// Random launches whose threads take locks, by swaps and exchanges, with the fences that they need and without, judged
// as race_generator_test.cpp does: the same variables choose them.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>

#include "race_judge.h"
#include "race_oracle.h"
#include "seeds.h"

namespace drywarp::check {
namespace {

using Lock = TraceEvent::Lock;

// A few threads take turns in sections, one lane each; in most, at most one thing is missing.
class LockGenerator {
 public:
  explicit LockGenerator(uint64_t seed) : random_(seed) {}

  Trace make() {
    trace_.blocks = one_of({1, 2, 2, 3});
    trace_.warps = one_of({1, 2});
    memory_ = trace_.blocks == 1 && below(2) == 0 ? Memory::Shared : Memory::Global;
    trace_.independent = trace_.blocks == 1 && below(2) == 0;
    by_exchange_ = below(2) == 0;
    sloppy_ = below(3) == 0 ? 4 : below(2) == 0 ? 24 : 1000;
    const uint32_t threads = 2 + below(3);
    for (uint32_t i = 0; i < threads; ++i) {
      Thread t{below(trace_.blocks), below(trace_.warps), below(4), {}};
      if (std::ranges::any_of(
              threads_, [&](const Thread& o) { return o.block == t.block && o.warp == t.warp && o.lane == t.lane; }))
        continue;
      script(t);
      threads_.push_back(std::move(t));
    }
    for (uint32_t i = 0; i < 400; ++i) step(threads_[below(static_cast<uint32_t>(threads_.size()))]);
    return std::move(trace_);
  }

 private:
  struct Thread {
    uint32_t block, warp, lane;
    std::deque<TraceEvent> script;
  };

  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  uint32_t one_of(std::initializer_list<uint32_t> all) {
    return *(all.begin() + below(static_cast<uint32_t>(all.size())));
  }
  bool slips() { return below(sloppy_) == 0; }

  TraceEvent event(const Thread& t, TraceEvent::Kind kind) const {
    TraceEvent e;
    e.kind = kind, e.block = t.block, e.warp = t.warp, e.lanes = 1u << t.lane;
    e.memory = memory_;
    return e;
  }
  void at_word(TraceEvent& e, uint32_t word) {
    e.at.fill((memory_ == Memory::Global ? uint64_t{1} << 20 : 0) + 4 * word);
  }
  MemoryScope scope() { return slips() ? MemoryScope::Cta : MemoryScope::Gpu; }
  // Atomics of two blocks that are for one alone race themselves: race_generator_test.cpp has them.
  MemoryScope scope_of_lock() { return trace_.blocks == 1 ? scope() : MemoryScope::Gpu; }
  void fence(Thread& t) {
    if (slips()) return;
    TraceEvent e = event(t, TraceEvent::Kind::Fence);
    e.scope = scope();
    t.script.push_back(e);
  }
  void plain(Thread& t) {
    TraceEvent e = event(t, TraceEvent::Kind::Access);
    e.access = below(2) == 0 ? AccessKind::Load : AccessKind::Store;
    e.bytes = one_of({4, 4, 4, 1});
    at_word(e, below(2));
    e.value.fill(static_cast<uint8_t>(below(200)));
    e.instruction = trace_.instructions++;
    t.script.push_back(e);
  }
  void take(Thread& t, uint32_t word) {
    TraceEvent e = event(t, TraceEvent::Kind::Access);
    e.access = by_exchange_ ? AccessKind::Atomic : AccessKind::Swap;
    e.lock = by_exchange_ ? Lock::Exchange : Lock::Swap;
    e.value.fill(1);
    const bool acquires = below(4) == 0;
    e.order = acquires ? MemoryOrder::Acquire : MemoryOrder::Relaxed, e.scope = scope_of_lock();
    at_word(e, word);
    e.instruction = trace_.instructions++;
    t.script.push_back(e);
    if (slips()) plain(t);
    if (!acquires || below(8) == 0) fence(t);
  }
  void give(Thread& t, uint32_t word) {
    const bool releases = below(4) == 0;
    if (!releases || below(8) == 0) fence(t);
    if (slips()) plain(t);
    TraceEvent e = event(t, TraceEvent::Kind::Access);
    e.access = below(2) == 0 ? AccessKind::Atomic : AccessKind::Store;
    e.lock = Lock::Give;
    e.wrote = e.lanes;
    e.order = releases ? MemoryOrder::Release : MemoryOrder::Relaxed, e.scope = scope_of_lock();
    at_word(e, word);
    e.instruction = trace_.instructions++;
    t.script.push_back(e);
  }
  // Hands on by a flag what it has done; who reads it may have seen nothing.
  void signal(Thread& t) {
    const bool reads = below(2) == 0;
    if (!reads) fence(t);
    TraceEvent e = event(t, TraceEvent::Kind::Access);
    e.access = reads ? AccessKind::Load : AccessKind::Store;
    e.order = MemoryOrder::Relaxed, e.scope = MemoryScope::Gpu;
    at_word(e, 96);
    e.instruction = trace_.instructions++;
    t.script.push_back(e);
    if (reads) fence(t);
  }
  void section(Thread& t, uint32_t first, uint32_t locks) {
    const uint32_t lock = 64 + first;
    take(t, lock);
    for (uint32_t i = below(3); i > 0; --i) plain(t);
    if (first + 1 < locks && below(3) == 0) section(t, first + 1, locks);
    for (uint32_t i = below(2); i > 0; --i) plain(t);
    give(t, lock);
  }
  void script(Thread& t) {
    for (uint32_t i = 1 + below(3); i > 0; --i) {
      if (slips()) plain(t);
      if (below(6) == 0) signal(t);
      section(t, slips() ? 1 : 0, 3);
    }
  }

  void step(Thread& t) {
    if (t.script.empty() || trace_.events.size() > 120) return;
    TraceEvent e = t.script.front();
    const bool takes = e.lock == Lock::Swap || e.lock == Lock::Exchange;
    bool& held = held_[e.at[0]];
    if (takes) {
      if (held && below(4) != 0) return;  // so many that poll
      e.taken = !held;
      e.wrote = e.taken || e.lock == Lock::Exchange ? e.lanes : 0;
      held = true;
    }
    if (e.lock == Lock::Give) held = false;
    if (!takes || e.taken) t.script.pop_front();
    trace_.events.push_back(e);
  }

  std::mt19937_64 random_;
  Trace trace_;
  Memory memory_ = Memory::Global;
  bool by_exchange_ = false;
  uint32_t sloppy_ = 1000;  // one of so many fences is forgotten
  std::vector<Thread> threads_;
  std::map<uint64_t, bool> held_;
};

TEST(RaceGenerator, LocksAgreeWithTheOracle) {
  const Seeds seeds = seeds_of("DRYWARP_RACE_SEED", "DRYWARP_RACE_TRACES", 2000);
  uint64_t by_lock = 0;
  const auto judge = [&](uint64_t seed) {
    const Trace trace = LockGenerator(seed).make();
    const auto truth = races_of(trace);
    by_lock += !truth.empty() && std::ranges::all_of(truth, &OracleRace::by_lock) ? 1 : 0;
    return judge_trace(trace, seeds.prints);
  };
  const uint64_t wrong = judge_all(seeds, judge, FaultyShare{25, 75});
  // Some races are such as the order that a trace shows does not have.
  if (!seeds.chosen && wrong == 0) EXPECT_GT(by_lock, seeds.count() / 40);
}

// An access that lacks a fence in its section, and that another thread's store, ordered by a lock within it, seemed to
// stand for before the section was over.
TEST(RaceGenerator, LocksAgreeOnASeedThatWasWrong) {
  const Trace trace = LockGenerator(28120).make();
  EXPECT_EQ(mistakes(trace), "") << print(trace);
}

// Of the outer lock's section, too, the fence is missed that the inner one's lacks: a store before the inner lock is
// taken, which another thread's store, ordered by the inner lock, does not stand for.
TEST(RaceGenerator, LocksTellOfInnerAndOuterSections) {
  constexpr uint32_t kFirst = 0, kSecond = 1, kOuter = 64, kInner = 65;
  Trace trace;
  trace.warps = 1;
  const auto add = [&](uint32_t lane, TraceEvent::Kind kind) -> TraceEvent& {
    TraceEvent& e = trace.events.emplace_back();
    e.kind = kind, e.lanes = LaneMask{1} << lane, e.memory = Memory::Global;
    e.order = MemoryOrder::Relaxed, e.scope = MemoryScope::Gpu;
    return e;
  };
  const auto access = [&](uint32_t lane, AccessKind kind, uint32_t word) -> TraceEvent& {
    TraceEvent& e = add(lane, TraceEvent::Kind::Access);
    e.access = kind, e.instruction = trace.instructions++;
    e.at.fill((uint64_t{1} << 20) + 4 * word);
    return e;
  };
  const auto take = [&](uint32_t lane, uint32_t word) {
    TraceEvent& e = access(lane, AccessKind::Atomic, word);
    e.lock = Lock::Exchange, e.taken = true, e.wrote = e.lanes;
    e.value.fill(1);
  };
  const auto give = [&](uint32_t lane, uint32_t word) {
    TraceEvent& e = access(lane, AccessKind::Store, word);
    e.lock = Lock::Give, e.wrote = e.lanes, e.order = MemoryOrder::Release;
  };
  const auto store = [&](uint32_t lane, uint32_t word) {
    TraceEvent& e = access(lane, AccessKind::Store, word);
    e.order = MemoryOrder::Weak, e.scope = MemoryScope::None;
  };
  const auto fence = [&](uint32_t lane) { add(lane, TraceEvent::Kind::Fence); };
  take(0, kOuter), store(0, kFirst);
  take(0, kInner), store(0, kSecond), give(0, kInner), give(0, kOuter);
  take(1, kInner), fence(1), store(1, kSecond), store(1, kFirst), give(1, kInner);
  take(2, kOuter), fence(2), store(2, kFirst), give(2, kOuter);
  EXPECT_EQ(mistakes(trace), "") << print(trace);
}

}  // namespace
}  // namespace drywarp::check
