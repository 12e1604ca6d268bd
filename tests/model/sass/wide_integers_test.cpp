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

// a % 58: the quotient times -58, and a.
TEST(WideIntegers, RemaindersMultiplyByTheNegatedDivisor) {
  const auto k = with_values("mul.lo.s32 %r8, %r6, 58; sub.s32 %r9, %r7, %r8; cvt.u64.u32 %rd8, %r9;");
  const auto none = with_values("cvt.u64.u32 %rd8, %r6;");
  EXPECT_EQ(count(k, Imad), count(none, Imad) + 1);
  EXPECT_EQ(count(k, Iadd3), count(none, Iadd3));
}

}  // namespace
}  // namespace drywarp::sass
