// Selections whose value is computed under their predicate.
#include <gmock/gmock.h>

#include "kernels.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

// %r6, %r7 and %f6: loaded values. %r9 is stored.
machine::MachineKernel with_words(const std::string& body) {
  return lowered(kernel("ld.global.u32 %r6, [%rd1]; ld.global.u32 %r7, [%rd1+4]; ld.global.f32 %f6, [%rd1+8];\n" +
                        body + "\nst.global.u32 [%rd1], %r9;"));
}
size_t everywhere(const machine::MachineKernel& k, machine::Operation op) {
  size_t n = 0;
  for (const auto& block : k.blocks)
    for (const auto& m : block.instructions) n += m.op == op;
  return n;
}
size_t guarded(const machine::MachineKernel& k, machine::Operation op) {
  size_t n = 0;
  for (const auto& block : k.blocks)
    for (const auto& m : block.instructions) n += m.op == op && m.guard;
  return n;
}

// As ptxas 13: @P0 IADD3 in the register of the value that the selection takes otherwise.
TEST(Selects, WhatOnlyASelectionTakesIsPredicated) {
  const auto k = with_words(
      "add.s32 %r8, %r6, %r7; setp.gt.u32 %p1, %r8, 1000; add.s32 %r10, %r8, -1000; selp.b32 %r9, %r10, %r8, %p1;");
  EXPECT_EQ(count(k, Sel), 0u);
  EXPECT_EQ(guarded(k, Iadd3) + guarded(k, Viadd), 1u);
  EXPECT_EQ(count(k, Mov) + count(k, ImadMov), 0u);
}

TEST(Selects, OfFloatingPointValuesToo) {
  const auto k = with_words(
      "setp.gt.f32 %p1, %f6, 0f00000000; mul.f32 %f7, %f6, 0f3c23d70a; selp.f32 %f8, %f6, %f7, %p1;"
      "mov.b32 %r9, %f8;");
  EXPECT_EQ(count(k, Fsel), 0u);
  EXPECT_EQ(guarded(k, Fmul), 1u);
}

// A value with another use, and one that lives on beside the selected one.
TEST(Selects, ValuesInUseElsewhereAreSelected) {
  const auto both = with_words(
      "setp.gt.s32 %p1, %r6, 3; add.s32 %r8, %r6, %r7; selp.b32 %r10, %r8, %r7, %p1; xor.b32 %r9, %r10, %r8;");
  EXPECT_EQ(count(both, Sel), 1u);
  const auto lives = with_words(
      "setp.gt.s32 %p1, %r6, 3; add.s32 %r8, %r6, %r7; selp.b32 %r10, %r8, %r7, %p1; xor.b32 %r9, %r10, %r7;");
  EXPECT_EQ(count(lives, Sel), 1u);
}

// As ptxas 13 in 40 of 40 cases of a comparison (< <= > >=) that a selection of its operands alone needs: VIMNMX.
TEST(Selects, TheLesserOfTwoIsAMinimum) {
  const auto lesser = with_words("setp.lt.s32 %p1, %r6, %r7; selp.b32 %r9, %r6, %r7, %p1;");
  EXPECT_EQ(count(lesser, Imnmx), 1u);
  EXPECT_EQ(count(lesser, Sel) + count(lesser, Isetp), 0u);
  EXPECT_EQ(count(with_words("setp.ge.u32 %p1, %r6, %r7; selp.b32 %r9, %r7, %r6, %p1;"), Imnmx), 1u);
  const auto twice = with_words(
      "setp.lt.s32 %p1, %r6, %r7; selp.b32 %r10, %r6, %r7, %p1; selp.b32 %r11, 3, %r7, %p1; xor.b32 %r9, %r10, %r11;");
  EXPECT_EQ(count(twice, Imnmx), 0u);
}

TEST(Selects, ConstantsAreSelected) {
  const auto k = with_words("setp.gt.s32 %p1, %r6, 3; selp.b32 %r9, 7, %r7, %p1;");
  EXPECT_EQ(count(k, Sel), 1u);
}

TEST(Selects, OfSelectionsToo) {
  const auto k = with_words(
      "setp.gt.s32 %p1, %r6, 3; setp.gt.s32 %p2, %r7, 5; setp.gt.s32 %p3, %r6, %r7; selp.b32 %r8, -1, 0, %p1;"
      "selp.b32 %r10, -1, 0, %p2; selp.b32 %r9, %r8, %r10, %p3;");
  EXPECT_EQ(count(k, Sel), 2u);
  EXPECT_EQ(guarded(k, Sel), 1u);
}

// As ptxas 13's `@!P0 VIADD R7, R9, 1` for the lower end of a binary search. The other end's new value has more uses.
TEST(Selects, ALoopChangesItsValueUnderAPredicate) {
  const auto k = with_words(
      "mov.u32 %r9, 0; L: shr.u32 %r10, %r7, 1; setp.lt.s32 %p1, %r10, %r6; add.s32 %r11, %r10, 1;"
      "selp.b32 %r9, %r11, %r9, %p1; selp.b32 %r7, %r7, %r10, %p1; setp.lt.s32 %p2, %r9, %r7; @%p2 bra L;");
  EXPECT_EQ(everywhere(k, Sel), 1u);
  EXPECT_EQ(guarded(k, Iadd3) + guarded(k, Viadd), 1u);
}

// As ptxas 13.
machine::MachineKernel chosen(const std::string& body) {
  return lowered(kernel("ld.global.b32 %r6, [%rd1]; ld.global.b32 %r7, [%rd1+8]; setp.lt.s32 %p1, %r6, %r1; " + body));
}

TEST(Selects, OfLiteralsAreShiftedThemselves) {
  for (const std::string scaled :
       {"selp.b32 %r8, 1, 0, %p1; shl.b32 %r9, %r8, 4;", "selp.u16 %rs1, 0, 1, %p1; mul.wide.u16 %r9, %rs1, 16;"}) {
    const auto k = chosen(scaled + "or.b32 %r10, %r9, %r7; st.global.b32 [%rd1], %r10;");
    EXPECT_EQ(count(k, Sel), 1u) << scaled;
    EXPECT_EQ(count(k, Shf) + count(k, Imad), 0u) << scaled;
  }
  const auto two = chosen(
      "selp.b32 %r8, 1, 0, %p1; shl.b32 %r9, %r8, 4; or.b32 %r10, %r9, %r7; add.s32 %r11, %r8, %r7; "
      "st.global.b32 [%rd1], %r10; st.global.b32 [%rd1+4], %r11;");
  EXPECT_EQ(count(two, Sel), 1u);
  EXPECT_EQ(guarded(two, Mov) + guarded(two, ImadMov), 1u);  // a step, by the selected literal as it is
}

TEST(Selects, OfLiteralsAreNoPartOfSumsOfThree) {
  const auto k = chosen(
      "setp.gt.s32 %p2, %r7, 5; ld.global.b32 %r8, [%rd1+16]; selp.b32 %r9, 1, 0, %p1; "
      "add.s32 %r10, %r8, %r9; selp.b32 %r11, 1, 0, %p2; add.s32 %r12, %r10, %r11; "
      "st.global.b32 [%rd1], %r12;");
  EXPECT_EQ(guarded(k, Mov) + guarded(k, ImadMov), 2u);
  EXPECT_EQ(count(k, Iadd3) + count(k, Viadd), 2u);
}

TEST(Selects, OfSmallLiteralsHaveNoUpperWord) {
  const auto k = chosen(
      "ld.global.b64 %rd2, [%rd1+16]; selp.b64 %rd3, 1, 0, %p1; or.b64 %rd4, %rd2, %rd3; "
      "st.global.b64 [%rd1], %rd4;");
  EXPECT_EQ(count(k, Sel), 1u);
  EXPECT_EQ(count(k, Lop3), 1u);
}

TEST(Selects, WhatFitsBelowAShiftIsAdded) {
  const std::string bytes = "ld.global.u8 %r8, [%rd1]; ld.global.u8 %r9, [%rd1+1]; ld.global.u8 %r10, [%rd1+2]; ";
  const auto k = chosen(bytes +
                        "shl.b32 %r11, %r9, 8; or.b32 %r12, %r11, %r8; shl.b32 %r13, %r10, 16; "
                        "or.b32 %r14, %r12, %r13; st.global.b32 [%rd1], %r14;");
  EXPECT_EQ(count(k, Lea), 2u);
  EXPECT_EQ(count(k, Lop3) + count(k, Shf) + count(k, Imad), 0u);
  const auto overlap = chosen(bytes + "shl.b32 %r11, %r9, 7; or.b32 %r12, %r11, %r8; st.global.b32 [%rd1], %r12;");
  EXPECT_EQ(count(overlap, Lea), 0u);
}

// The comparisons of cuda_fp16.h: 0 or 1, compared with 0. ptxas 13 branches by HSETP2's predicate.
TEST(Selects, ANumberThatAPredicateChoseIsThePredicate) {
  const auto k =
      lowered(kernel("ld.global.u16 %rs1, [%rd1]; ld.global.u16 %rs2, [%rd1+2]; ld.global.u32 %r3, [%rd1+4];\n"
                     "setp.gt.f16 %p1, %rs1, %rs2; selp.u16 %rs3, 1, 0, %p1; setp.eq.s16 %p2, %rs3, 0;\n"
                     "selp.b32 %r4, %r3, 7, %p2; st.global.u32 [%rd1+8], %r4;"));
  EXPECT_EQ(count(k, Hsetp2), 1u);
  EXPECT_EQ(count(k, Sel), 1u);
  EXPECT_EQ(count(k, Isetp), 0u);
}

// Bits of 64-bit words: each LOP3 tests its word, the second beside the first one's predicate.
TEST(Selects, LogicOf64BitsTestsZero) {
  const auto k =
      lowered(kernel("ld.global.u64 %rd2, [%rd1]; ld.global.u64 %rd3, [%rd1+8]; and.b64 %rd4, %rd2, %rd3;\n"
                     "setp.ne.s64 %p1, %rd4, 0; selp.b32 %r4, %r1, 7, %p1; st.global.u32 [%rd1+8], %r4;"));
  EXPECT_EQ(count(k, Lop3), 2u);
  EXPECT_EQ(count(k, Isetp), 0u);
}

// As ptxas 13: @P0 PRMT R6, R8, 0x7610, R6.
TEST(Selects, OfPairsOfHalvesToo) {
  const auto k = with_words(
      "setp.gt.s32 %p1, %r7, 3; mov.b32 {%rs1, %rs2}, %r6; mov.b32 {%rs3, %rs4}, %r7; mov.b32 %r8, {%rs3, %rs2};"
      "selp.b32 %r9, %r8, %r6, %p1;");
  EXPECT_EQ(count(k, Sel), 0u);
  EXPECT_EQ(guarded(k, Prmt), 1u);
}

// As ptxas 13: VIADD R9, R6, 1; @P0 MOV R9, R6.
TEST(Selects, ASelectedStepIsPredicated) {
  const std::string chosen = "setp.eq.s32 %p1, %r6, %r7;";
  for (const std::string literals : {"1, 0", "-1, 0", "0, 7"}) {
    const auto k = with_words(chosen + "selp.b32 %r8, " + literals + ", %p1; add.s32 %r9, %r6, %r8;");
    EXPECT_EQ(count(k, Sel), 0u) << literals;
    EXPECT_EQ(guarded(k, Mov) + guarded(k, ImadMov), 1u) << literals;
    EXPECT_EQ(count(k, Iadd3) + count(k, Viadd), 1u) << literals;
  }
  const auto used = with_words(chosen + "selp.b32 %r8, 1, 0, %p1; add.s32 %r10, %r6, %r8; xor.b32 %r9, %r10, %r8;");
  EXPECT_EQ(count(used, Sel), 1u);
}

// The counter is read beside its sum: one more move.
TEST(Selects, ASelectedStepOfACounterMoves) {
  const auto k = with_words(
      "mov.u32 %r9, 0; mov.u32 %r5, 0; L: ld.global.u32 %r8, [%rd1]; setp.eq.s32 %p1, %r8, %r7;"
      "selp.b32 %r10, 1, 0, %p1; add.s32 %r9, %r9, %r10; st.global.u32 [%rd1], %r8; ld.global.u32 %r11, [%rd1+8];"
      "setp.ne.s32 %p2, %r11, 0; @%p2 bra L;");
  for (const auto& block : k.blocks) {
    if (block.path.size() != 1 || block.path[0].block != 1) continue;
    EXPECT_EQ(std::ranges::count_if(block.instructions, [](const auto& m) { return m.op == Mov || m.op == ImadMov; }),
              2);
  }
  EXPECT_EQ(everywhere(k, Sel), 0u);
}

}  // namespace
}  // namespace drywarp::sass
