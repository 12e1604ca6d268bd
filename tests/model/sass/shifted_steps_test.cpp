// Shifted values to which a literal is added.
#include <gtest/gtest.h>

#include "kernels.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

machine::MachineKernel stored(const std::string& body, const std::string& results = "") {
  return lowered(kernel(body + "st.global.b32 [%rd1], %r6;" + results));
}
size_t shifts(const machine::MachineKernel& k) { return count(k, Shf) + count(k, Imad); }
size_t sums(const machine::MachineKernel& k) { return count(k, Iadd3) + count(k, Viadd); }

// As ptxas 13: IMAD R, R, 193, 193 * -512.
TEST(ShiftedSteps, AProductAddsTheLiteralOfItsFactor) {
  const std::string scaled = "add.s32 %r5, %r2, -512; mul.lo.s32 %r6, %r5, 193; mul.lo.s32 %r7, %r5, 2392;";
  const auto k = stored(scaled, "st.global.b32 [%rd1+4], %r7;");
  EXPECT_EQ(sums(k), 0u);
  EXPECT_EQ(count(k, Imad), 2u);
  EXPECT_EQ(sums(stored(scaled, "st.global.b32 [%rd1+4], %r7; st.global.b32 [%rd1+8], %r5;")), 1u);
}

// As ptxas 13: SHF.L.W and SHF.R.W.
TEST(ShiftedSteps, AShiftWrapsItsDistance) {
  const auto masks = [](const std::string& body) { return count(stored(body), Lop3); };
  for (const std::string shift : {"shl.b32", "shr.u32"})
    EXPECT_EQ(masks("and.b32 %r5, %r2, 31; " + shift + " %r6, %r1, %r5;"), 0u) << shift;
  EXPECT_EQ(masks("and.b32 %r5, %r2, 15; shl.b32 %r6, %r1, %r5;"), 1u);
  EXPECT_EQ(masks("and.b32 %r5, %r2, 31; shl.b32 %r7, %r1, %r5; add.s32 %r6, %r7, %r5;"), 1u);
  EXPECT_EQ(masks("and.b32 %r5, %r2, 31; shl.b64 %rd2, %rd1, %r5; cvt.u32.u64 %r6, %rd2;"), 1u);
}

TEST(ShiftedSteps, ALiteralIsAddedByLea) {
  for (const std::string shift : {"shl.b32 %r5, %r2, 4;", "shr.s32 %r5, %r2, 3;", "shr.u32 %r5, %r2, 3;"}) {
    const auto k = stored(shift + "add.s32 %r6, %r5, -1;");
    EXPECT_EQ(count(k, Lea), 1u) << shift;
    EXPECT_EQ(shifts(k) + sums(k), 0u) << shift;
  }
}

TEST(ShiftedSteps, LowBitsAreSetByLea) {
  EXPECT_EQ(count(stored("shl.b32 %r5, %r2, 2; or.b32 %r6, %r5, 3;"), Lea), 1u);
  EXPECT_EQ(count(stored("shl.b32 %r5, %r2, 2; or.b32 %r6, %r5, 4;"), Lea), 0u);
}

TEST(ShiftedSteps, OtherUsesThatAddBecomeLeasToo) {
  const auto k =
      stored("shl.b32 %r5, %r2, 4; add.s32 %r6, %r5, -1; add.s32 %r7, %r5, %r1;", "st.global.b32 [%rd1+8], %r7;");
  EXPECT_EQ(count(k, Lea), 2u);
  EXPECT_EQ(shifts(k) + sums(k), 0u);
}

TEST(ShiftedSteps, TwoLiteralsOrAnotherUseLeaveTheShift) {
  const auto two =
      stored("shl.b32 %r5, %r2, 4; add.s32 %r6, %r5, 64; add.s32 %r7, %r5, 128;", "st.global.b32 [%rd1+8], %r7;");
  EXPECT_EQ(count(two, Lea), 0u);
  const auto other = stored("shl.b32 %r5, %r2, 4; add.s32 %r6, %r5, 64;", "st.global.b32 [%rd1+8], %r5;");
  EXPECT_EQ(count(other, Lea), 0u);
}

TEST(ShiftedSteps, TheOffsetOfAnAddressStaysApart) {
  const std::string tile = ".shared .align 16 .b8 tile[4096];\n";
  const auto k =
      lowered(kernel("shl.b32 %r5, %r2, 4; mov.u32 %r4, tile; add.s32 %r5, %r5, %r4; add.s32 %r5, %r5, 64; "
                     "ld.shared.b32 %r6, [%r5]; st.global.b32 [%rd1], %r6;",
                     tile));
  EXPECT_EQ(sums(k), 0u);  // [base + 64]
}

}  // namespace
}  // namespace drywarp::sass
