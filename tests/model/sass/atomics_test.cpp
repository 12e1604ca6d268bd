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

// Where all lanes have one address, one lane adds what all of them have, in shared memory too. (ptxas 13, as are all
// numbers here.)
TEST(Atomics, LanesWithOneAddressAreAddedUp) {
  const std::string at_block = "mov.u32 %r3, %ctaid.x; mul.wide.u32 %rd2, %r3, 4; add.s64 %rd3, %rd1, %rd2;\n";
  const std::string at_thread = "mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2;\n";
  const auto reduces = [](const std::string& body, const std::string& variables = "") {
    const auto k = lowered(kernel(body, variables));
    return std::pair(count(k, Redux), count(k, Popc));
  };
  const std::pair<size_t, size_t> none{0, 0}, by_value{1, 0}, by_count{0, 1};
  EXPECT_EQ(reduces(at_block + "red.global.add.u32 [%rd3], %r2;"), by_value);
  EXPECT_EQ(reduces(at_block + "red.global.add.u32 [%rd3+8], 5;"), by_count);
  EXPECT_EQ(reduces(at_block + "red.global.or.b32 [%rd3], 5;"), by_value);
  EXPECT_EQ(reduces(at_block + "red.global.add.u64 [%rd3], 1;"), by_count);
  EXPECT_EQ(reduces(at_block + "red.global.add.u64 [%rd3], %rd2;"), none);
  EXPECT_EQ(reduces(at_block + "red.global.add.f32 [%rd3], %f1;"), none);
  EXPECT_EQ(reduces(at_thread + "red.global.add.u32 [%rd3], %r2;"), none);
  const std::string word = ".shared .align 4 .b32 s;\n";
  EXPECT_EQ(reduces("red.shared.max.s32 [s], %r2;", word), by_value);
  EXPECT_EQ(reduces("red.shared.add.u32 [s], %r1;", word), by_count);
  EXPECT_EQ(reduces("red.shared.add.u32 [s], 1;", word), none);  // ATOMS.POPC.INC
}

// A lane alone has nothing to add up, nor have lanes that leave a loop one after the other where it gives the address.
TEST(Atomics, LanesThatMayBeAloneAddForThemselves) {
  const auto redux = [](const std::string& body) {
    const auto k = lowered(kernel(body));
    return std::ranges::any_of(k.blocks, [](const machine::MachineBlock& block) {
      return std::ranges::any_of(block.instructions, [](const auto& m) { return m.op == Redux; });
    });
  };
  const std::string add = "ld.global.u32 %r4, [%rd1]; red.global.add.u32 [%rd1+64], %r4;\nEND:";
  EXPECT_FALSE(redux("setp.ne.u32 %p1, %r2, 0; @%p1 bra END;\n" + add));
  EXPECT_FALSE(redux("setp.eq.u32 %p1, %r2, %r1; @!%p1 bra END;\n" + add));
  EXPECT_TRUE(redux("setp.gt.u32 %p1, %r2, 31; @%p1 bra END;\n" + add));
  EXPECT_TRUE(redux("and.b32 %r5, %r2, 31; setp.ne.u32 %p1, %r5, 0; @%p1 bra END;\n" + add));
  const auto in_loop = [](const std::string& bound) {
    return "mov.u32 %r5, 0; mov.u64 %rd5, %rd1;\nLOOP: red.global.add.u32 [%rd5], %r2; add.s64 %rd5, %rd5, 4;\n"
           "add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, " +
           bound + "; @%p1 bra LOOP;";
  };
  EXPECT_TRUE(redux(in_loop("%r1")));
  EXPECT_FALSE(redux(in_loop("%r2")));
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
