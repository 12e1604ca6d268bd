// Values that the code looks at by one comparison alone, and what it asks.
#include "language/analysis/value_tests.h"

#include "ptx_kernel.h"

namespace drywarp::analysis {
namespace {

struct Tested : PtxKernel {
  explicit Tested(const std::string& body)
      : PtxKernel(".visible .entry k(.param .u64 p) {\n",
                  ".reg .pred %p<5>; .reg .b16 %rs<5>; .reg .b32 %r<20>; .reg .b64 %rd<9>;\nld.param.u64 %rd1, [p];\n"
                  "mov.u32 %r0, %tid.x;\n" +
                      body + "\n@%p1 bra L;"),
        tests(value_tests(f)) {}
  [[nodiscard]] bool holds(uint64_t value, uint64_t other = 0) const {
    EXPECT_EQ(tests.size(), 1U);
    return !tests.empty() && tests.begin()->second.test.holds(value, other);
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

TEST(ValueTests, NotOfWhatIsLookedAtInOtherWays) {
  const std::string load = "L: ld.volatile.global.u32 %r1, [%rd1];\n";
  EXPECT_TRUE(Tested(load + "setp.eq.u32 %p1, %r1, 3;\nst.global.u32 [%rd1], %r1;").tests.empty());
  EXPECT_TRUE(Tested(load + "setp.eq.u32 %p1, %r1, 3;\nsetp.eq.u32 %p2, %r1, 4;").tests.empty());
  EXPECT_TRUE(Tested(load + "add.u32 %r0, %r0, 1;\nsetp.eq.u32 %p1, %r1, %r0;").tests.empty());  // known later alone
  EXPECT_TRUE(Tested("L: ld.global.u32 %r1, [%rd1];\nsetp.eq.u32 %p1, %r1, 3;").tests.empty());
}

}  // namespace
}  // namespace drywarp::analysis
