// Loops whose end depends on what other threads write meanwhile.
#include <gtest/gtest.h>

#include <algorithm>

#include "ptx_kernel.h"

namespace drywarp::analysis {
namespace {

struct Found {
  size_t in_block = 0, in_grid = 0, loads = 0;
  bool atomics = false;
  size_t yielding = 0;
  bool operator==(const Found&) const = default;
};

// In `body`: %r0 = tid.x, %rd1 and %rd2 = the pointers p and q, `word` and `other` variables of shared memory.
Found racing(const std::string& body) {
  PtxKernel k(
      ".shared .b32 word[64], other[64];\n.visible .entry k(.param .u64 p, .param .u64 q) {\n",
      ".reg .pred %p<5>; .reg .b32 %r<20>; .reg .b64 %rd<9>;\nld.param.u64 %rd1, [p];\nld.param.u64 %rd2, [q];\n"
      "cvta.to.global.u64 %rd1, %rd1;\ncvta.to.global.u64 %rd2, %rd2;\nmov.u32 %r0, %tid.x;\n"
      "mov.u32 %r10, word;\nmov.u32 %r11, other;\nmov.u32 %r1, %r0;\n" +
          body);
  k.f = code_to_run(k.module, k.f);
  k.flow = control_flow(k.f);
  const Liveness live = liveness(k.f, k.flow);
  const RacingLoops found = racing_loops(k.module, k.f, k.flow, waiting_loops(k.module, k.f, k.flow, live));
  return {static_cast<size_t>(std::ranges::count(found.in_block, true)),
          static_cast<size_t>(std::ranges::count(found.in_grid, true)), found.loads.size(), found.atomics,
          found.yielding.size()};
}

const std::string kToRoot =
    "L: mad.lo.u32 %r2, %r1, 4, %r10;\nld.shared.u32 %r3, [%r2];\nsetp.eq.u32 %p1, %r3, %r1;\n@%p1 bra E;\n"
    "mov.u32 %r1, %r3;\nbra L;\nE:\n";

TEST(RacingLoops, ReadSharedMemoryThatOthersWriteMeanwhile) {
  EXPECT_EQ(racing(kToRoot + "st.shared.u32 [%r10+4], %r1;"), (Found{1, 0, 0, false}));
  EXPECT_EQ(racing(kToRoot + "atom.shared.min.u32 %r5, [%r10+4], %r1;"), (Found{1, 0, 0, false}));
}

TEST(RacingLoops, DoNotWhereABarrierComesBetween) {
  EXPECT_EQ(racing("st.shared.u32 [%r10+4], %r0;\nbar.sync 0;\n" + kToRoot), Found{});
  EXPECT_EQ(racing("st.shared.u32 [%r10+4], %r0;\nbar.sync 0;\n" + kToRoot + "bar.sync 0;\nst.shared.u32 [%r10], 1;"),
            Found{});
  EXPECT_EQ(racing("st.shared.u32 [%r11+4], %r0;\n" + kToRoot), Found{});  // another variable
}

// Warps that meet at a barrier in each iteration are together anyway.
TEST(RacingLoops, DoNotWithABarrierInEachIteration) {
  EXPECT_EQ(racing("L: ld.shared.u32 %r3, [%r10];\nadd.u32 %r4, %r3, 1;\nst.shared.u32 [%r10], %r4;\nbar.sync 0;\n"
                   "setp.lt.u32 %p1, %r3, 9;\n@%p1 bra L;"),
            Found{});
}

TEST(RacingLoops, ReadGlobalMemoryThatTheKernelWrites) {
  const std::string jump =
      "L: mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd1, %rd3;\nld.global%NC.u32 %r3, [%rd4];\nsetp.eq.u32 %p1, %r3, "
      "%r1;\n"
      "@%p1 bra E;\nmov.u32 %r1, %r3;\nbra L;\nE:\n";
  const auto with = [&](const std::string& suffix) {
    std::string text = jump;
    return text.replace(text.find("%NC"), 3, suffix);
  };
  EXPECT_EQ(racing(with("") + "st.global.u32 [%rd1], %r1;"), (Found{0, 1, 1, false}));
  EXPECT_EQ(racing(with("") + "st.global.u32 [%rd2], %r1;"), Found{});
  EXPECT_EQ(racing(with(".nc") + "st.global.u32 [%rd1], %r1;"), Found{});
  // The pointer is read by the parameter's address.
  const std::string by_address = "mov.b64 %rd5, q;\nmov.u64 %rd6, %rd5;\nld.param.u64 %rd7, [%rd6];\n";
  EXPECT_EQ(racing(by_address + with("") + "st.global.u32 [%rd7], %r1;"), Found{});
}

// A loop with an atomic inside a loop that divides, and code behind them that does or does not.
// ptxas 13 gave a YIELD to loops with an atomic that call a subroutine, or that a call follows.
// ptxas 13's YIELDs: in the inner loop, which has the atomic, and not in the one around it.
TEST(RacingLoops, YieldBeforeSubroutines) {
  const std::string divides = "div.u64 %rd3, %rd4, %rd5;\n";
  const auto loops = [&](const std::string& outer, const std::string& inner, const std::string& behind) {
    return racing("mov.u32 %r2, 0;\nL: " + outer + "mov.u32 %r3, 0;\nM: " + inner +
                  "red.shared.add.u32 [%r10], 1;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, %r0;\n@%p1 bra M;\n"
                  "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p2, %r2, %r0;\n@%p2 bra L;\n" +
                  behind)
        .yielding;
  };
  EXPECT_EQ(loops("", "", ""), 0u);
  EXPECT_EQ(loops(divides, "", ""), 0u);  // no call follows the inner one in an iteration
  EXPECT_EQ(loops(divides, "", divides), 1u);
  EXPECT_EQ(loops("", "", divides), 1u);
  EXPECT_EQ(loops("", "", "rem.u64 %rd3, %rd4, %rd5;\n"), 1u);
  EXPECT_EQ(loops("", divides, ""), 1u);
  EXPECT_EQ(loops("", "div.u64 %rd3, %rd4, 9;\n", ""), 0u);
}

TEST(RacingLoops, TryCompareAndSwap) {
  EXPECT_EQ(racing("ld.global.u32 %r2, [%rd1];\nL: add.u32 %r3, %r2, 1;\natom.global.cas.b32 %r4, [%rd1], %r2, %r3;\n"
                   "setp.ne.u32 %p1, %r4, %r2;\nmov.u32 %r2, %r4;\n@%p1 bra L;"),
            (Found{0, 1, 0, true, 1}));
}

// ptxas puts a YIELD into loops that end by what the program says that others write: a volatile load, one with an
// order, an atomic. A loop around them has one of its own.
TEST(RacingLoops, YieldIfTheProgramSaysThatOthersWrite) {
  const std::string volatile_load = "ld.volatile.shared", relaxed = "ld.relaxed.cta.shared";
  for (const std::string& load : {volatile_load, relaxed}) {
    std::string text = kToRoot;
    text.replace(text.find("ld.shared"), 9, load);
    EXPECT_EQ(racing(text + "st.shared.u32 [%r10+4], %r1;"), (Found{1, 0, 0, false, 1}));
  }
  EXPECT_EQ(racing("O: mov.u32 %r2, %r0;\nL: atom.shared.add.u32 %r3, [%r10], %r2;\nsetp.lt.u32 %p1, %r3, 9;\n"
                   "@%p1 bra L;\nsetp.lt.u32 %p2, %r3, 99;\n@%p2 bra O;"),
            (Found{2, 0, 0, false, 2}));
  // All lanes leave together.
  std::string voted = kToRoot;
  voted.replace(voted.find("ld.shared"), 9, volatile_load);
  voted.replace(voted.find("@%p1"), 4, "vote.sync.any.pred %p2, %p1, 0xffffffff;\n@%p2");
  EXPECT_EQ(racing(voted + "st.shared.u32 [%r10+4], %r1;"), (Found{1, 0, 0, false, 0}));
  // It counts, and tries twice in an iteration.
  const std::string once = "atom.shared.cas.b32 %r3, [%r10], 0, 7;\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra E;\n";
  const std::string count = "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p2, %r1, 64;\n@%p2 bra L;\nE:";
  EXPECT_EQ(racing("L: " + once + count), (Found{1, 0, 0, false, 1}));
  EXPECT_EQ(racing("L: " + once + once + count), (Found{1, 0, 0, false, 0}));
  // Its result decides nothing.
  EXPECT_EQ(
      racing("L: atom.shared.add.u32 %r3, [%r10], 1;\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 9;\n@%p1 bra L;"),
      Found{});
}

// What the loop reads decides nothing but what it writes.
TEST(RacingLoops, DoNotIfTheyCount) {
  EXPECT_EQ(racing("mov.u32 %r5, 0;\nL: ld.global.u32 %r2, [%rd1];\nadd.u32 %r2, %r2, 1;\nst.global.u32 [%rd1], %r2;\n"
                   "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, 9;\n@%p1 bra L;"),
            Found{});
}

// A branch of the loop decides whether it goes on, by a flag.
TEST(RacingLoops, EndByAFlag) {
  EXPECT_EQ(racing("L: mov.u32 %r5, 0;\nld.global.u32 %r2, [%rd1];\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra M;\n"
                   "mov.u32 %r5, 1;\nst.global.u32 [%rd1], %r0;\nM: setp.ne.u32 %p2, %r5, 0;\n@%p2 bra L;"),
            (Found{0, 1, 1, false}));
}

// Those that only wait are no such loops: see waiting_loops.
TEST(RacingLoops, DoNotIfTheyWait) {
  EXPECT_EQ(racing("st.volatile.shared.u32 [%r10], 1;\nL: ld.volatile.shared.u32 %r2, [%r10];\n"
                   "setp.eq.u32 %p1, %r2, 0;\n@%p1 bra L;"),
            Found{});
}

}  // namespace
}  // namespace drywarp::analysis
