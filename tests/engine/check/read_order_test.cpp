// Who comes behind a strong read is behind the write that it has read from, also where a later access of the reading
// thread stands for the read.
#include <gtest/gtest.h>

#include <algorithm>

#include "race_judge.h"
#include "race_oracle.h"

namespace drywarp::check {
namespace {

using Kind = TraceEvent::Kind;

// Events of lane 0 of warps, all accesses to one word.
struct ReadTrace : Trace {
  ReadTrace() { blocks = 3; }
  void access(uint32_t block, uint32_t warp, AccessKind kind, MemoryScope scope, uint32_t number) {
    TraceEvent e;
    e.block = block, e.warp = warp, e.lanes = 1, e.memory = Memory::Global, e.access = kind;
    e.order = MemoryOrder::Relaxed, e.scope = scope, e.instruction = number;
    e.at.fill(0x1000), e.wrote = 1;
    // Nobody looks at what the narrow one reads, so that it comes behind the others by earlier reads alone.
    e.unread = kind == AccessKind::Atomic && scope == MemoryScope::Cta;
    instructions = std::max(instructions, number + 1);
    events.push_back(e);
  }
  void barrier(uint32_t block) {
    TraceEvent e;
    e.block = block, e.lanes = ~LaneMask{0}, e.kind = Kind::Arrive;
    for (e.warp = 0; e.warp < warps; ++e.warp) events.push_back(e);
    e.warp = 0, e.kind = Kind::Release, e.released.assign(warps, ~LaneMask{0});
    events.push_back(e);
  }
};

TEST(ReadOrder, OfAReadThatALaterAtomicOfItsThreadStandsFor) {
  for (const bool synchronizes : {true, false}) {
    ReadTrace t;
    t.access(0, 0, AccessKind::Atomic, MemoryScope::Gpu, 0);
    t.access(1, 1, AccessKind::Load, MemoryScope::Gpu, 1);
    if (synchronizes) t.barrier(1);
    t.access(1, 1, AccessKind::Atomic, MemoryScope::Gpu, 2);
    t.access(1, 0, AccessKind::Atomic, MemoryScope::Cta, 3);
    EXPECT_EQ(mistakes(t), "");
    EXPECT_EQ(std::ranges::all_of(races_of(t), &OracleRace::read), synchronizes);
  }
}

TEST(ReadOrder, OfALoopThatReadsOnBehindAStore) {
  ReadTrace t;
  t.access(0, 0, AccessKind::Store, MemoryScope::Gpu, 0);
  t.access(1, 0, AccessKind::Load, MemoryScope::Gpu, 1);
  t.access(2, 0, AccessKind::Store, MemoryScope::Gpu, 2);
  t.access(1, 0, AccessKind::Load, MemoryScope::Gpu, 1);
  t.access(1, 0, AccessKind::Atomic, MemoryScope::Cta, 3);
  EXPECT_EQ(mistakes(t), "");
}

// A relaxed read and an acquire of the same word behind it are one acquire pattern, whatever the word holds since.
TEST(ReadOrder, OfAnAcquireBehindAPlainStoreThatOverwritesTheRelease) {
  for (const bool acquires : {true, false}) {
    ReadTrace t;
    t.access(0, 0, AccessKind::Store, MemoryScope::None, 0);
    t.events.back().order = MemoryOrder::Weak, t.events.back().at.fill(0x2000);
    t.access(0, 0, AccessKind::Store, MemoryScope::Gpu, 1);
    t.events.back().order = MemoryOrder::Release;
    t.access(1, 0, AccessKind::Load, MemoryScope::Gpu, 2);
    t.access(1, 0, AccessKind::Store, MemoryScope::None, 3);
    t.events.back().order = MemoryOrder::Weak;
    t.access(1, 0, AccessKind::Load, MemoryScope::Gpu, 4);
    if (acquires) t.events.back().order = MemoryOrder::Acquire;
    t.access(1, 0, AccessKind::Load, MemoryScope::None, 5);
    t.events.back().order = MemoryOrder::Weak, t.events.back().at.fill(0x2000);
    EXPECT_EQ(mistakes(t), "");
    EXPECT_EQ(std::ranges::any_of(races_of(t), [](const OracleRace& r) { return r.earlier == 0 && r.later == 5; }),
              !acquires);
  }
}

// Reads that nobody needs are not kept for ever.
TEST(ReadOrder, StaysShortWhereThreadsCountInRounds) {
  ReadTrace t;
  constexpr uint32_t kRounds = 40;
  t.access(2, 0, AccessKind::Atomic, MemoryScope::Gpu, 0);
  for (uint32_t round = 0; round < kRounds; ++round)
    for (uint32_t block = 0; block < 2; ++block) {
      t.access(block, round % 2, AccessKind::Atomic, MemoryScope::Gpu, 1);
      t.barrier(block);
    }
  t.access(1, 0, AccessKind::Store, MemoryScope::None, 2);
  t.events.back().order = MemoryOrder::Weak;
  bool incomplete = false;
  EXPECT_EQ(mistakes(t, {.records = 16}, &incomplete), "");
  EXPECT_FALSE(incomplete);
}

}  // namespace
}  // namespace drywarp::check
