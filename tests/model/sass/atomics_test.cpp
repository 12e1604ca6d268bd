// Atomics that the GPU lacks in one instruction, and the operands of compare-and-swaps.
#include <gmock/gmock.h>

#include "kernels.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

machine::MachineKernel of_shared(const std::string& atomic) {
  return lowered(
      kernel("mov.u32 %r3, s; shl.b32 %r4, %r2, 3; add.s32 %r3, %r3, %r4; ld.global.u64 %rd2, [%rd1];\n" + atomic,
             ".shared .align 8 .b8 s[512];\n"));
}

// As ptxas 13: LDS.64, the sum, ATOMS.CAST.SPIN.64, a comparison of both words, a branch back.
TEST(Atomics, SharedWordsOf64BitsAreSwappedInALoop) {
  for (const std::string op : {"add.u64", "and.b64", "or.b64", "xor.b64"}) {
    const auto k = of_shared("red.shared." + op + " [%r3], %rd2;");
    EXPECT_EQ(count(k, Lds), 1u) << op;
    EXPECT_EQ(count(k, Atoms), 1u) << op;
    EXPECT_EQ(count(k, Isetp), 2u) << op;
    EXPECT_EQ(count(k, Bra), 1u) << op;
  }
  // A minimum leaves the loop where the word stays.
  const auto minimum = of_shared("red.shared.min.u64 [%r3], %rd2;");
  EXPECT_EQ(count(minimum, Isetp), 4u);
  EXPECT_EQ(count(minimum, Bra), 2u);
  for (const std::string op : {"exch.b64 %rd3, [%r3], %rd2;", "cas.b64 %rd3, [%r3], %rd1, %rd2;"}) {
    const auto k = of_shared("atom.shared." + op + " st.global.u64 [%rd1], %rd3;");
    EXPECT_EQ(count(k, Lds), 0u) << op;
    EXPECT_EQ(count(k, Atoms), 1u) << op;
  }
}

// The two values of a compare-and-swap are registers side by side: a zero is loaded for each.
TEST(Atomics, ACompareAndSwapTakesAZeroFromARegister) {
  const auto zeros = [](const std::string& compared, const std::string& second) {
    const auto k =
        lowered(kernel("ld.global.u32 %r3, [%rd1]; ld.global.u32 %r4, [%rd1+4];\natom.global.cas.b32 %r5, [%rd1], " +
                       compared + ", %r4;\n" + second + "add.s32 %r5, %r5, %r6; st.global.u32 [%rd1+8], %r5;"));
    return count(k, ImadMov);
  };
  EXPECT_EQ(zeros("%r3", "mov.u32 %r6, %r4;"), 0u);
  EXPECT_EQ(zeros("0", "mov.u32 %r6, %r4;"), 1u);
  EXPECT_EQ(zeros("0", "atom.global.cas.b32 %r6, [%rd1+32], 0, %r4;"), 2u);
  const auto wide =
      lowered(kernel("ld.global.u64 %rd2, [%rd1];\natom.global.cas.b64 %rd3, [%rd1], 0, %rd2;\n"
                     "st.global.u64 [%rd1+8], %rd3;"));
  EXPECT_EQ(count(wide, Cs2r), 1u);
}

// ISETP.OR.EX has the other comparison's predicate beside its own low word's.
TEST(Comparisons, Of64BitsTakeAPredicate) {
  const auto k =
      lowered(kernel("ld.global.u64 %rd2, [%rd1]; ld.global.u64 %rd3, [%rd1+8]; setp.lt.u64 %p1, %rd2, 77;\n"
                     "setp.gt.u64 %p2, %rd3, %rd2; or.pred %p3, %p1, %p2; @%p3 st.global.u32 [%rd1], %r2;"));
  EXPECT_EQ(count(k, Plop3), 0u);
  EXPECT_EQ(count(k, Isetp), 4u);
}

}  // namespace
}  // namespace drywarp::sass
