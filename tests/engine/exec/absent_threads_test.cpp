// Barriers that complete although threads of the block never arrive: noted, counted and attributed.
#include "machine.h"

namespace drywarp::exec {
namespace {

using Kind = BarrierNote::Kind;

std::string under(uint32_t threads) {
  return "setp.ge.u32 %p1, %r0, " + std::to_string(threads) +
         "; @%p1 bra E; bar.sync 0;\nE: st.global.u32 [%rd1], %r0;";
}

const InstructionInfo* barrier_of(const Ran& result, const BarrierNote& note) {
  for (const InstructionInfo& i : result.kernel->instructions)
    if (i.barrier && i.block == note.code_block) return &i;
  return nullptr;
}

TEST(AbsentThreads, ADivergentWarpIsNotedOnceABarrierAndCountedInEveryBlock) {
  Machine m(kernel(under(40)));
  m.run({3}, {64});
  ASSERT_EQ(m.last.counts.barrier_notes.size(), 1u);
  const BarrierNote& note = m.last.counts.barrier_notes[0];
  EXPECT_EQ(note.kind, Kind::DivergentWarp);
  EXPECT_EQ(note.times, 3u);
  EXPECT_EQ(note.warp, 1u);
  EXPECT_EQ(note.waited, 8u);
  EXPECT_EQ(note.absent, 24u);
  ASSERT_NE(barrier_of(m.last, note), nullptr);
  EXPECT_EQ(barrier_of(m.last, note)->text, "bar.sync 0;");
}

TEST(AbsentThreads, WholeWarpsThatSkipABarrierAreTheirOwnKind) {
  Machine m(kernel(under(64)));
  m.run({1}, {128});
  ASSERT_EQ(m.last.counts.barrier_notes.size(), 1u);
  EXPECT_EQ(m.last.counts.barrier_notes[0].kind, Kind::SkippedByWarps);
  EXPECT_EQ(m.last.counts.barrier_notes[0].waited, 2u);
  EXPECT_EQ(m.last.counts.barrier_notes[0].absent, 2u);
}

TEST(AbsentThreads, ABarrierThatAllReachHasNoNote) {
  Machine m(kernel(under(128)));
  m.run({2}, {128});
  EXPECT_TRUE(m.last.counts.barrier_notes.empty());
}

// `if (t >= 40) return` in the first block is a note that is no warning; in a later block it guards an array's end.
TEST(AbsentThreads, EndedThreadsAreNotedInTheFirstBlockOnly) {
  const std::string barrier = "@%p1 bra E; bar.sync 0; st.global.u32 [%rd1], %r0;\nE:";
  Machine early(kernel("setp.ge.u32 %p1, %r0, 40;" + barrier));
  early.run({2}, {64});
  ASSERT_EQ(early.last.counts.barrier_notes.size(), 1u);
  EXPECT_EQ(early.last.counts.barrier_notes[0].kind, Kind::ThreadsEnded);
  EXPECT_EQ(early.last.counts.barrier_notes[0].times, 1u);
  Machine guard(kernel("setp.ge.u32 %p1, %r1, 100;" + barrier));
  guard.run({2}, {64});
  EXPECT_TRUE(guard.last.counts.barrier_notes.empty());
}

// A really called function has counters behind the kernel's.
TEST(AbsentThreads, ABarrierInACalledFunctionIsAttributedToIt) {
  const std::string again =
      ".func again(.param .b32 n) {\n.reg .b32 %r<4>; .reg .pred %p<3>; .param .b32 left;\n"
      "ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; setp.ge.u32 %p1, %r2, 8; @%p1 bra E; bar.sync 0;\n"
      "E: setp.eq.u32 %p2, %r1, 0; @%p2 bra D; sub.u32 %r1, %r1, 1; st.param.b32 [left], %r1; call.uni again, "
      "(left);\nD: ret;\n}\n";
  Machine m(
      kernel(".param .b32 n; mov.u32 %r3, 0; st.param.b32 [n], %r3; call.uni again, (n); st.global.u32 [%rd1], "
             "%r0;",
             again));
  m.run({1}, {32});
  ASSERT_EQ(m.last.counts.barrier_notes.size(), 1u);
  const InstructionInfo* at = barrier_of(m.last, m.last.counts.barrier_notes[0]);
  ASSERT_NE(at, nullptr);
  EXPECT_EQ(at->text, "bar.sync 0;");
}

TEST(AbsentThreads, AreNotedWithoutCountersToo) {
  EngineOptions options = Machine::one_worker();
  options.counters = false;
  Machine m(kernel(under(40)), options);
  m.run({1}, {64});
  ASSERT_EQ(m.last.counts.barrier_notes.size(), 1u);
  EXPECT_TRUE(m.last.counts.blocks.empty());
}

}  // namespace
}  // namespace drywarp::exec
