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

// Two halves at a generic address, as cuda_fp16.h adds them: ATOM, whose predicate says whether the address was one of
// global memory. (ptxas 13; so are other floats.)
TEST(Atomics, AdditionsOfFloatsAtGenericAddressesSayWhatTheyFound) {
  for (const std::string add : {"red.add.noftz.f16x2 [%rd1], %r1;", "atom.add.noftz.bf16x2 %r4, [%rd1], %r1;",
                                "mov.b32 %f1, %r1; atom.add.f32 %f2, [%rd1], %f1;"}) {
    const auto last = lowered(kernel(add));
    EXPECT_EQ(count(last, Atomg), 1u) << add;
    EXPECT_EQ(count(last, Bssy) + count(last, Red), 0u) << add;
    EXPECT_TRUE(last.blocks.at(0).instructions.back().guard) << add;  // of the EXIT
    const auto before = lowered(kernel(add + "st.global.u32 [%rd1+64], %r2;"));
    EXPECT_EQ(count(before, Atomg), 1u) << add;
    EXPECT_EQ(count(before, Bssy) + count(before, Bra) + count(before, Bsync), 3u) << add;
  }
  EXPECT_EQ(count(lowered(kernel("red.global.add.noftz.f16x2 [%rd1], %r1;")), Red), 1u);
}

// The L2 adds two halves, but not one.
TEST(Atomics, OneHalfIsAddedByACompareAndSwapOfItsWord) {
  for (const std::string type : {"f16", "bf16"}) {
    const auto k = lowered(
        kernel("cvt.u16.u32 %rs1, %r1; red.global.add.noftz." + type + " [%rd1], %rs1; st.global.u32 [%rd1+64], %r2;"));
    EXPECT_EQ(count(k, Ldg), 1u) << type;
    EXPECT_EQ(count(k, Hadd2), 1u) << type;
    EXPECT_EQ(count(k, Atomg), 1u) << type;
    EXPECT_EQ(count(k, Bra), 1u) << type;
    EXPECT_EQ(count(k, Red), 0u) << type;
  }
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
