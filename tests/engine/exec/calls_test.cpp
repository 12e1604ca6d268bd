// Functions that are really called: counts of diverged lanes, arguments in registers, exits inside.
#include <fmt/format.h>

#include "machine.h"

namespace drywarp::exec {
namespace {

const std::string kSignature = ".func (.param .b32 result) f (.param .b32 value)";

// f(n) adds up n, n - 1 ... 1 by recursion, and runs `bottom` at the deepest call (value in %r3).
std::string recursion(const std::string& bottom) {
  return kHead + kSignature + ";\n" + kSignature + R"({
  .reg .pred %p<3>; .reg .b32 %r<9>;
  .param .b32 a; .param .b32 b;
  ld.param.b32 %r1, [value];
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra BOTTOM;
  sub.u32 %r2, %r1, 1;
  st.param.b32 [a], %r2;
  call (b), f, (a);
  ld.param.b32 %r3, [b];
  add.u32 %r3, %r3, %r1;
  st.param.b32 [result], %r3;
  ret;
BOTTOM:
  mov.u32 %r3, 100;
)" + bottom +
         R"(
  st.param.b32 [result], %r3;
  ret;
}
.visible .entry k(.param .u64 out, .param .u64 in) {
)" + kRegisters +
         kThread + R"(
  .param .b32 x; .param .b32 y;
  and.b32 %r5, %r0, 3;
  st.param.b32 [x], %r5;
  call (y), f, (x);
  ld.param.b32 %r6, [y];
  st.global.u32 [%rd1], %r6;
  ret;
})";
}

const InstructionInfo& instruction(const Ran& r, const std::string& start) {
  for (const InstructionInfo& i : r.kernel->instructions)
    if (i.text.rfind(start, 0) == 0) return i;
  ADD_FAILURE() << start;
  static const InstructionInfo none;
  return none;
}
const BlockCounts& block(const Ran& r, const std::string& start) {
  return r.counts.blocks.at(instruction(r, start).block);
}

// The lanes of tid % 4 = 0, 1, 2, 3 reach the bottom after that many calls.
void expect_counts_of_recursion(const Ran& r, uint64_t warps) {
  EXPECT_EQ(block(r, "ld.param.b32 %r1").warps, 4 * warps);
  EXPECT_EQ(block(r, "ld.param.b32 %r1").lanes, (32 + 24 + 16 + 8) * warps);
  const BranchCounts& branch = r.counts.branches.at(instruction(r, "@%p1 bra").branch);
  EXPECT_EQ(branch.taken, 4 * warps);
  EXPECT_EQ(branch.divergent, 3 * warps);  // the last eight lanes agree
  EXPECT_EQ(block(r, "sub.u32").warps, 3 * warps);
  EXPECT_EQ(block(r, "sub.u32").lanes, (24 + 16 + 8) * warps);
  EXPECT_EQ(block(r, "ld.param.b32 %r3").warps, 3 * warps);
  EXPECT_EQ(block(r, "ld.param.b32 %r3").lanes, (24 + 16 + 8) * warps);
}

TEST(Calls, CountLanesThatDiffer) {
  Machine machine(recursion(""));
  const auto out = machine.run({2, 1, 1}, {64, 1, 1});
  for (uint32_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], 100 + i % 4 * (i % 4 + 1) / 2);
  expect_counts_of_recursion(machine.last, 4);
  EXPECT_EQ(block(machine.last, "mov.u32 %r3, 100").warps, 4 * 4u);
  EXPECT_EQ(block(machine.last, "mov.u32 %r3, 100").lanes, 4 * 32u);
}

TEST(Calls, LanesMeetAtDifferentDepthsAndCountOnce) {
  Machine machine(
      recursion("shfl.sync.bfly.b32 %r3, %r1, 0, 31, -1; vote.sync.ballot.b32 %r4, %p1, -1; popc.b32 %r4, "
                "%r4; add.u32 %r3, %r3, %r4;"));
  const auto out = machine.run({2, 1, 1}, {64, 1, 1});
  for (uint32_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], 32 + i % 4 * (i % 4 + 1) / 2);
  expect_counts_of_recursion(machine.last, 4);
  EXPECT_EQ(block(machine.last, "shfl.sync").warps, 4u);
  EXPECT_EQ(block(machine.last, "shfl.sync").lanes, 4 * 32u);
  EXPECT_EQ(block(machine.last, "vote.sync").warps, 4u);
}

TEST(Calls, BarrierInAFunctionIsCountedOnceAWarp) {
  Machine machine(recursion("bar.sync 0;"));
  machine.run({1, 1, 1}, {64, 1, 1});
  EXPECT_EQ(block(machine.last, "bar.sync").lanes, 64u);
  expect_counts_of_recursion(machine.last, 2);
}

TEST(Calls, ArgumentsAndResultsInRegisters) {
  const std::string text = kHead + kSignature + ";\n" + kSignature + R"({
  .reg .pred %p<3>; .reg .b32 %r<9>;
  ld.param.b32 %r1, [value];
  setp.lt.u32 %p1, %r1, 3;
  @%p1 bra END;
  sub.u32 %r2, %r1, 3;
  call (%r1), f, (%r2);
END:
  st.param.b32 [result], %r1;
  ret;
}
.visible .entry k(.param .u64 out, .param .u64 in) {
)" + kRegisters + kThread + R"(
  call (%r6), f, (%r0);
  st.global.u32 [%rd1], %r6;
  ret;
})";
  Machine machine(text);
  const auto out = machine.run({1, 1, 1}, {32, 1, 1});
  for (uint32_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], i % 3);
}

TEST(Calls, AGuardedExitInAFunctionEndsTheThread) {
  Machine machine(recursion("mov.u32 %r5, %tid.x; setp.gt.u32 %p2, %r5, 20; @%p2 exit;"));
  const auto out = machine.run({1, 1, 1}, {32, 1, 1});
  for (uint32_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], i > 20 ? 0 : 100 + i % 4 * (i % 4 + 1) / 2);
}

TEST(Calls, EndlessRecursionIsStopped) {
  // Lanes are rescheduled on the way down, so that neither form may run out of the host's memory.
  Machine machine(kHead + kSignature + ";\n" + kSignature + R"({
  .reg .b32 %r<9>; .param .b32 a; .param .b32 b;
  ld.param.b32 %r1, [value];
  bar.warp.sync -1;
  st.param.b32 [a], %r1;
  call (b), f, (a);
  ld.param.b32 %r1, [b];
  st.param.b32 [result], %r1;
  ret;
}
.visible .entry k(.param .u64 out, .param .u64 in) {
)" + kRegisters + kThread +
                  R"(
  .param .b32 x; .param .b32 y;
  setp.lt.u32 %p1, %r0, 7;
  st.param.b32 [x], %r0;
  @%p1 call (y), f, (x);
  @!%p1 call (y), f, (x);
  ret;
})");
  const Ran r = machine.launch({1, 1, 1}, {32, 1, 1}, {machine.words(32)});
  ASSERT_TRUE(r.fault);
  EXPECT_EQ(r.fault->kind, FaultKind::StackOverflow) << r.fault->message;
}

// A frame of the host's stack that is larger than what is kept free below a call: it must not reach beyond the stack.
TEST(Calls, EndlessRecursionOfALargeFunctionIsStopped) {
  std::string body, sum;
  for (int i = 8; i < 4000; ++i) {
    body += fmt::format("mad.lo.s32 %r{}, %r1, %r{}, {};\n", i, i - 1, i);
    sum += fmt::format("add.u32 %r1, %r1, %r{};\n", i);
  }
  EngineOptions options = Machine::one_worker();
  options.compile_budget = 0;  // every register has a place in the frame
  Machine machine(kHead + kSignature + ";\n" + kSignature + "{\n.reg .b32 %r<4000>; .param .b32 a; .param .b32 b;\n" +
                      "ld.param.b32 %r1, [value]; mov.u32 %r7, %laneid;\n" + body +
                      "st.param.b32 [a], %r1;\ncall (b), f, (a);\nld.param.b32 %r1, [b];\n" + sum +
                      "st.param.b32 [result], %r1;\nret;\n}\n.visible .entry k(.param .u64 out, .param .u64 in) {\n" +
                      kRegisters + kThread +
                      ".param .b32 x; .param .b32 y;\nst.param.b32 [x], %r0;\ncall (y), f, (x);\nret;\n}",
                  options);
  const Ran r = machine.launch({1, 1, 1}, {32, 1, 1}, {machine.words(32)});
  ASSERT_TRUE(r.fault);
  EXPECT_EQ(r.fault->kind, FaultKind::StackOverflow) << r.fault->message;
}

}  // namespace
}  // namespace drywarp::exec
