// Integers of 64 bits: what is known to fit in a word, sums of three, rotations.
#include <gmock/gmock.h>

#include "kernels.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

// %rd5 to %rd7: three loaded values of 64 bits; %r6 and %r7: of 32. %rd8 is stored.
machine::MachineKernel with_values(const std::string& body) {
  return lowered(
      kernel("ld.global.u64 %rd5, [%rd1]; ld.global.u64 %rd6, [%rd1+8]; ld.global.u64 %rd7, [%rd1+16]; "
             "ld.global.u32 %r6, [%rd1+24]; ld.global.u32 %r7, [%rd1+28];\n" +
             body + "\nst.global.u64 [%rd1], %rd8;"));
}
size_t multiplications(const machine::MachineKernel& k) { return count(k, ImadWide) + count(k, Imad); }

// As ptxas 13: one IMAD.WIDE.U32 where both upper words are zero, an IMAD more where one is, two where none is.
TEST(WideIntegers, ProductsOfWhatFitsInAWordAreOneInstruction) {
  const size_t without = multiplications(with_values("add.s64 %rd8, %rd5, %rd6;"));
  const auto more = [&](const std::string& body) { return multiplications(with_values(body)) - without; };
  EXPECT_EQ(more("cvt.u64.u32 %rd9, %r6; cvt.u64.u32 %rd10, %r7; mul.lo.s64 %rd8, %rd9, %rd10;"), 1u);
  EXPECT_EQ(more("shr.u64 %rd9, %rd5, 32; and.b64 %rd10, %rd6, 4294967295; mul.lo.s64 %rd8, %rd9, %rd10;"), 1u);
  EXPECT_EQ(more("cvt.u64.u32 %rd9, %r6; mul.lo.s64 %rd8, %rd9, %rd5;"), 2u);
  EXPECT_EQ(more("mul.lo.s64 %rd8, %rd5, %rd6;"), 3u);
  EXPECT_EQ(more("cvt.s64.s32 %rd9, %r6; cvt.s64.s32 %rd10, %r7; mul.lo.s64 %rd8, %rd9, %rd10;"), 3u);
}

// As ptxas 13: an upper word that is zero takes no instruction and no register.
TEST(WideIntegers, WhatFitsInAWordIsChangedByOneInstruction) {
  const std::string words = "cvt.u64.u32 %rd9, %r6; cvt.u64.u32 %rd10, %r7;";
  EXPECT_EQ(count(with_values(words + "or.b64 %rd8, %rd9, 160;"), Lop3), 1u);
  EXPECT_EQ(count(with_values(words + "xor.b64 %rd8, %rd9, %rd10;"), Lop3), 1u);
  EXPECT_EQ(count(with_values(words + "and.b64 %rd8, %rd9, %rd5;"), Lop3), 1u);
  EXPECT_EQ(count(with_values("and.b64 %rd8, %rd6, %rd5;"), Lop3), 2u);
  EXPECT_EQ(count(with_values(words + "shr.u64 %rd8, %rd9, 3;"), Shf), 1u);
  EXPECT_EQ(count(with_values(words + "shr.u64 %rd8, %rd9, %r7;"), Shf), 1u);
  EXPECT_EQ(count(with_values(words + "min.u64 %rd8, %rd9, %rd10;"), Sel), 1u);
  EXPECT_EQ(count(with_values(words + "min.u64 %rd8, %rd9, %rd5;"), Sel), 2u);
  EXPECT_EQ(count(with_values(words + "setp.lt.s64 %p1, %rd5, %rd6; selp.b64 %rd8, %rd9, %rd10, %p1;"), Sel), 1u);
}

TEST(WideIntegers, TheLowWordNeedsNoMask) {
  EXPECT_EQ(count(with_values("and.b64 %rd9, %rd5, 4294967295; add.s64 %rd8, %rd9, %rd6;"), Lop3), 0u);
  EXPECT_EQ(count(with_values("and.b64 %rd9, %rd5, 4294967167; add.s64 %rd8, %rd9, %rd6;"), Lop3), 1u);
}

TEST(WideIntegers, TwoLowWordsSideBySideAreNoInstruction) {
  const auto k = with_values("bfi.b64 %rd8, %rd5, %rd6, 32, 32;");
  EXPECT_EQ(count(k, Shf) + count(k, Lop3), 0u);
}

TEST(WideIntegers, SumsOfThreeAreTwoInstructions) {
  const size_t two = count(with_values("add.s64 %rd8, %rd5, %rd6;"), Iadd3);
  EXPECT_EQ(count(with_values("add.s64 %rd9, %rd5, %rd6; add.s64 %rd8, %rd9, %rd7;"), Iadd3), two);
  // An immediate may become an address's offset.
  EXPECT_EQ(count(with_values("add.s64 %rd9, %rd5, %rd6; add.s64 %rd8, %rd9, 3;"), Iadd3), two + 2);
}

TEST(WideIntegers, ALowWordShiftedByARegisterIsOneFunnelShift) {
  EXPECT_EQ(count(with_values("shr.u64 %rd9, %rd5, %r6; and.b64 %rd8, %rd9, 1;"), Shf), 1u);
  EXPECT_EQ(count(with_values("shr.u64 %rd8, %rd5, %r6;"), Shf), 2u);
  // Of a distance, one word counts.
  const size_t one = count(with_values("shr.u64 %rd8, %rd5, %r6; add.s32 %r6, %r6, %r7;"), Iadd3);
  EXPECT_EQ(count(with_values("add.s64 %rd9, %rd6, %rd7; cvt.u32.u64 %r8, %rd9; shr.u64 %rd8, %rd5, %r8;"), Iadd3),
            one + 1);
}

TEST(WideIntegers, RotationsAreTwoFunnelShifts) {
  for (const char* join : {"add.s64", "or.b64", "xor.b64"}) {
    const auto k =
        with_values(std::string("shl.b64 %rd9, %rd5, 40; shr.u64 %rd10, %rd5, 24; ") + join + " %rd8, %rd9, %rd10;");
    EXPECT_EQ(count(k, Shf), 2u) << join;
    EXPECT_EQ(count(k, Lop3) + count(k, Iadd3), 0u) << join;
  }
  // Not all bits, another value, or a sign.
  for (const char* ends :
       {"shl.b64 %rd9, %rd5, 40; shr.u64 %rd10, %rd5, 23;", "shl.b64 %rd9, %rd5, 40; shr.u64 %rd10, %rd6, 24;",
        "shl.b64 %rd9, %rd5, 40; shr.s64 %rd10, %rd5, 24;"})
    EXPECT_GT(count(with_values(std::string(ends) + " or.b64 %rd8, %rd9, %rd10;"), Lop3), 0u) << ends;
}

TEST(WideIntegers, WordsThatChangePlacesAreNoInstruction) {
  const auto alone = with_values("mov.b64 %rd8, %rd5;");
  const auto same = [&](const std::string& body) {
    const auto k = with_values(body);
    return count(k, Shf) == count(alone, Shf) && count(k, Lop3) == count(alone, Lop3) &&
           count(k, Iadd3) == count(alone, Iadd3) && count(k, ImadMov) + count(k, Mov) == 0;
  };
  EXPECT_TRUE(same("shl.b64 %rd9, %rd5, 32; shr.u64 %rd10, %rd5, 32; or.b64 %rd8, %rd9, %rd10;"));
  EXPECT_TRUE(same("shl.b64 %rd9, %rd5, 32; shr.u64 %rd10, %rd6, 32; or.b64 %rd8, %rd9, %rd10;"));
  EXPECT_FALSE(same("shl.b64 %rd9, %rd5, 31; shr.u64 %rd10, %rd6, 32; or.b64 %rd8, %rd9, %rd10;"));
}

// x ^ x >> 33, and masks that leave a word alone.
TEST(WideIntegers, LogicChangesOneWordWhereTheOtherStays) {
  EXPECT_EQ(count(with_values("shr.u64 %rd9, %rd5, 33; xor.b64 %rd8, %rd5, %rd9;"), Lop3), 1u);
  EXPECT_EQ(count(with_values("shr.u64 %rd9, %rd5, 31; xor.b64 %rd8, %rd5, %rd9;"), Lop3), 2u);
  EXPECT_EQ(count(with_values("shl.b64 %rd9, %rd5, 45; or.b64 %rd8, %rd6, %rd9;"), Lop3), 1u);
  EXPECT_EQ(count(with_values("and.b64 %rd8, %rd5, -16;"), Lop3), 1u);
  EXPECT_EQ(count(with_values("and.b64 %rd8, %rd5, -68719476721;"), Lop3), 2u);
  EXPECT_EQ(count(with_values("and.b64 %rd9, %rd6, 255; or.b64 %rd8, %rd5, %rd9;"), Lop3), 2u);
}

// A field, or a bit, of which the low word alone is used.
TEST(WideIntegers, TheLowWordOfARightShiftIsOneFunnelShift) {
  const auto stored = [](const std::string& body) {
    return lowered(kernel("ld.global.u64 %rd5, [%rd1];\n" + body + "\nst.global.u32 [%rd1], %r9;"));
  };
  EXPECT_EQ(count(stored("shr.u64 %rd9, %rd5, 20; cvt.u32.u64 %r8, %rd9; and.b32 %r9, %r8, 4095;"), Shf), 1u);
  EXPECT_EQ(count(stored("shr.u64 %rd9, %rd5, 20; cvt.u32.u64 %r9, %rd9;"), Shf), 1u);
  EXPECT_EQ(count(with_values("shr.u64 %rd8, %rd5, 20;"), Shf), 2u);
}

// a % c: IMAD.WIDE.U32 with the negated divisor and a; one IADD3 for the upper word.
TEST(WideIntegers, ASubtractedProductTakesTheMinuend) {
  const auto added = with_values("mul.lo.s64 %rd9, %rd5, 1000; add.s64 %rd8, %rd6, %rd9;");
  const auto subtracted = with_values("mul.lo.s64 %rd9, %rd5, 1000; sub.s64 %rd8, %rd6, %rd9;");
  EXPECT_EQ(count(subtracted, Iadd3), count(added, Iadd3));
  EXPECT_GT(count(with_values("mul.lo.s64 %rd9, %rd5, %rd7; sub.s64 %rd8, %rd6, %rd9;"), Iadd3), count(added, Iadd3));
}

// The quotient by a constant: q >> 13, plus one if it is below zero.
TEST(WideIntegers, ASignedQuotientIsRoundedByTwoInstructions) {
  const auto k = with_values("shr.s64 %rd9, %rd5, 13; shr.u64 %rd10, %rd5, 63; add.s64 %rd8, %rd9, %rd10;");
  EXPECT_EQ(count(k, Shf) + count(k, Lea) + count(k, Iadd3), 3u);
}

// IMAD.WIDE adds a pair of registers: a literal takes two instructions, what is extended by zeros one.
TEST(WideIntegers, AddendsOfProductsArePairs) {
  const auto moves = [](const std::string& body) {
    const auto k = with_values("mul.wide.u32 %rd9, %r6, %r7;" + body);
    return count(k, Umov) + count(k, Mov) + count(k, ImadMov);
  };
  EXPECT_EQ(moves("add.s64 %rd8, %rd9, %rd5;"), 0u);
  EXPECT_EQ(moves("add.s64 %rd8, %rd9, 7;"), 2u);
  EXPECT_EQ(moves("shr.u64 %rd10, %rd5, 32; add.s64 %rd8, %rd9, %rd10;"), 1u);
}

// A shift that two sums of a block share is done once.
TEST(WideIntegers, ASharedShiftIsNoPartOfSums) {
  EXPECT_EQ(count(with_values("shl.b64 %rd9, %rd5, 2; add.s64 %rd8, %rd6, %rd9;"), Lea), 2u);
  EXPECT_EQ(count(with_values("shl.b64 %rd9, %rd5, 2; add.s64 %rd10, %rd6, %rd9; add.s64 %rd11, %rd7, %rd9;"
                              "mul.lo.s64 %rd8, %rd10, %rd11;"),
                  Lea),
            0u);
}

// a % 58: the quotient times -58, and a.
TEST(WideIntegers, RemaindersMultiplyByTheNegatedDivisor) {
  const auto k = with_values("mul.lo.s32 %r8, %r6, 58; sub.s32 %r9, %r7, %r8; cvt.u64.u32 %rd8, %r9;");
  const auto none = with_values("cvt.u64.u32 %rd8, %r6;");
  EXPECT_EQ(count(k, Imad), count(none, Imad) + 1);
  EXPECT_EQ(count(k, Iadd3), count(none, Iadd3));
}

// As ptxas 13: IADD3 and LEA.HI.X.SX32. A second use, and a subtrahend, need the extended value.
TEST(WideIntegers, ASumExtendsItsOperandItself) {
  const std::string start = "ld.global.u32 %r3, [%rd1]; ld.global.u64 %rd2, [%rd1+8]; cvt.s64.s32 %rd3, %r3;\n";
  const auto shifts = [&](const std::string& body) {
    return count(lowered(kernel(start + body)), machine::Operation::Shf);
  };
  EXPECT_EQ(shifts("add.s64 %rd4, %rd2, %rd3; st.global.u64 [%rd1], %rd4;"), 0u);
  EXPECT_EQ(shifts("sub.s64 %rd4, %rd3, %rd2; st.global.u64 [%rd1], %rd4;"), 0u);
  EXPECT_EQ(shifts("sub.s64 %rd4, %rd2, %rd3; st.global.u64 [%rd1], %rd4;"), 1u);
  EXPECT_EQ(shifts("add.s64 %rd4, %rd2, %rd3; st.global.u64 [%rd1], %rd4; xor.b64 %rd5, %rd3, %rd2;"
                   "st.global.u64 [%rd1+8], %rd5;"),
            1u);
}

// As ptxas 13: 64-bit products before a loop are not part of its sums; a counter is extended by the sum.
TEST(WideIntegers, ASumInALoopIsNoPartOfAProductBeforeIt) {
  const auto k = lowered(kernel(
      "ld.global.u64 %rd2, [%rd1]; ld.global.u64 %rd3, [%rd1+8]; mul.lo.s64 %rd4, %rd2, %rd3; mov.u32 %r3, 0;\n"
      "LOOP: .pragma \"nounroll\"; cvt.s64.s32 %rd5, %r3; add.s64 %rd6, %rd4, %rd5; st.global.u64 [%rd1+64], %rd6; "
      "add.s32 %r3, %r3, 3; setp.lt.s32 %p1, %r3, %r1; @%p1 bra LOOP;"));
  const auto& loop = k.blocks.at(1).instructions;
  const auto in_loop = [&](machine::Operation op) {
    return std::ranges::count(loop, op, &machine::MachineInstruction::op);
  };
  EXPECT_EQ(in_loop(Iadd3), 2);  // a word each
  EXPECT_EQ(in_loop(Shf) + in_loop(Ushf), 0);
}

}  // namespace
}  // namespace drywarp::sass
