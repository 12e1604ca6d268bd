// What observers are told, against what generated code counts.
#include "engine/observe/observer.h"

#include <fmt/format.h>
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

// Writes down what it is told of the blocks of a launch, one event a line, but for steps and accesses.
class Log : public observe::Observer {
 public:
  explicit Log(RunEvents events) : events_(events) {}

  class Block : public observe::BlockObserver {
   public:
    explicit Block(Log& log) : log_(log) {}
    void access(const observe::Access& a) override {
      if (!a.values) return;
      for (LaneMask left = a.lanes; left != 0; left &= left - 1) {
        uint32_t value = 0;
        std::memcpy(&value, a.values + size_t(std::countr_zero(left)) * a.element_bytes, sizeof value);
        log_.stored.push_back(value);
      }
    }
    void outcome(const observe::Outcome& o) override {
      add("outcome w{} {:x} wrote {}", o.warp, o.lanes, std::popcount(o.wrote));
    }
    void arrival(const observe::Arrival& a) override {
      add("{} {} w{} {:x} of {}", a.waits ? "sync" : "arrive", a.barrier, a.warp, a.lanes, a.threads);
    }
    void release(const observe::Release& r) override {
      std::string lanes;
      for (const LaneMask mask : r.lanes) lanes += fmt::format(" {:x}", mask);
      add("release {}{}{}", r.barrier, lanes, r.note ? fmt::format(", {} absent", r.note->absent) : "");
    }
    void warp_sync(const observe::WarpSync& s) override {
      const LaneMask members = s.members[std::countr_zero(s.lanes)];
      add("{} w{} {:x} of {:x}, gone {:x}", s.exchange ? "exchange" : "syncwarp", s.warp, s.lanes, members, s.exited);
    }
    void warp_release(const observe::WarpRelease& r) override { add("go on w{} {:x}", r.warp, r.lanes); }
    void mbarrier(const observe::Mbarrier& m) override {
      if (m.lane != 0) return;
      add("mbarrier {} w{}{}", static_cast<int>(m.use), m.warp, m.passed ? " passed" : "");
    }
    void fence(const observe::Fence& f) override {
      add("fence {} {} w{} {:x}", static_cast<int>(f.order), static_cast<int>(f.scope), f.warp, f.lanes);
    }
    void exit(const observe::Exit& e) override { add("exit w{} {:x}", e.warp, e.lanes); }
    void heap(const observe::HeapUse& h) override {
      h.bytes != 0 ? add("malloc {} lane {}", h.bytes, h.lane) : add("free lane {}", h.lane);
    }
    void denial(const observe::Denial& d) override {
      add("denied {} {} w{} {:x} of {} bytes, line {}", static_cast<int>(d.why), static_cast<int>(d.kind), d.warp,
          d.lanes, d.bytes, d.ptx_line);
    }

   private:
    template <class... Arguments>
    void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
      const std::lock_guard hold(log_.mutex_);
      log_.lines.push_back(fmt::format(format, std::forward<Arguments>(arguments)...));
    }
    Log& log_;
  };

  [[nodiscard]] RunEvents events() const override { return events_; }
  [[nodiscard]] observe::BlockRange next(uint64_t block) const override { return {block}; }
  std::unique_ptr<observe::BlockObserver> begin(uint64_t) override { return std::make_unique<Block>(*this); }
  void end(std::unique_ptr<observe::BlockObserver>) override {}

  std::vector<std::string> lines;
  std::vector<uint32_t> stored;

 private:
  const RunEvents events_;
  std::mutex mutex_;
};

using Lines = std::vector<std::string>;

// The events of a body that two warps run.
Lines events_of(const std::string& body, RunEvents events, const std::string& declarations = "") {
  Machine machine(kernel(body, declarations));
  Log log(events);
  machine.observers = {&log};
  machine.run({1}, {64}, machine.words(64));
  return log.lines;
}

TEST(Events, OfABarrierOfTheBlock) {
  EXPECT_EQ(events_of("bar.sync 0;", {.barriers = true}),
            (Lines{"sync 0 w0 ffffffff of 0", "sync 0 w1 ffffffff of 0", "release 0 ffffffff ffffffff"}));
}

TEST(Events, OfANamedBarrier) {
  EXPECT_EQ(events_of("setp.lt.u32 %p1, %r0, 32;\n@%p1 bra FIRST;\nbar.arrive 3, 64;\nbra END;\n"
                      "FIRST: bar.sync 3, 64;\nEND:",
                      {.barriers = true}),
            (Lines{"sync 3 w0 ffffffff of 64", "arrive 3 w1 ffffffff of 64", "release 3 ffffffff 0"}));
}

TEST(Events, OfABarrierThatSomeLanesMiss) {
  const Lines lines = events_of(
      "setp.lt.u32 %p1, %r0, 8;\n@%p1 bra WAIT;\nst.global.u32 [%rd1], %r0;\nbra END;\n"
      "WAIT: bar.sync 0;\nEND:",
      {.barriers = true, .exits = true});
  EXPECT_EQ(lines, (Lines{"exit w1 ffffffff", "sync 0 w0 ff of 0", "exit w0 ffffff00", "release 0 ff 0, 24 absent",
                          "exit w0 ff"}));
}

TEST(Events, OfExchangesAndTheirMembers) {
  EXPECT_EQ(events_of("shfl.sync.idx.b32 %r4, %r0, 0, 31, 0xffffffff;", {.warp_syncs = true}),
            (Lines{"exchange w0 ffffffff of ffffffff, gone 0", "go on w0 ffffffff",
                   "exchange w1 ffffffff of ffffffff, gone 0", "go on w1 ffffffff"}));
  // Tiles of 16 lanes do not wait for each other.
  EXPECT_EQ(events_of("and.b32 %r4, %r0, 16; mov.u32 %r5, 0xffff; shl.b32 %r5, %r5, %r4;\n"
                      "vote.sync.ballot.b32 %r6, %p1, %r5;",
                      {.warp_syncs = true})[1],
            "go on w0 ffff");
}

TEST(Events, OfSyncwarpInBothArmsOfABranch) {
  const Lines lines = events_of(
      "and.b32 %r4, %r0, 1; setp.eq.u32 %p1, %r4, 0;\n@%p1 bra EVEN;\n"
      "bar.warp.sync 0xffffffff;\nbra END;\nEVEN: bar.warp.sync 0xffffffff;\nEND:",
      {.warp_syncs = true});
  ASSERT_EQ(lines.size(), 6);
  EXPECT_EQ(
      std::set<std::string>(lines.begin(), lines.begin() + 2),
      (std::set<std::string>{"syncwarp w1 55555555 of ffffffff, gone 0", "syncwarp w1 aaaaaaaa of ffffffff, gone 0"}));
  EXPECT_EQ(lines[2], "go on w1 ffffffff");
}

TEST(Events, OfMembersThatHaveEnded) {
  EXPECT_EQ(events_of("and.b32 %r4, %r0, 31; setp.ge.u32 %p1, %r4, 24;\n@%p1 exit;\nbar.warp.sync 0xffffffff;",
                      {.warp_syncs = true, .exits = true}),
            (Lines{"exit w0 ff000000", "syncwarp w0 ffffff of ffffffff, gone ff000000", "go on w0 ffffff",
                   "exit w0 ffffff", "exit w1 ff000000", "syncwarp w1 ffffff of ffffffff, gone ff000000",
                   "go on w1 ffffff", "exit w1 ffffff"}));
}

TEST(Events, OfFences) {
  EXPECT_EQ(events_of("setp.lt.u32 %p1, %r0, 4;\n@%p1 membar.gl;\nfence.acq_rel.cta;", {.fences = true}),
            (Lines{"fence 6 3 w0 f", "fence 5 1 w0 ffffffff", "fence 5 1 w1 ffffffff"}));
}

TEST(Events, OfAtomicsTellWhichTookEffect) {
  EXPECT_EQ(events_of("add.u32 %r4, %r0, 1; atom.global.cas.b32 %r5, [%rd0], 0, %r4;\nred.global.add.u32 [%rd1], 1;",
                      {.outcomes = true}),
            (Lines{"outcome w0 ffffffff wrote 1", "outcome w0 ffffffff wrote 32", "outcome w1 ffffffff wrote 0",
                   "outcome w1 ffffffff wrote 32"}));
}

TEST(Events, OfBarrierObjects) {
  using Use = observe::Mbarrier::Use;
  const auto number = [](Use use) { return static_cast<int>(use); };
  const Lines lines = events_of(
      "mov.u32 %r4, buffer; setp.eq.u32 %p1, %r0, 0;\n@%p1 mbarrier.init.shared.b64 [%r4], 64;\nbar.sync 0;\n"
      "mbarrier.arrive.shared.b64 %rd3, [%r4];\nbar.sync 0;\n"
      "mbarrier.test_wait.shared.b64 %p2, [%r4], %rd3;\n",
      {.mbarriers = true}, ".shared .align 8 .b8 buffer[8];\n");
  EXPECT_EQ(lines, (Lines{fmt::format("mbarrier {} w0", number(Use::Init)), "release 0 ffffffff ffffffff",
                          fmt::format("mbarrier {} w0", number(Use::Arrive)),
                          fmt::format("mbarrier {} w1", number(Use::Arrive)), "release 0 ffffffff ffffffff",
                          fmt::format("mbarrier {} w0 passed", number(Use::Wait)),
                          fmt::format("mbarrier {} w1 passed", number(Use::Wait))}));
}

TEST(Events, OfStoresHaveTheirValues) {
  Machine machine(kernel("mul.lo.u32 %r4, %r1, 3;\nst.global.u32 [%rd1], %r4;"));
  Log log({.accesses = true, .values = true});
  machine.observers = {&log};
  EXPECT_EQ(machine.run({1}, {64}), log.stored);
  EXPECT_EQ(log.stored.back(), 63 * 3);
}

// Lanes whose address is not theirs leave the access out, and the launch goes on; the program sees the fault later.
TEST(Events, OfDeniedAccessesLetTheOthersRun) {
  const std::string body = R"(
  ld.param.u64 %rd3, [in];
  mul.wide.u32 %rd4, %r1, 4;
  add.u64 %rd4, %rd3, %rd4;
  ld.global.u32 %r4, [%rd4];
  add.u32 %r4, %r4, 1;
  st.global.u32 [%rd1], %r4;
  setp.eq.u32 %p1, %r0, 7;
  @%p1 add.u64 %rd4, %rd4, 2;
  st.global.u32 [%rd4], %r0;
  mov.u32 %r5, 0;
  atom.global.add.u32 %r6, [%rd3+4096], 1;
)";
  for (const unsigned workers : {1u, 3u}) {
    Machine machine(kernel(body), with_workers(workers));
    Log log({.denials = true});
    machine.observers = {&log};
    const uint64_t in = machine.upload(std::vector<uint32_t>(40, 10)), out = machine.words(64);
    const Ran ran = machine.launch({1}, {64}, {out, in});
    EXPECT_FALSE(ran.fault);
    ASSERT_TRUE(ran.denied);
    EXPECT_EQ(ran.denied->kind, FaultKind::MisalignedAddress);
    std::vector<uint32_t> expected(64, 1);
    std::fill_n(expected.begin(), 40, 11);
    EXPECT_EQ(machine.download(out, 64), expected);
    EXPECT_EQ(machine.download(in, 10), (std::vector<uint32_t>{0, 1, 2, 3, 4, 5, 6, 10, 8, 9}));
    ASSERT_EQ(log.lines.size(), 5);
    EXPECT_TRUE(log.lines[0].starts_with("denied 1 1 w0 80 of 4 bytes")) << log.lines[0];
    EXPECT_TRUE(log.lines[2].starts_with("denied 0 0 w1 ffffff00 of 4 bytes")) << log.lines[2];
    EXPECT_EQ(log.lines[2].substr(log.lines[2].find(", line")), ", line 17");
  }
}

TEST(Events, OfTheHeap) {
  const std::string text =
      kHead +
      ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"
      ".extern .func free(.param .b64 p);\n.visible .entry k(.param .u64 out, .param .u64 in) {\n" +
      kRegisters + kThread + R"(
  { .param .b64 n; .param .b64 r; st.param.b64 [n], 48; call (r), malloc, (n); ld.param.b64 %rd3, [r]; }
  st.global.u32 [%rd1], %r0;
  { .param .b64 p; st.param.b64 [p], %rd3; call free, (p); }
  ret;
})";
  Machine machine(text);
  Log log({.heap = true});
  machine.observers = {&log};
  machine.run({1}, {2});
  EXPECT_EQ(log.lines, (Lines{"malloc 48 lane 0", "malloc 48 lane 1", "free lane 0", "free lane 1"}));
}

// An observer of denials alone costs nothing: the blocks run plain code.
TEST(Events, ThatTheEngineKnowsNeedNoOtherCode) {
  EXPECT_FALSE((RunEvents{.mbarriers = true, .heap = true}).of_code());
  const RunEvents all = RunEvents{.fences = true} | RunEvents{.denials = true};
  EXPECT_EQ(all, (RunEvents{.fences = true, .denials = true}));
  EXPECT_EQ(all.bits(), all.of_code().bits());
  EXPECT_NE((all | RunEvents{.heap = true}).bits(), (all | RunEvents{.heap = true}).of_code().bits());
}

}  // namespace
}  // namespace drywarp::exec
