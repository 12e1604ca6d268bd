#include <fmt/format.h>

#include "checked.h"

namespace drywarp::check {
namespace {

Lines found(const std::string& body) {
  const auto findings = find(CheckTool::Synccheck, body);
  EXPECT_EQ(find(CheckTool::Synccheck, body, "", 3), findings) << "on three threads";
  return summary(findings);
}

TEST(SyncCheck, FindsNothingInSoundCode) {
  EXPECT_EQ(
      found("bar.sync 0;\nbar.warp.sync 0xffffffff;\nshfl.sync.idx.b32 %r4, %r0, 0, 31, 0xffffffff;\nbar.sync 0;"),
      Lines());
  // A tile of 16 lanes; half a warp that names itself alone; ended lanes at a __syncwarp().
  EXPECT_EQ(found("and.b32 %r4, %r0, 16; mov.u32 %r5, 0xffff; shl.b32 %r5, %r5, %r4;\n"
                  "vote.sync.ballot.b32 %r6, %p1, %r5;"),
            Lines());
  EXPECT_EQ(found("and.b32 %r4, %r0, 31; setp.ge.u32 %p1, %r4, 16;\n@%p1 bra END;\n"
                  "bar.warp.sync 0xffff;\nvote.sync.ballot.b32 %r6, %p1, 0xffff;\nEND:"),
            Lines());
  EXPECT_EQ(found("and.b32 %r4, %r0, 31; setp.ge.u32 %p1, %r4, 16;\n@%p1 exit;\nbar.warp.sync 0xffffffff;"), Lines());
}

TEST(SyncCheck, FindsABarrierThatLanesMiss) {
  const std::string body =
      "setp.lt.u32 %p1, %r0, 8;\n@%p1 bra WAIT;\nst.global.u32 [%rd1], %r0;\nbra END;\nWAIT: bar.sync 0;\nEND:";
  EXPECT_EQ(found(body), (Lines{"divergent-barrier x2 @ bar.sync 0;"}));
  EXPECT_EQ(find(CheckTool::Synccheck, body)[0].what,
            "of warp 0 of block (0,0,0), 8 lanes wait at it and 24 run on and end without it: CUDA leaves that "
            "undefined; ended threads count as arrived, as on a GPU");
}

TEST(SyncCheck, FindsABarrierThatWarpsSkip) {
  EXPECT_EQ(found("setp.lt.u32 %p1, %r0, 32;\n@%p1 bra WAIT;\nst.global.u32 [%rd1], %r0;\nbra END;\n"
                  "WAIT: bar.sync 0;\nEND:"),
            (Lines{"skipped-barrier x2 @ bar.sync 0;"}));
}

TEST(SyncCheck, TellsThreadsThatSkipABarrierAndEndAtOnceFromAGuard) {
  const auto barrier = [](const std::string& condition) { return condition + "@%p1 bra END;\nbar.sync 0;\nEND:"; };
  EXPECT_EQ(found(barrier("setp.ge.u32 %p1, %r0, 32;\n")), (Lines{"left-barrier x2 @ bar.sync 0;"}));
  EXPECT_EQ(found(barrier("setp.ge.u32 %p1, %r0, 8;\n")), (Lines{"divergent-barrier x2 @ bar.sync 0;"}));
  EXPECT_EQ(find(CheckTool::Synccheck, barrier("setp.ge.u32 %p1, %r0, 8;\n"))[0].what,
            "of warp 0 of block (0,0,0), 8 lanes wait at it and 24 run on and end without it: CUDA leaves that "
            "undefined; ended threads count as arrived, as on a GPU");
  EXPECT_EQ(found(barrier("setp.ge.u32 %p1, %r0, 64;\n")), Lines()) << "all threads wait";
  // The number of the block or data decide: the guard ends threads of the first block.
  EXPECT_EQ(found(barrier("mov.u32 %r4, %ctaid.x; shl.b32 %r4, %r4, 6; add.u32 %r4, %r4, %r0;\n"
                          "setp.ge.u32 %p1, %r4, 32;\n")),
            (Lines{"ended-before-barrier x1 @ bar.sync 0;"}));
  // Behind such a guard, which all pass.
  EXPECT_EQ(found("ld.param.u64 %rd6, [in]; setp.eq.u64 %p2, %rd6, 0;\n@%p2 bra END;\n"
                  "st.global.u32 [%rd1], %r0;\n" +
                  barrier("setp.ge.u32 %p1, %r0, 32;\n")),
            (Lines{"left-barrier x2 @ bar.sync 0;"}));
}

TEST(SyncCheck, FindsLanesOutsideTheirMask) {
  const std::string body = "vote.sync.ballot.b32 %r6, %p1, 0xffff;";
  EXPECT_EQ(found(body), (Lines{"extra-lanes x4 @ vote.sync.ballot.b32 %r6, %p1, 0xffff;"}));
  const Finding first = find(CheckTool::Synccheck, body)[0];
  EXPECT_EQ(first.thread, (ThreadPlace{{0, 0, 0}, {16, 0, 0}}));
  EXPECT_EQ(first.what,
            "lanes 0xffffffff of warp 0 execute it, and their mask 0x0000ffff does not name lanes 0xffff0000");
}

TEST(SyncCheck, FindsMasksThatDiffer) {
  EXPECT_EQ(found("setp.lt.u32 %p1, %r0, 1; selp.b32 %r4, 0xffffffff, 0xfffffffe, %p1;\n"
                  "and.b32 %r5, %r0, 31; setp.eq.u32 %p2, %r5, 0; selp.b32 %r4, 0xffffffff, 0xfffffffe, %p2;\n"
                  "bar.warp.sync %r4;"),
            (Lines{"different-masks x4 @ bar.warp.sync %r4;"}));
}

TEST(SyncCheck, FindsEndedMembersOfAnExchange) {
  EXPECT_EQ(found("and.b32 %r4, %r0, 31; setp.ge.u32 %p1, %r4, 24;\n@%p1 exit;\n"
                  "shfl.sync.down.b32 %r4, %r0, 16, 31, 0xffffffff;"),
            (Lines{"ended-lanes x4 @ shfl.sync.down.b32 %r4, %r0, 16, 31, 0xffffffff;"}));
}

// Lanes 0 to 15 take the branch.
const std::string kHalf = "and.b32 %r4, %r0, 31; setp.ge.u32 %p1, %r4, 16;\n@%p1 bra END;\n";

TEST(SyncCheck, FindsMasksOfWhicheverLanesAreConverged) {
  const std::string shuffle = "activemask.b32 %r5;\nshfl.sync.bfly.b32 %r6, %r0, 1, 31, %r5;\n";
  EXPECT_EQ(found(kHalf + shuffle + "END:"), (Lines{"active-mask x4 @ shfl.sync.bfly.b32 %r6, %r0, 1, 31, %r5;"}));
  EXPECT_EQ(find(CheckTool::Synccheck, kHalf + shuffle + "END:")[0].what,
            "the mask 0x0000ffff of warp 0 is what __activemask() gave, without lanes 0xffff0000, and nothing looks at "
            "which lanes it names: a GPU may give fewer than take the branch. __ballot_sync() before the branch names "
            "those that do");
  // Through a copy, and at a __syncwarp().
  EXPECT_EQ(found(kHalf + "activemask.b32 %r7;\nmov.u32 %r5, %r7;\nbar.warp.sync %r5;\nEND:"),
            (Lines{"active-mask x4 @ bar.warp.sync %r5;"}));
  // The whole warp is there, or all of it that has not ended.
  EXPECT_EQ(found(shuffle), Lines());
  EXPECT_EQ(found("and.b32 %r4, %r0, 31; setp.ge.u32 %p1, %r4, 16;\n@%p1 exit;\n" + shuffle), Lines());
}

TEST(SyncCheck, LetsCodeTakeWhicheverLanesAreConverged) {
  // It looks at who takes part: a leader, as aggregated atomics choose one.
  EXPECT_EQ(found(kHalf + "activemask.b32 %r5;\nbrev.b32 %r6, %r5; clz.b32 %r6, %r6;\n"
                          "shfl.sync.idx.b32 %r6, %r0, %r6, 31, %r5;\nEND:"),
            Lines());
  // Votes and matches answer for whoever is there; a mask of the program's own names who must be.
  EXPECT_EQ(found(kHalf + "activemask.b32 %r5;\nvote.sync.any.pred %p2, %p1, %r5;\n"
                          "match.any.sync.b32 %r6, %r4, %r5;\nshfl.sync.idx.b32 %r6, %r0, 0, 31, 0xffff;\nEND:"),
            Lines());
}

TEST(SyncCheck, FindsWarpsAtDifferentBarriers) {
  exec::EngineOptions options;
  options.divergent_barriers = true;
  exec::Machine machine(exec::kernel("setp.lt.u32 %p1, %r0, 32;\n@%p1 bra LOW;\nbar.sync 0;\nbra END;\n"
                                     "LOW: bar.sync 0;\nEND:"),
                        options);
  const uint64_t out = machine.words(256);
  const Checked checked = run_checked(CheckTool::Synccheck, machine, {2}, {64}, {out, out});
  EXPECT_FALSE(checked.ran.fault);
  EXPECT_EQ(summary(checked.findings), (Lines{"different-barriers x2 @ bar.sync 0;"}));
}

}  // namespace
}  // namespace drywarp::check
