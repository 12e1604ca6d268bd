// Which loops are unrolled whose count only the launch knows. The numbers are those in ptxas's code.
#include <gtest/gtest.h>

#include <map>

#include "kernels.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

// How many iterations the longest block has.
unsigned copies(const std::string& body, const std::string& before, const std::string& limit) {
  const auto k = lowered(kernel("mov.u32 %r10, 0; mov.u32 %r11, %r2; cvt.u16.u32 %rs1, %r2;\n" + before + "LOOP:\n" +
                                body + "add.s32 %r10, %r10, 1;\nsetp.lt.s32 %p1, %r10, " + limit +
                                ";\n@%p1 bra LOOP;\nst.global.f32 [%rd1], %f1; st.global.u32 [%rd1+4], %r11;\n"
                                "st.global.f32 [%rd1+8], %f2; st.global.u64 [%rd1+16], %rd20;"));
  unsigned most = 0;
  for (const auto& b : k.blocks) {
    std::map<uint32_t, unsigned> times;
    for (const auto& step : b.path) most = std::max(most, ++times[step.block]);
  }
  return most;
}
// The most FFMA beside `body` with which the loop is unrolled; alone they are 18.
int most_beside(const std::string& body, const std::string& before = "") {
  int most = -1;
  std::string sums;
  for (int n = 0; n < 60; ++n, sums += "fma.rn.f32 %f1, %f1, %f3, %f4;\n")
    if (copies(body + sums, before, "%r1") == 4) most = n;
  return most;
}

TEST(UnrolledLoops, WeighWhatThePtxSays) {
  EXPECT_EQ(most_beside(""), 18);
  EXPECT_EQ(most_beside("xor.b32 %r11, %r11, %r1; and.b32 %r11, %r11, %r2;"), 16);
  EXPECT_EQ(most_beside("shl.b32 %r12, %r11, 2; add.s32 %r11, %r12, %r1;"), 16);
  EXPECT_EQ(most_beside("mul.lo.s32 %r12, %r11, %r1; add.s32 %r11, %r12, %r1;"), 17);
  EXPECT_EQ(most_beside("add.s64 %rd20, %rd20, %rd1;"), 17);
  EXPECT_EQ(most_beside("mul.lo.s64 %rd20, %rd20, %rd1;"), 17);
  EXPECT_EQ(most_beside("st.global.f32 [%rd1], %f2;"), 17);
  EXPECT_EQ(most_beside("st.global.f32 [%rd1+4], %f2;"), 16);
  EXPECT_EQ(most_beside("red.global.add.f32 [%rd1], %f2;"), 17);
  EXPECT_EQ(most_beside("red.global.add.u32 [%rd1], %r2;"), 8);
  EXPECT_EQ(most_beside("div.u32 %r11, %r11, %r1;"), -1);
  EXPECT_EQ(most_beside("sqrt.rn.f32 %f2, %f2;"), -1);
  EXPECT_EQ(most_beside("membar.gl;"), -1);
  EXPECT_EQ(most_beside("st.shared.f32 [s], %f2;", ".shared .align 4 .b8 s[64];\n"), 14);
}

TEST(UnrolledLoops, ReadsSetTheBound) {
  const std::string array = ".shared .align 4 .b8 s[64]; mov.u32 %r20, s;\n";
  const auto global = [](const std::string& step) {
    return "ld.global.f32 %f5, [%rd1]; add.f32 %f2, %f2, %f5; add.s64 %rd1, %rd1, " + step + ";\n";
  };
  EXPECT_EQ(most_beside(global("4")), 43);
  EXPECT_EQ(most_beside(global("%rd20")), 43);
  const std::string shared = "ld.shared.f32 %f6, [%r20]; add.f32 %f2, %f2, %f6; add.s32 %r20, %r20, 4;\n";
  EXPECT_EQ(most_beside(shared, array), 20);
  std::string eight;
  for (unsigned i = 0; i < 8; ++i) eight += shared;
  EXPECT_EQ(most_beside(eight, array), 34);
  EXPECT_EQ(most_beside(eight + global("4"), array), 31);  // the higher bound
  EXPECT_EQ(most_beside(shared + global("4"), array), 40);
}

TEST(UnrolledLoops, HavePredicatedSides) {
  const std::string side = "setp.gt.f32 %p2, %f1, %f3; @%p2 bra OVER; add.f32 %f2, %f2, %f3;\nOVER:\n";
  EXPECT_EQ(most_beside(side), 15);
  EXPECT_EQ(copies(side + "bar.sync 0;", "", "%r1"), 1u);
}

TEST(UnrolledLoops, WithBarriersHaveParametersAsLimits) {
  const std::string product = "mul.lo.s32 %r20, %r1, %r1;";
  EXPECT_EQ(copies("bar.sync 0;", "", "%r1"), 4u);
  EXPECT_EQ(copies("bar.sync 0;", product, "%r20"), 1u);
  EXPECT_EQ(copies("add.f32 %f2, %f2, %f3;", product, "%r20"), 4u);
  EXPECT_EQ(copies("bar.sync 0;", "mov.u32 %r10, %r2;", "%r1"), 1u);
}

// `counter < 4 && data`: straight code that each iteration may leave, and what runs where it does.
TEST(UnrolledLoops, WithAConstantCountMayEndEarly) {
  const auto k = lowered(
      kernel("mov.u32 %r10, 0; cvt.rn.f32.u32 %f1, %r2; mov.f32 %f3, %f1;\nLOOP:\nfma.rn.f32 %f1, %f1, %f3, %f1;\n"
             "add.s32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, 4; setp.lt.f32 %p2, %f1, %f3; and.pred %p3, %p1, %p2;\n"
             "@%p3 bra LOOP;\nst.global.f32 [%rd1], %f1;"));
  std::map<size_t, size_t> branches;  // by iterations
  for (const auto& b : k.blocks) {
    size_t ffma = 0, bra = 0, isetp = 0;
    for (const auto& m : b.instructions) ffma += m.op == Ffma, bra += m.op == Bra, isetp += m.op == Isetp;
    if (ffma > 0) branches[ffma] = bra;
    if (ffma > 1) EXPECT_EQ(isetp, 0u);
  }
  EXPECT_EQ(branches, (std::map<size_t, size_t>{{1, 1}, {2, 2}, {3, 3}, {4, 3}}));
}

}  // namespace
}  // namespace drywarp::sass
