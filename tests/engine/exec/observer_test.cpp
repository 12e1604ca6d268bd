// What observers are told, against what generated code counts.
#include "engine/observe/observer.h"

#include <gtest/gtest.h>

#include <bit>
#include <mutex>
#include <set>

#include "machine.h"

namespace drywarp::exec {
namespace {

const std::string kSums = kernel(R"(
  and.b32 %r4, %r0, 7;
  mov.u32 %r10, 0;
  ld.param.u64 %rd3, [in];
  mul.wide.u32 %rd4, %r1, 4;
  add.u64 %rd4, %rd3, %rd4;
LOOP:
  ld.global.u32 %r9, [%rd4];
  add.u32 %r10, %r10, %r9;
  setp.ne.u32 %p1, %r4, 0;
  sub.u32 %r4, %r4, 1;
  @%p1 bra LOOP;
  mul.lo.u32 %r6, %r0, 8;
  mov.u32 %r7, buffer; add.u32 %r6, %r6, %r7;
  st.shared.u32 [%r6], %r10;
  bar.sync 0;
  ld.shared.u32 %r14, [%r6];
  @%p1 atom.global.add.u32 %r13, [%rd0], 1;
  st.global.u32 [%rd1], %r14;
)",
                                 ".shared .align 4 .b8 buffer[8192];\n");

// Counts what it is told, of some blocks.
class Recount : public observe::Observer {
 public:
  Recount(RunEvents events, uint64_t first, uint64_t end) : events_(events), range_{first, end} {}

  class Block : public observe::BlockObserver {
   public:
    Block(Recount& all, uint64_t number) : number(number), all_(all) {}
    void step(const observe::Step& s) override {
      const std::lock_guard hold(all_.mutex_);
      BlockCounts& counts = all_.blocks[s.code_block];
      ++counts.warps, counts.lanes += std::popcount(s.lanes);
    }
    void access(const observe::Access& a) override {
      const std::lock_guard hold(all_.mutex_);
      AccessCounts& counts = all_.accesses[a.access];
      ++counts.requests, counts.lanes += std::popcount(a.lanes);
      if (a.memory == Memory::Shared)
        counts.units += analyze_shared(a.places, a.lanes, a.bytes, op_of(a)).wavefronts;
      else if (a.kind != AccessKind::Atomic)
        counts.units += analyze_global(a.places, a.lanes, a.bytes).sectors;
    }
    void arrival(const observe::Arrival& a) override {
      const std::lock_guard hold(all_.mutex_);
      all_.arrived += std::popcount(a.lanes);
    }
    static SharedOp op_of(const observe::Access& a) {
      return a.kind == AccessKind::Store ? SharedOp::Store : SharedOp::Load;
    }
    const uint64_t number;

   private:
    Recount& all_;
  };

  [[nodiscard]] RunEvents events() const override { return events_; }
  [[nodiscard]] observe::BlockRange next(uint64_t block) const override {
    return block < range_.end ? observe::BlockRange{std::max(block, range_.first), range_.end} : observe::BlockRange{};
  }
  std::unique_ptr<observe::BlockObserver> begin(uint64_t block) override {
    if (block < range_.first || block >= range_.end) return nullptr;
    return std::make_unique<Block>(*this, block);
  }
  void end(std::unique_ptr<observe::BlockObserver> block) override {
    const std::lock_guard hold(mutex_);
    ended.insert(static_cast<Block&>(*block).number);
  }

  std::map<uint32_t, BlockCounts> blocks;
  std::map<uint32_t, AccessCounts> accesses;
  uint64_t arrived = 0;
  std::multiset<uint64_t> ended;

 private:
  const RunEvents events_;
  const observe::BlockRange range_;
  std::mutex mutex_;
};

constexpr RunEvents kAll{.steps = true, .accesses = true, .barriers = true};

EngineOptions with_workers(unsigned workers) {
  EngineOptions options;
  options.workers = workers;
  return options;
}

TEST(Observer, IsToldWhatIsCounted) {
  for (const unsigned workers : {1u, 4u}) {
    Machine machine(kSums, with_workers(workers));
    Recount recount(kAll, 0, 64);
    machine.observers = {&recount};
    machine.run({64}, {100}, machine.words(1 << 13));
    const LaunchCounts& counts = machine.last.counts;
    for (uint32_t b = 0; b < counts.blocks.size(); ++b) {
      EXPECT_EQ(recount.blocks[b].warps, counts.blocks[b].warps) << b;
      EXPECT_EQ(recount.blocks[b].lanes, counts.blocks[b].lanes) << b;
    }
    uint64_t accesses = 0;
    for (const InstructionInfo& i : machine.last.kernel->instructions) {
      if (i.access == InstructionInfo::kNone) continue;
      ++accesses;
      EXPECT_EQ(recount.accesses[i.access].requests, counts.accesses[i.access].requests) << i.text;
      EXPECT_EQ(recount.accesses[i.access].lanes, counts.accesses[i.access].lanes) << i.text;
      if (!i.atomic) EXPECT_EQ(recount.accesses[i.access].units, counts.accesses[i.access].units) << i.text;
    }
    EXPECT_EQ(accesses, 5);
    EXPECT_EQ(recount.arrived, 64 * 100);
    EXPECT_EQ(recount.ended.size(), 64);
  }
}

// Each is told of its own blocks, and no block runs twice.
TEST(Observer, SharesALaunchWithOthers) {
  for (const unsigned workers : {1u, 3u}) {
    Machine plain(kSums, with_workers(workers)), machine(kSums, with_workers(workers));
    const auto expected = plain.run({64}, {100}, plain.words(1 << 13));
    Recount first(kAll, 0, 10), overlapping({.accesses = true}, 5, 20), last({.barriers = true}, 40, 41);
    machine.observers = {&last, &overlapping, &first};
    EXPECT_EQ(machine.run({64}, {100}, machine.words(1 << 13)), expected);
    EXPECT_EQ(machine.last.counts.blocks_run, 64);
    for (size_t i = 0; i < plain.last.counts.accesses.size(); ++i)
      EXPECT_EQ(machine.last.counts.accesses[i].units, plain.last.counts.accesses[i].units);
    EXPECT_EQ(first.ended.size(), 10);
    EXPECT_EQ(overlapping.ended.size(), 15);
    EXPECT_EQ(last.ended, std::multiset<uint64_t>{40});
    EXPECT_EQ(first.arrived, 10 * 100);
    EXPECT_EQ(last.arrived, 100);
  }
}

TEST(Observer, OfNoBlockIsToldNothing) {
  Machine machine(kSums);
  Recount beyond(kAll, 64, 128);
  machine.observers = {&beyond};
  machine.run({64}, {100}, machine.words(1 << 13));
  EXPECT_TRUE(beyond.ended.empty());
  EXPECT_TRUE(beyond.blocks.empty());
}

TEST(Observer, IsNotToldOfTheEndOfABlockThatAFaultStopped) {
  Machine machine(kernel("mov.u32 %r4, %ctaid.x; setp.eq.u32 %p1, %r4, 40;\n@%p1 trap;\nst.global.u32 [%rd1], %r4;"),
                  with_workers(1));
  Recount recount(kAll, 0, 64);
  machine.observers = {&recount};
  const Ran ran = machine.launch({64}, {100}, {machine.words(64 * 100), 0});
  ASSERT_TRUE(ran.fault);
  EXPECT_EQ(ran.fault->kind, FaultKind::Trap);
  EXPECT_EQ(recount.ended.size(), 40);
  EXPECT_EQ(ran.counts.blocks_run, 40);
}

}  // namespace
}  // namespace drywarp::exec
