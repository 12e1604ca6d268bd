// Loops that poll what other blocks write, in traces: iterations in vain go, and the one that is left says whose write
// it saw.
#include <map>
#include <set>

#include "machine.h"

namespace drywarp::exec {
namespace {

uint32_t access_of(const KernelInfo& kernel, const std::string& text) {
  for (const InstructionInfo& i : kernel.instructions)
    if (i.text.starts_with(text)) return i.access;
  ADD_FAILURE() << text;
  return 0;
}

// How often the warp's trace has the access.
size_t count(const WarpTrace& warp, uint32_t access) {
  size_t found = 0;
  for (const TraceAccess& a : warp.accesses) found += a.access == access;
  return found;
}

// The first lane of each block runs the body.
std::string one_lane(const std::string& body) {
  return kernel("  mov.u32 %r3, %ctaid.x;\n  mov.u32 %r10, %nctaid.x;\n  setp.ne.u32 %p1, %r0, 0;\n  @%p1 bra END;\n" +
                body + "END:\n");
}

// Block 0 waits for a flag that block 1 sets late.
const std::string kFlag = one_lane(R"(
  setp.ne.u32 %p2, %r3, 0;
  @%p2 bra WRITE;
WAIT:
  ld.volatile.global.u32 %r4, [%rd0+256];
  setp.eq.u32 %p3, %r4, 0;
  @%p3 bra WAIT;
  st.global.u32 [%rd1], %r4;
  bra END;
WRITE:
  st.global.u32 [%rd1], %r3;
  st.volatile.global.u32 [%rd0+256], 7;
)");

TEST(PollTraces, sayWhoseWriteWasSeen) {
  for (const uint64_t resident : {0, 2, 100}) {
    Machine machine(kFlag);
    machine.trace = {.blocks = 10, .bytes = 1 << 20, .resident = resident};
    const auto out = machine.run({2}, {32}, 0, 256);
    EXPECT_EQ(out[0], 7);
    ASSERT_TRUE(machine.last.trace);
    EXPECT_TRUE(machine.last.trace->awaits_writes());
    const KernelInfo& kernel = *machine.last.kernel;
    const WarpTrace& waits = machine.last.trace->blocks.at(0).warps[0];
    EXPECT_EQ(count(waits, access_of(kernel, "ld.volatile")), 1);
    ASSERT_EQ(waits.awaited.size(), 1);
    EXPECT_EQ(waits.accesses[waits.awaited[0].access].access, access_of(kernel, "ld.volatile"));
    EXPECT_EQ(waits.awaited[0].lanes, 1);
    const WriteId write = waits.awaited[0].write;
    EXPECT_EQ(write.block, 1);
    EXPECT_EQ(write.warp, 0);
    const WarpTrace& writes = machine.last.trace->blocks.at(1).warps[0];
    EXPECT_EQ(writes.accesses.at(write.access).access, access_of(kernel, "st.volatile"));
    EXPECT_TRUE(writes.awaited.empty());
    if (resident == 0) EXPECT_GT(machine.last.trace->blocks[0].polls, 0);
  }
}

// Blocks meet at a counter, three times: what each sees is the arrival that completed the round, and not one of the
// next.
TEST(PollTraces, ofABarrierSeeTheArrivalThatCompletedIt) {
  Machine machine(one_lane(R"(
  mov.u32 %r5, 0;
ROUND:
  add.u32 %r5, %r5, %r10;
  atom.global.add.u32 %r6, [%rd0+256], 1;
WAIT:
  ld.volatile.global.u32 %r4, [%rd0+256];
  setp.lt.u32 %p3, %r4, %r5;
  @%p3 bra WAIT;
  mul.lo.u32 %r12, %r10, 3;
  setp.lt.u32 %p4, %r5, %r12;
  @%p4 bra ROUND;
  st.global.u32 [%rd1], %r4;
)"));
  machine.trace = {.blocks = 10, .bytes = 1 << 20, .resident = 6};
  machine.run({6}, {32}, 0, 256);
  ASSERT_TRUE(machine.last.trace);
  const uint32_t adds = access_of(*machine.last.kernel, "atom"), polls = access_of(*machine.last.kernel, "ld.volatile");
  size_t awaited = 0;  // who arrives last waits for the others
  for (const BlockTrace& block : machine.last.trace->blocks) {
    const WarpTrace& warp = block.warps[0];
    EXPECT_EQ(count(warp, polls), 3);
    EXPECT_EQ(count(warp, adds), 3);
    awaited += warp.awaited.size();
    for (const AwaitedWrite& a : warp.awaited) {
      const auto round_of = [&](const WarpTrace& w, uint32_t place, uint32_t access) {
        size_t round = 0;
        for (uint32_t i = 0; i < place; ++i) round += w.accesses[i].access == access;
        return round;
      };
      const WarpTrace& writer = machine.last.trace->blocks.at(a.write.block).warps[0];
      EXPECT_EQ(writer.accesses.at(a.write.access).access, adds);
      EXPECT_EQ(round_of(warp, a.access, polls), round_of(writer, a.write.access, adds));
    }
  }
  EXPECT_EQ(awaited, 3 * 6);
}

// Block 0 counts to 20 at once; who waits for a number has seen the write of that number, and not the last one.
TEST(PollTraces, ofAValueThatIsOnlyTestedSeeTheWriteThatSufficed) {
  Machine machine(one_lane(R"(
  setp.ne.u32 %p2, %r3, 0;
  @%p2 bra WAIT;
  mov.u32 %r5, 0;
COUNT:
  add.u32 %r5, %r5, 1;
  st.volatile.global.u32 [%rd0+256], %r5;
  setp.lt.u32 %p4, %r5, 20;
  @%p4 bra COUNT;
  bra END;
WAIT:
  ld.volatile.global.u32 %r4, [%rd0+256];
  setp.lt.u32 %p3, %r4, %r3;
  @%p3 bra WAIT;
  st.global.u32 [%rd1], %r3;
)"));
  machine.trace = {.blocks = 10, .bytes = 1 << 20, .resident = 8};
  machine.run({8}, {32}, 0, 512);
  ASSERT_TRUE(machine.last.trace);
  for (const BlockTrace& block : machine.last.trace->blocks) {
    if (block.block == 0) continue;
    ASSERT_EQ(block.warps[0].awaited.size(), 1);
    EXPECT_EQ(block.warps[0].awaited[0].write.access, block.block - 1);
  }
}

// A lock by compare-and-swap: who gets it has seen the release by the one before, and swaps in vain are no writes.
TEST(PollTraces, ofALockSeeItsRelease) {
  Machine machine(one_lane(R"(
LOCK:
  atom.global.cas.b32 %r4, [%rd0+256], 0, 1;
  setp.ne.u32 %p3, %r4, 0;
  @%p3 bra LOCK;
  ld.volatile.global.u32 %r5, [%rd0+512];
  add.u32 %r5, %r5, 1;
  st.volatile.global.u32 [%rd0+512], %r5;
  membar.gl;
  atom.global.exch.b32 %r6, [%rd0+256], 0;
)"));
  machine.trace = {.blocks = 10, .bytes = 1 << 20, .resident = 8};
  const auto out = machine.run({8}, {32}, 0, 256);
  EXPECT_EQ(out[128], 8);
  ASSERT_TRUE(machine.last.trace);
  const uint32_t swap = access_of(*machine.last.kernel, "atom.global.cas"),
                 release = access_of(*machine.last.kernel, "atom.global.exch");
  size_t awaited = 0;
  for (const BlockTrace& block : machine.last.trace->blocks) {
    EXPECT_EQ(count(block.warps[0], swap), 1);
    for (const AwaitedWrite& a : block.warps[0].awaited) {
      ++awaited;
      EXPECT_EQ(machine.last.trace->blocks.at(a.write.block).warps[0].accesses.at(a.write.access).access, release);
    }
  }
  EXPECT_EQ(awaited, 7);
}

// Reading one word again and again is no poll, nor is an update by compare-and-swap.
TEST(PollTraces, haveNoWaitsOfLoopsThatDoSomething) {
  for (const char* body : {R"(
  mov.u32 %r5, 0;
AGAIN:
  ld.volatile.global.u32 %r4, [%rd0+256];
  add.u32 %r6, %r6, %r4;
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p3, %r5, 10;
  @%p3 bra AGAIN;
  st.volatile.global.u32 [%rd0+256], %r6;
)",
                           R"(
  ld.global.u32 %r4, [%rd0+256];
SWAP:
  mov.u32 %r5, %r4;
  add.u32 %r6, %r5, 3;
  atom.global.cas.b32 %r4, [%rd0+256], %r5, %r6;
  setp.ne.u32 %p3, %r4, %r5;
  @%p3 bra SWAP;
)"}) {
    Machine machine(one_lane(body));
    machine.trace = {.blocks = 10, .bytes = 1 << 20, .resident = 8};
    machine.run({8}, {32}, 0, 256);
    ASSERT_TRUE(machine.last.trace);
    EXPECT_FALSE(machine.last.trace->awaits_writes());
    for (const BlockTrace& block : machine.last.trace->blocks) EXPECT_EQ(block.polls, 0);
  }
}

// Whoever sees that all have arrived sees each of the additions, in whatever order they were; so does the last to
// arrive.
TEST(PollTraces, sayOnWhatACounterBuilds) {
  Machine machine(one_lane(R"(
  atom.global.add.u32 %r5, [%rd0+4096], 1;
WAIT:
  ld.volatile.global.u32 %r4, [%rd0+4096];
  setp.lt.u32 %p3, %r4, 8;
  @%p3 bra WAIT;
)"));
  machine.trace = {.blocks = 8, .bytes = 1 << 20, .resident = 8};
  machine.run({8}, {32}, 0, 2048);
  ASSERT_TRUE(machine.last.trace);
  const LaunchTrace& trace = *machine.last.trace;
  ASSERT_EQ(trace.built.size(), 7);
  std::map<WriteId, WriteId> before;
  for (const BuiltOn& built : trace.built) before[built.write] = built.before;
  for (const BlockTrace& block : trace.blocks) {
    ASSERT_EQ(block.warps[0].awaited.size(), 1);
    std::set<uint64_t> seen{block.block};
    WriteId write = block.warps[0].awaited[0].write;
    for (seen.insert(write.block); before.contains(write); seen.insert(write.block)) write = before[write];
    EXPECT_EQ(seen.size(), 8);
  }
}

// A loop that counts its polls is one all the same.
TEST(PollTraces, doNotDependOnTheNumberOfWorkers) {
  std::vector<std::vector<AwaitedWrite>> seen;
  for (const unsigned workers : {1u, 4u}) {
    EngineOptions options;
    options.workers = workers;
    Machine machine(one_lane(R"(
  mov.u32 %r5, 0;
  setp.eq.u32 %p2, %r3, 0;
  @%p2 bra WRITE;
  sub.u32 %r7, %r3, 1;
  mul.wide.u32 %rd2, %r7, 4;
  add.u64 %rd2, %rd0, %rd2;
WAIT:
  add.u32 %r5, %r5, 1;
  ld.volatile.global.u32 %r4, [%rd2+4096];
  setp.eq.u32 %p3, %r4, 0;
  @%p3 bra WAIT;
WRITE:
  mul.wide.u32 %rd3, %r3, 4;
  add.u64 %rd3, %rd0, %rd3;
  st.volatile.global.u32 [%rd3+4096], 1;
)"),
                    options);
    machine.trace = {.blocks = 100, .bytes = 1 << 20, .resident = 16};
    machine.run({40}, {32}, 0, 2048);
    ASSERT_TRUE(machine.last.trace);
    std::vector<AwaitedWrite> all;
    for (const BlockTrace& block : machine.last.trace->blocks)
      for (const AwaitedWrite& a : block.warps[0].awaited) {
        EXPECT_EQ(a.write.block + 1, block.block);
        all.push_back(a);
      }
    EXPECT_EQ(all.size(), 39);
    seen.push_back(all);
  }
  EXPECT_EQ(seen[0], seen[1]);
}

}  // namespace
}  // namespace drywarp::exec
