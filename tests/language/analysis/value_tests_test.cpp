// Values that the code only compares, and what it asks.
#include "language/analysis/value_tests.h"

#include "ptx_kernel.h"

namespace drywarp::analysis {
namespace {

struct Tested : PtxKernel {
  explicit Tested(const std::string& body, const std::string& last = "\n@%p1 bra L;")
      : PtxKernel(".visible .entry k(.param .u64 p) {\n",
                  ".reg .pred %p<5>; .reg .b16 %rs<5>; .reg .b32 %r<20>; .reg .b64 %rd<9>;\nld.param.u64 %rd1, [p];\n"
                  "mov.u32 %r0, %tid.x;\n" +
                      body + last),
        tests(value_tests(f, flow)) {}
  [[nodiscard]] uint64_t answer(uint64_t value, uint64_t other = 0, uint64_t second = 0) const {
    EXPECT_EQ(tests.size(), 1U);
    return tests.empty() ? 0 : tests.begin()->second.test.answer(value, {other, second});
  }
  // Whether the first branch is taken, or one that leads there, too.
  [[nodiscard]] bool holds(uint64_t value, uint64_t other = 0, uint64_t second = 0) const {
    return answer(value, other, second) == 0;
  }
  std::map<uint32_t, TestedValue> tests;
};

TEST(ValueTests, OfACountByARegister) {
  const Tested k("L: ld.acquire.gpu.global.u32 %r1, [%rd1];\nsetp.lt.u32 %p1, %r1, %r0;");
  EXPECT_TRUE(k.holds(3, 4));
  EXPECT_FALSE(k.holds(4, 4));
  EXPECT_FALSE(k.holds(0x80000000, 4));
  // The other way around, and signed.
  const Tested s("L: ld.volatile.global.s32 %r1, [%rd1];\nsetp.gt.s32 %p1, %r0, %r1;");
  EXPECT_TRUE(s.holds(3, 4));
  EXPECT_FALSE(s.holds(4, 4));
  EXPECT_TRUE(s.holds(0x80000000, 4));
}

TEST(ValueTests, ThroughSteps) {
  const Tested bit(
      "L: ld.volatile.global.u32 %r1, [%rd1];\nxor.b32 %r2, %r1, %r0;\nand.b32 %r3, %r2, -2147483648;\n"
      "setp.eq.b32 %p1, %r3, 0;");
  EXPECT_TRUE(bit.holds(0x80000005, 0x80000001));
  EXPECT_FALSE(bit.holds(5, 0x80000001));
  const Tested byte("L: ld.volatile.global.s8 %rs1, [%rd1];\ncvt.s32.s16 %r1, %rs1;\nsetp.lt.s32 %p1, %r1, 0;");
  EXPECT_TRUE(byte.holds(0x80));
  EXPECT_FALSE(byte.holds(0x7f));
  const Tested gap("L: ld.relaxed.gpu.global.u32 %r1, [%rd1];\nsub.u32 %r2, %r0, %r1;\nsetp.ne.u32 %p1, %r2, 1;");
  EXPECT_FALSE(gap.holds(4, 5));
  EXPECT_TRUE(gap.holds(5, 4));
}

TEST(ValueTests, OfAnAtomicThatChangesNothing) {
  const Tested k("L: atom.global.add.u32 %r1, [%rd1], 0;\nsetp.ne.u32 %p1, %r1, 4;");
  EXPECT_TRUE(k.holds(3));
  EXPECT_FALSE(k.holds(4));
  EXPECT_TRUE(Tested("L: atom.global.add.u32 %r1, [%rd1], 1;\nsetp.ne.u32 %p1, %r1, 4;").tests.empty());
}

// `v == 1 || v == 4`: as the compilers branch, as predicates, and as bits of a mask.
TEST(ValueTests, OfTwoComparisons) {
  const std::string load = "L: ld.volatile.global.u32 %r1, [%rd1];\n";
  const Tested branches(load + "setp.eq.s32 %p1, %r1, 4;\n@%p1 bra E;\nsetp.ne.s32 %p2, %r1, 1;\n@%p2 bra L;", "\nE:");
  const Tested predicates(load + "setp.eq.s32 %p1, %r1, 4;\nsetp.eq.s32 %p2, %r1, 1;\nor.pred %p3, %p1, %p2;",
                          "\n@%p3 bra E;\nbra.uni L;\nE:");
  const Tested combined(load + "setp.eq.s32 %p1, %r1, 4;\nsetp.eq.or.s32 %p2, %r1, 1, %p1;",
                        "\n@%p2 bra E;\nbra L;\nE:");
  const Tested mask(load +
                        "setp.gt.u32 %p1, %r1, 9;\n@%p1 bra L;\nmov.u32 %r2, 1;\nshl.b32 %r3, %r2, %r1;\n"
                        "and.b32 %r4, %r3, 18;\nsetp.ne.s32 %p2, %r4, 0;\n@%p2 bra E;\nbra.uni L;",
                    "\nE:");
  for (const Tested* k : {&branches, &predicates, &combined, &mask}) {
    EXPECT_EQ(k->answer(1), k->answer(4));
    for (const uint64_t value : {0, 2, 3, 5, 100}) {
      EXPECT_EQ(k->answer(value), k->answer(0)) << value;
      EXPECT_NE(k->answer(value), k->answer(4)) << value;
    }
  }
}

TEST(ValueTests, OfARangeThatIsKnownAtRunTime) {
  const Tested k(
      "mov.u32 %r5, %ctaid.x;\nL: ld.volatile.global.u32 %r1, [%rd1];\nsetp.le.u32 %p2, %r1, %r0;\n"
      "setp.gt.u32 %p3, %r1, %r5;\nor.pred %p1, %p2, %p3;");
  EXPECT_TRUE(k.holds(3, 3, 5));
  EXPECT_FALSE(k.holds(4, 3, 5));
  EXPECT_FALSE(k.holds(5, 3, 5));
  EXPECT_TRUE(k.holds(6, 3, 5));
}

// Values that lead to different code are told apart.
TEST(ValueTests, OfThreeWays) {
  const Tested k(
      "L: ld.volatile.global.u32 %r1, [%rd1];\nsetp.eq.s32 %p1, %r1, 1;\n@%p1 bra E;\nsetp.ne.s32 %p2, %r1, 4;\n"
      "@%p2 bra L;\nst.global.u32 [%rd1+4], %r0;",
      "\nE:");
  EXPECT_NE(k.answer(1), k.answer(4));
  EXPECT_NE(k.answer(0), k.answer(4));
  EXPECT_EQ(k.answer(0), k.answer(7));
  // And by what a comparison decides besides.
  const Tested chosen(
      "L: ld.volatile.global.u32 %r1, [%rd1];\nsetp.eq.s32 %p1, %r1, 1;\nsetp.eq.s32 %p2, %r1, 4;\n"
      "selp.u32 %r2, 1, 0, %p2;\nst.global.u32 [%rd1+4], %r2;");
  EXPECT_NE(chosen.answer(0), chosen.answer(4));
  EXPECT_NE(chosen.answer(0), chosen.answer(1));
}

TEST(ValueTests, NotOfWhatIsLookedAtInOtherWays) {
  const std::string load = "L: ld.volatile.global.u32 %r1, [%rd1];\n";
  EXPECT_TRUE(Tested(load + "setp.eq.u32 %p1, %r1, 3;\nst.global.u32 [%rd1], %r1;").tests.empty());
  EXPECT_TRUE(Tested(load + "setp.eq.u32 %p1, %r1, 3;\nmul.lo.u32 %r2, %r1, 4;").tests.empty());
  EXPECT_TRUE(Tested(load + "add.u32 %r0, %r0, 1;\nsetp.eq.u32 %p1, %r1, %r0;").tests.empty());  // known later alone
  EXPECT_TRUE(Tested("L: ld.global.u32 %r1, [%rd1];\nsetp.eq.u32 %p1, %r1, 3;").tests.empty());
}

}  // namespace
}  // namespace drywarp::analysis
