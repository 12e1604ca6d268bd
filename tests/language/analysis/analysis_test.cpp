// Control flow, liveness and shapes of small kernels.
#include <gtest/gtest.h>

#include <algorithm>

#include "language/analysis/shapes.h"
#include "language/ir/warp_exchanges.h"
#include "ptx_kernel.h"

namespace drywarp::analysis {
namespace {

struct Kernel : PtxKernel {
  explicit Kernel(const std::string& body)
      : PtxKernel(".visible .entry k(.param .u64 p) {\n",
                  ".reg .pred %p<5>; .reg .b32 %r<20>; .reg .b64 %rd<9>;\n" + body),
        live(liveness(f, flow)) {}
  ir::RegisterId reg(const std::string& name) const {
    for (ir::RegisterId r = 0; r < f.registers.size(); ++r)
      if (f.registers[r].name == name) return r;
    ADD_FAILURE() << name;
    return 0;
  }
  Shape shape(const std::string& name, BlockShape block = {256, 1, 1}) const {
    return shapes(f, flow, live, block).registers[reg(name)];
  }
  Liveness live;
};

using Kind = Shape::Kind;

const char* const kIfElse =
    "mov.u32 %r0, %tid.x; setp.lt.u32 %p1, %r0, 5; mov.u32 %r2, 1; @%p1 bra A;\n mov.u32 %r1, 1; bra E;\n"
    "A: mov.u32 %r1, 2;\nE: add.u32 %r3, %r1, %r2;";

TEST(ControlFlow, IfElseReconvergesBehindBoth) {
  const Kernel k(kIfElse);
  ASSERT_EQ(k.f.blocks.size(), 4u);
  EXPECT_EQ(k.flow.reconvergence, (std::vector<ir::BlockId>{3, 3, 3, ir::kExit}));
  EXPECT_EQ(divergent_region(k.f, k.flow, 0), (std::vector<bool>{false, true, true, false}));
}

// Blocks: 0 before; 1 the outer loop's head; 2 the inner loop, which leaves itself; 3 a break; 4 the outer loop's end.
TEST(ControlFlow, LoopsAreLeftAtTheirEndsAndBreaks) {
  const Kernel k(
      "mov.u32 %r0, 0;\nO: mov.u32 %r1, 0;\nI: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 5; @%p1 bra I;\n"
      "setp.eq.u32 %p2, %r1, %r0; @%p2 bra E;\n"
      "add.u32 %r0, %r0, 1; setp.lt.u32 %p3, %r0, 9; @%p3 bra O;\nE: mov.u32 %r2, %r0;");
  EXPECT_EQ(loop_exits(k.f, k.flow), (std::vector<bool>{false, false, true, true, true, false}));
  const Kernel straight(kIfElse);
  EXPECT_EQ(loop_exits(straight.f, straight.flow), std::vector<bool>(4, false));
}

TEST(ControlFlow, LoopWithBreakReconvergesBehindTheLoop) {
  const Kernel k(
      "L: setp.eq.u32 %p1, %r1, 3;\n@%p1 bra E;\n add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 9;\n@%p2 bra L;\n"
      "E: mov.u32 %r2, 1;");
  ASSERT_EQ(k.f.blocks.size(), 3u);
  EXPECT_EQ(k.flow.reconvergence[0], 2u);
  EXPECT_EQ(k.flow.reconvergence[1], 2u);
  EXPECT_EQ(k.flow.loop_header, (std::vector<bool>{true, false, false}));
}

TEST(ControlFlow, EarlyReturnReconvergesOnlyAtTheEnd) {
  const Kernel k("@%p1 bra R;\n mov.u32 %r1, 1; ret;\nR: mov.u32 %r1, 2;");
  EXPECT_EQ(k.flow.reconvergence[0], ir::kExit);
}

TEST(ControlFlow, EndlessAndIrreducibleLoopsHaveAnAnswer) {
  const Kernel endless("@%p1 bra E;\nL: add.u32 %r1, %r1, 1; bra L;\nE: mov.u32 %r2, 1;");
  EXPECT_EQ(endless.flow.reconvergence[0], ir::kExit);
  const Kernel two("@%p1 bra Y;\nX: add.u32 %r1, %r1, 1;\nY: add.u32 %r1, %r1, 2;\n@%p2 bra X;\n mov.u32 %r2, 1;");
  EXPECT_EQ(two.flow.reconvergence[0], 2u);
  EXPECT_EQ(two.flow.reconvergence[2], 3u);
}

TEST(Liveness, AGuardedWriteDoesNotEndTheOldValue) {
  const Kernel plain("mov.u32 %r2, 1; bra.uni B;\nB: mov.u32 %r1, 1; add.u32 %r3, %r1, %r2;");
  EXPECT_FALSE(plain.live.live_in[1].has(plain.reg("%r1")));
  EXPECT_TRUE(plain.live.live_in[1].has(plain.reg("%r2")));
  const Kernel guarded("mov.u32 %r2, 1; bra.uni B;\nB: @%p1 mov.u32 %r1, 1; add.u32 %r3, %r1, %r2;");
  EXPECT_TRUE(guarded.live.live_in[1].has(guarded.reg("%r1")));
}

TEST(SplitBlocks, WaitsStartBlocksAndTargetsFollow) {
  const Kernel k("mov.u32 %r1, 1; bar.sync 0; mov.u32 %r2, 2;\nL: shfl.sync.idx.b32 %r3, %r1, 0, 31, -1;\n@%p1 bra L;");
  const ir::Function split = split_at_waits(k.module, k.f);
  for (const ir::Block& b : split.blocks)
    for (uint32_t i = b.first; i < b.end; ++i)
      if (ir::waits_for_lanes(split.instructions[i]) || waits_for_warps(split.instructions[i])) EXPECT_EQ(i, b.first);
  for (const ir::Instruction& in : split.instructions)
    if (in.op == ir::Opcode::Bra) EXPECT_EQ(split.instructions[split.blocks[in.target].first].op, ir::Opcode::Shfl);
}

// Blocks of an if around a barrier: 0 the branch, 1 the barrier, 2 what follows both.
TEST(ThreadEnds, ABranchAtWhichThreadsEndIsAGuardOfWhatTheOthersReach) {
  const Kernel guard("@%p1 bra E;\n bar.sync 0; mov.u32 %r1, 1;\nE:");
  const ThreadEnds of_guard = thread_ends(guard.f);
  EXPECT_EQ(of_guard.behind_guard, (std::vector<bool>{false, true, true}));
  EXPECT_EQ(of_guard.only_ends, (std::vector<bool>{false, false, true}));
  const Kernel branch("@%p1 bra E;\n bar.sync 0;\nE: mov.u32 %r1, 1;");
  const ThreadEnds of_branch = thread_ends(branch.f);
  EXPECT_EQ(of_branch.behind_guard, (std::vector<bool>{false, false, false}));
  EXPECT_FALSE(of_branch.at_end(2));
  EXPECT_TRUE(of_branch.at_end(ir::kExit));
}

TEST(ThreadEnds, AGuardedReturnAndAJumpToTheEndAreEnds) {
  const Kernel k("@%p1 ret;\n mov.u32 %r1, 1;\n@%p2 bra J;\n bar.sync 0; mov.u32 %r2, 1; ret;\nJ: bra E;\nE: ret;");
  const ThreadEnds ends = thread_ends(k.f);
  EXPECT_FALSE(ends.behind_guard[0]);
  EXPECT_TRUE(ends.behind_guard[1]);
  EXPECT_TRUE(ends.only_ends[k.f.blocks.size() - 2]);  // J
}

TEST(ThreadEnds, AnEndlessLoopIsNoEnd) {
  const Kernel k("@%p1 bra L;\n bar.sync 0; ret;\nL: bra L;");
  EXPECT_FALSE(thread_ends(k.f).only_ends[2]);
  EXPECT_FALSE(thread_ends(k.f).behind_guard[1]);
}

// The first block ends in the branch; the block behind it is the barrier.
bool first_chooses(const std::string& condition) {
  const Kernel k(condition + " @%p1 bra E;\n bar.sync 0;\nE:");
  return chosen_ends(k.f, k.flow, thread_ends(k.f))[0];
}

TEST(ChosenEnds, ThePlaceInTheBlockDecidesAlone) {
  EXPECT_TRUE(first_chooses("mov.u32 %r0, %tid.x; setp.ge.u32 %p1, %r0, 32;"));
  EXPECT_TRUE(first_chooses("mov.u32 %r0, %tid.x; shr.u32 %r1, %r0, 5; setp.ne.u32 %p1, %r1, 0;"));
  EXPECT_TRUE(first_chooses("mov.u32 %r0, %laneid; mov.u32 %r1, %ntid.x; setp.ge.u32 %p1, %r0, %r1;"));
  EXPECT_FALSE(
      first_chooses("mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;\n"
                    "mad.lo.u32 %r3, %r0, %r1, %r2; setp.ge.u32 %p1, %r3, 1000;"))
      << "the block's number";
  EXPECT_FALSE(first_chooses("mov.u32 %r0, %tid.x; ld.param.u32 %r1, [p]; setp.ge.u32 %p1, %r0, %r1;")) << "data";
  EXPECT_FALSE(
      first_chooses("mov.u32 %r0, %tid.x; ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1];\n"
                    "setp.ge.u32 %p2, %r0, 32; setp.ne.and.u32 %p1, %r1, 0, %p2;"))
      << "data as well";
}

// Block 0 decides what block 1 or nobody changes; block 2 is the branch to the end.
TEST(ChosenEnds, WhatDataChoosesIsNoPlace) {
  const auto chooses = [](const std::string& before, const std::string& condition) {
    const Kernel k(before + "mov.u32 %r5, 1;\n" + condition +
                   "@%p2 bra J;\n mov.u32 %r5, 2;\nJ: setp.eq.u32 %p1, %r5, 1; @%p1 bra E;\n bar.sync 0;\nE:");
    const std::vector<bool> chosen = chosen_ends(k.f, k.flow, thread_ends(k.f));
    return std::count(chosen.begin(), chosen.end(), true) != 0;
  };
  const std::string data = "ld.param.u32 %r1, [p]; setp.eq.u32 %p2, %r1, 0;", own = "setp.eq.u32 %p2, %tid.x, 0;";
  EXPECT_TRUE(chooses("", own));
  EXPECT_FALSE(chooses("", data));
  // Behind a guard there is no other side.
  EXPECT_TRUE(chooses("ld.param.u32 %r1, [p]; setp.eq.u32 %p3, %r1, 0; @%p3 bra E;\n", own));
}

TEST(ChosenEnds, RoundsOfALoop) {
  const auto chooses = [](const std::string& rounds) {
    const Kernel k(rounds +
                   "mov.u32 %r5, 0;\nL: bar.sync 0; add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, %r1;\n"
                   "@%p1 bra L;");
    const std::vector<bool> chosen = chosen_ends(k.f, k.flow, thread_ends(k.f));
    return std::count(chosen.begin(), chosen.end(), true) != 0;
  };
  EXPECT_TRUE(chooses("mov.u32 %r0, %tid.x; shr.u32 %r1, %r0, 5; add.u32 %r1, %r1, 1;"));
  EXPECT_FALSE(chooses("ld.param.u32 %r1, [p];"));
}

const char* const kTid =
    "mov.u32 %r0, %tid.x; shr.u32 %r1, %r0, 5; and.b32 %r2, %r0, 31; setp.lt.u32 %p1, %r0, 64;"
    "setp.lt.u32 %p2, %r0, 65; shl.b32 %r4, %r0, 2; or.b32 %r5, %r4, 3; or.b32 %r6, %r2, 64; mul.wide.s32 %rd1, %r0, 8;"
    "and.b32 %r10, %r4, 124; and.b32 %r11, %r4, 60; and.b32 %r12, %r4, 3; mul.lo.u32 %r8, %r0, %r0; mov.u32 %r9, "
    "%tid.y; ld.param.u64 %rd2, [p]; add.s64 %rd3, %rd1, %rd2;";

TEST(Shapes, OneDimensionalBlocks) {
  const Kernel k(kTid);
  EXPECT_EQ(k.shape("%r0"), Shape::affine(5, 1, 0));
  EXPECT_TRUE(k.shape("%r1").is_uniform());
  EXPECT_EQ(k.shape("%r2").kind, Kind::Affine);
  EXPECT_EQ(k.shape("%r2").stride1, 1);
  EXPECT_TRUE(k.shape("%p1").is_uniform());
  EXPECT_EQ(k.shape("%p2").kind, Kind::Varying);
  EXPECT_EQ(k.shape("%r4").stride1, 4);
  EXPECT_EQ(k.shape("%r10").kind, Kind::Affine);  // every bit that 4 * (tid & 31) can set
  EXPECT_EQ(k.shape("%r10").stride1, 4);
  EXPECT_EQ(k.shape("%r11").kind, Kind::Varying);  // all but one
  EXPECT_TRUE(k.shape("%r12").is_uniform());       // none of them
  EXPECT_EQ(k.shape("%r6").kind, Kind::Affine);    // 64 lies above every bit of tid & 31
  EXPECT_EQ(k.shape("%rd1").kind, Kind::Extended);
  EXPECT_EQ(k.shape("%rd1").scale, 8);
  EXPECT_TRUE(k.shape("%rd1").is_signed);
  EXPECT_EQ(k.shape("%rd3").kind, Kind::Extended);
  EXPECT_EQ(k.shape("%r8").kind, Kind::Varying);
}

TEST(Shapes, RowsAndOddBlocks) {
  const Kernel k(kTid);
  EXPECT_EQ(lane_pattern({16, 16, 1}).width, 16u);
  EXPECT_EQ(lane_pattern({7, 5, 1}).width, 32u);
  EXPECT_EQ(k.shape("%r0", {16, 16, 1}).stride1, 1);
  EXPECT_EQ(k.shape("%r0", {16, 16, 1}).stride2, 0);
  EXPECT_EQ(k.shape("%r9", {16, 16, 1}).stride1, 0);
  EXPECT_EQ(k.shape("%r9", {16, 16, 1}).stride2, 1);
  EXPECT_EQ(k.shape("%r0", {7, 5, 1}).kind, Kind::Varying);
  EXPECT_TRUE(k.shape("%r9", {32, 4, 1}).is_uniform());
}

TEST(Shapes, UniformLoopCountersStayUniform) {
  const Kernel k("mov.u32 %r1, 0;\nL: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9;\n@%p1 bra L;");
  EXPECT_TRUE(k.shape("%r1").is_uniform());
  EXPECT_TRUE(k.shape("%p1").is_uniform());
}

TEST(Shapes, ValuesOfALoopWithDivergentExitsVary) {
  const Kernel k(
      "mov.u32 %r0, %tid.x; mov.u32 %r1, 0;\nL: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %r0;\n@%p1 bra L;\n"
      "add.u32 %r2, %r1, 1;");
  EXPECT_EQ(k.shape("%r1").kind, Kind::Varying);
  EXPECT_EQ(k.shape("%r2").kind, Kind::Varying);
}

TEST(Shapes, WritesInDivergentRegionsBlend) {
  const Kernel k(kIfElse);
  const Shapes s = shapes(k.f, k.flow, k.live, {256, 1, 1});
  EXPECT_TRUE(s.divergent[0]);
  EXPECT_TRUE(s.kept[1].has(k.reg("%r1")));
  EXPECT_TRUE(s.kept[2].has(k.reg("%r1")));
  EXPECT_EQ(s.registers[k.reg("%r1")].kind, Kind::Varying);
  EXPECT_TRUE(s.registers[k.reg("%r2")].is_uniform());
  EXPECT_EQ(s.registers[k.reg("%r3")].kind, Kind::Varying);
}

Waiting loop_of(const std::string& body) {
  const Kernel k("ld.param.u64 %rd1, [p]; mov.u32 %r1, 0;\nL: " + body + " @%p1 bra L;\nst.global.u32 [%rd1], %r2;");
  const WaitingLoops loops = waiting_loops(k.module, k.f, k.flow, k.live);
  for (ir::BlockId b = 0; b < k.f.blocks.size(); ++b) {
    if (!k.flow.loop_header[b]) continue;
    for (ir::BlockId s : k.f.blocks[b].successors)
      if (s != b) EXPECT_EQ(loops.after[s], loops.header[b] == Waiting::Only);
    return loops.header[b];
  }
  ADD_FAILURE() << "no loop";
  return Waiting::Never;
}

TEST(WaitingLoops, OnlyALoopWithoutSideEffectsOnlyWaits) {
  EXPECT_EQ(loop_of("atom.global.cas.b32 %r2, [%rd1], 0, 1; setp.ne.u32 %p1, %r2, 0;"), Waiting::Only);
  EXPECT_EQ(loop_of("ld.volatile.global.u32 %r2, [%rd1]; setp.eq.u32 %p1, %r2, 0;"), Waiting::Only);
  EXPECT_EQ(loop_of("atom.global.add.u32 %r2, [%rd1], 0; setp.eq.u32 %p1, %r2, 0;"), Waiting::Only);
  // Each of these does more: takes a ticket, counts iterations, retries with the value read before, stores.
  EXPECT_EQ(loop_of("atom.global.add.u32 %r2, [%rd1], 1; setp.lt.u32 %p1, %r2, 9;"), Waiting::Perhaps);
  EXPECT_EQ(loop_of("ld.volatile.global.u32 %r2, [%rd1]; add.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r2, %r1;"),
            Waiting::Perhaps);
  EXPECT_EQ(loop_of("mov.u32 %r3, %r1; atom.global.cas.b32 %r1, [%rd1], %r3, 5; setp.ne.u32 %p1, %r1, %r3;"),
            Waiting::Perhaps);
  EXPECT_EQ(loop_of("ld.volatile.global.u32 %r2, [%rd1]; st.global.u32 [%rd1], %r2; setp.ne.u32 %p1, %r2, 0;"),
            Waiting::Perhaps);
  EXPECT_EQ(loop_of("add.u32 %r1, %r1, 1; red.global.add.u32 [%rd1], 1; setp.lt.u32 %p1, %r1, 9;"), Waiting::Never);
  EXPECT_EQ(loop_of("ld.global.u32 %r2, [%rd1]; setp.eq.u32 %p1, %r2, 0;"), Waiting::Never);
  // Past L1, what is read is a flag where the loop reads one place again and again, or ends by nothing else.
  EXPECT_EQ(loop_of("ld.global.cg.u32 %r2, [%rd1]; setp.eq.u32 %p1, %r2, 0;"), Waiting::Only);
  EXPECT_EQ(loop_of("ld.global.cv.u32 %r2, [%rd1]; setp.eq.u32 %p1, %r2, 0;"), Waiting::Only);
  EXPECT_EQ(loop_of("ld.global.cg.u32 %r2, [%rd1]; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9;"), Waiting::Perhaps);
  EXPECT_EQ(loop_of("ld.global.cg.u32 %r2, [%rd1]; add.u64 %rd1, %rd1, 4; setp.ne.u32 %p1, %r2, 0;"), Waiting::Perhaps);
  EXPECT_EQ(loop_of("ld.global.cg.u32 %r2, [%rd1]; add.u64 %rd1, %rd1, 4; add.u32 %r1, %r1, 1; "
                    "setp.lt.u32 %p1, %r1, 9;"),
            Waiting::Never);
  EXPECT_EQ(loop_of("ld.global.cs.u32 %r2, [%rd1]; setp.eq.u32 %p1, %r2, 0;"), Waiting::Never);
  // Nobody looks at what the atomic gives.
  EXPECT_EQ(loop_of("add.u32 %r1, %r1, 1; atom.global.add.u32 %r4, [%rd1], 1; setp.lt.u32 %p1, %r1, 9;"),
            Waiting::Never);
}

bool endless(const std::string& body) {
  const Kernel k("ld.param.u64 %rd1, [p]; mov.u32 %r1, 0;\nL: " + body + " @%p1 bra L;\nE: st.global.u32 [%rd1], %r2;");
  const WaitingLoops loops = waiting_loops(k.module, k.f, k.flow, k.live);
  return std::ranges::find(loops.endless, true) != loops.endless.end();
}

TEST(WaitingLoops, WhatALoopReadsOrItsOwnCounterEndsIt) {
  EXPECT_TRUE(endless("ld.volatile.global.u32 %r2, [%rd1]; setp.eq.u32 %p1, %r2, 0;"));
  EXPECT_TRUE(endless("mov.u32 %r3, %r1; atom.global.cas.b32 %r1, [%rd1], %r3, 5; setp.ne.u32 %p1, %r1, %r3;"));
  // A counter that another thread's value bounds.
  EXPECT_TRUE(endless("ld.volatile.global.u32 %r2, [%rd1]; add.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r2, %r1;"));
  EXPECT_TRUE(endless("ld.global.cg.u32 %r2, [%rd1]; setp.eq.u32 %p1, %r2, 0;"));
  EXPECT_FALSE(endless("ld.global.cg.u32 %r2, [%rd1]; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9;"));
  // A bound of its own, in either branch; the clock; effects that others see.
  EXPECT_FALSE(endless("ld.volatile.global.u32 %r2, [%rd1]; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9;"));
  EXPECT_FALSE(
      endless("ld.volatile.global.u32 %r2, [%rd1]; add.u32 %r1, %r1, 1; setp.gt.u32 %p2, %r1, 9;\n@%p2 bra E;\n"
              "setp.eq.u32 %p1, %r2, 0;"));
  EXPECT_FALSE(endless("ld.volatile.global.u32 %r2, [%rd1]; mov.u32 %r1, %clock; setp.lt.u32 %p1, %r1, 9;"));
  EXPECT_FALSE(endless("atom.global.add.u32 %r2, [%rd1], 1; setp.lt.u32 %p1, %r2, 9;"));
  EXPECT_FALSE(endless("ld.volatile.global.u32 %r2, [%rd1]; st.global.u32 [%rd1+4], %r2; setp.eq.u32 %p1, %r2, 0;"));
}

TEST(NamedBarriers, CountsAsPtxasDoes) {
  EXPECT_EQ(named_barriers(Kernel("mov.u32 %r1, 1;").f), 0u);
  EXPECT_EQ(named_barriers(Kernel("bar.sync 0;").f), 1u);
  EXPECT_EQ(named_barriers(Kernel("bar.sync 0; bar.arrive 4, 64; barrier.sync 2;").f), 5u);
  EXPECT_EQ(named_barriers(Kernel("mov.u32 %r1, %tid.y; bar.sync %r1;").f), 16u);
  EXPECT_EQ(named_barriers(Kernel("bar.warp.sync -1;").f), 0u);
}

}  // namespace
}  // namespace drywarp::analysis
