// Loads of a region that find what an earlier one found. Each case as ptxas 13's code for sm_90 has it.
#include <gtest/gtest.h>

#include "kernels.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

// Loads of `op` where the same value is read before and behind `between`.
size_t loads(machine::Operation op, const std::string& load, const std::string& between) {
  const auto twice = [&](int n) {
    std::string text = load;
    for (size_t at; (at = text.find('#')) != std::string::npos;) text.replace(at, 1, std::to_string(n));
    return text;
  };
  return count(lowered(kernel("mov.u32 %r3, s; shl.b32 %r4, %r2, 3; add.s32 %r3, %r3, %r4;\n" + twice(5) + between +
                                  twice(6) + "add.f32 %f4, %f5, %f6; st.global.f32 [%rd1+64], %f4;",
                              ".shared .align 8 .b8 s[512];\n")),
               op);
}

const std::string kShared = "ld.shared.f32 %f#, [%r3+8];\n", kGlobal = "ld.global.f32 %f#, [%rd1];\n";
const std::string kVector = "ld.shared.v2.f32 {%f#, %f1#}, [%r3];\n";
const std::string kExchange = "shfl.sync.bfly.b32 %r5, %r2, 1, 31, -1; st.global.u32 [%rd1+4096], %r5;\n";

TEST(ShareLoads, AcrossExchangesOfLanes) {
  EXPECT_EQ(loads(Lds, kShared, kExchange), 1u);
  EXPECT_EQ(loads(Lds, kVector, kExchange), 1u);
  EXPECT_EQ(loads(Ldg, kGlobal, "shfl.sync.bfly.b32 %r5, %r2, 1, 31, -1; add.u32 %r6, %r5, 1;\n"), 1u);
}

TEST(ShareLoads, NotAcrossStoresThatMayChangeThem) {
  EXPECT_EQ(loads(Lds, kShared, "st.global.u32 [%rd1+8], %r2;\n"), 1u);
  EXPECT_EQ(loads(Lds, kShared, "st.shared.u32 [%r3+256], %r2;\n"), 2u);
  EXPECT_EQ(loads(Lds, kVector, "st.shared.u32 [%r3+256], %r2;\n"), 2u);
  EXPECT_EQ(loads(Ldg, kGlobal, "st.global.u32 [%rd1+8], %r2;\n"), 2u);
}

TEST(ShareLoads, NotAcrossFences) {
  for (const std::string fence : {"bar.warp.sync -1;\n", "bar.sync 0;\n", "membar.cta;\n"}) {
    EXPECT_EQ(loads(Lds, kShared, fence), 2u) << fence;
    EXPECT_EQ(loads(Lds, kVector, fence), 2u) << fence;
    EXPECT_EQ(loads(Ldg, kGlobal, fence), 2u) << fence;
  }
}

// A list in shared memory: the second load has the address that the first one found.
TEST(ShareLoads, NotWhereTheAddressIsWritten) {
  const std::string next = "ld.shared.v2.u32 {%r3, %r6}, [%r3];\n";
  EXPECT_EQ(count(lowered(kernel("mov.u32 %r3, s;\n" + next + next + "st.global.u32 [%rd1], %r6;",
                                 ".shared .align 8 .b8 s[512];\n")),
                  Lds),
            2u);
}

// Whether a loop with a store has `load`, which finds the same in each iteration, behind `before`.
bool stays_in_loop(const std::string& load, const std::string& before = "") {
  const machine::MachineKernel k =
      lowered(kernel("mov.u32 %r3, 0;\nL:\n" + before + load +
                     "cvt.s64.s32 %rd2, %r5; add.s64 %rd3, %rd3, %rd2; st.global.u64 [%rd1+64], %rd3;\n"
                     "add.s32 %r3, %r3, 32; setp.lt.s32 %p1, %r3, %r1; @%p1 bra L;\n"));
  const size_t before_loop = count(k, Ldg);
  for (const machine::MachineInstruction& m : k.blocks.at(0).instructions) EXPECT_TRUE(m.op != Ldg || m.ahead);
  return before_loop == 0;
}

TEST(ShareLoads, OfReadOnlyDataAreBeforeTheLoop) {
  const std::string load = "ld.global.nc.u32 %r5, [%rd1+4096];\n";
  EXPECT_FALSE(stays_in_loop(load));
  EXPECT_FALSE(stays_in_loop(load, "bar.sync 0;\n"));
  EXPECT_TRUE(stays_in_loop("ld.global.u32 %r5, [%rd1+4096];\n"));
  EXPECT_TRUE(stays_in_loop(load, "membar.gl;\n"));
  EXPECT_TRUE(stays_in_loop(load,
                            "setp.eq.s64 %p2, %rd3, 77; @%p2 bra E;\n"
                            "bra M;\nE: st.global.u32 [%rd1], %r3; ret;\nM:\n"));
  EXPECT_TRUE(
      stays_in_loop("ld.global.nc.f32 %f1, [%rd1+4096]; ld.global.f32 %f2, [%rd1+8]; div.rn.f32 %f3, %f2, %f1;"
                    "cvt.rzi.s32.f32 %r5, %f3;\n"));
}

}  // namespace
}  // namespace drywarp::sass
