// Halves of registers: what takes them where they lie, and shared loads of neighbours.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "kernels.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

const std::string kTile = ".shared .align 16 .b8 tile[4096];\n";

// Halves of a row of 16 bytes a warp, %rs1 for the first given one and so on, each with `use` of itself.
machine::MachineKernel with_loads(const std::string& type, std::initializer_list<int> elements, const std::string& use,
                                  unsigned row_shift = 4) {
  std::string body = fmt::format(
      "shr.u32 %r3, %r2, 5; shl.b32 %r3, %r3, {}; mov.u32 %r4, tile; add.s32 %r3, %r4, %r3; ld.global.b32 %r5, [%rd1]; "
      "mov.b32 %r6, %r5;\n",
      row_shift);
  int number = 0;
  for (const int element : elements) {
    ++number;
    body += fmt::format("ld.shared.{} %rs{}, [%r3+{}];\n", type, number, 2 * element);
    std::string text = use;
    for (size_t at = 0; (at = text.find('#', at)) != std::string::npos;) text.replace(at, 1, std::to_string(number));
    body += text + "\n";
  }
  return lowered(kernel(body + "st.global.b32 [%rd1], %r6;", kTile));
}
const std::string kProduct = "mov.b32 %r1#, {%rs#, %rs#}; fma.rn.f16x2 %r6, %r1#, %r5, %r6;";
const std::string kConversion = "cvt.f32.f16 %f1#, %rs#; cvt.rzi.s32.f32 %r1#, %f1#; add.s32 %r6, %r6, %r1#;";
const std::string kInteger = "cvt.u32.u16 %r1#, %rs#; mad.lo.s32 %r6, %r6, %r5, %r1#;";
const std::string kStore = "st.global.b16 [%rd1+#], %rs#;";

// The loads' widths.
std::vector<int> loads(const machine::MachineKernel& k) {
  std::vector<int> bytes;
  for (const auto& m : k.blocks.at(0).instructions)
    if (m.op == Lds) bytes.push_back(m.bytes);
  std::ranges::sort(bytes);
  return bytes;
}

using testing::ElementsAre;

TEST(Halves, AFactorOfBothElementsNeedsNoPair) {
  const auto k = with_loads("b16", {0}, kProduct);
  EXPECT_EQ(count(k, Prmt), 0u);
  EXPECT_EQ(count(k, Hfma2), 1u);
}

TEST(Halves, NeighboursAreOneLoad) {
  EXPECT_THAT(loads(with_loads("b16", {0, 1}, kProduct)), ElementsAre(4));
  EXPECT_THAT(loads(with_loads("b16", {2, 3}, kProduct)), ElementsAre(4));
  EXPECT_THAT(loads(with_loads("b16", {0, 1, 2, 3}, kProduct)), ElementsAre(8));
  EXPECT_THAT(loads(with_loads("b16", {0, 1, 2, 3, 4, 5, 6, 7}, kProduct)), ElementsAre(8, 8));
}

TEST(Halves, ThreeOfFourAreEnough) {
  EXPECT_THAT(loads(with_loads("b16", {0, 1, 2}, kProduct)), ElementsAre(8));
  EXPECT_THAT(loads(with_loads("b16", {1, 2, 3}, kProduct)), ElementsAre(8));
  EXPECT_THAT(loads(with_loads("b16", {0, 2, 3}, kProduct)), ElementsAre(8));
}

TEST(Halves, OthersStayApart) {
  EXPECT_THAT(loads(with_loads("b16", {1, 2}, kProduct)), ElementsAre(2, 2));
  EXPECT_THAT(loads(with_loads("b16", {0, 2}, kProduct)), ElementsAre(2, 2));
  EXPECT_THAT(loads(with_loads("b16", {0, 2, 4, 6}, kProduct)), ElementsAre(2, 2, 2, 2));
  EXPECT_THAT(loads(with_loads("b16", {1, 2, 3, 4}, kProduct)), ElementsAre(2, 8));
}

TEST(Halves, TheAddressHasToBeAligned) {
  EXPECT_THAT(loads(with_loads("b16", {0, 1, 2, 3}, kProduct, 2)), ElementsAre(4, 4));
  EXPECT_THAT(loads(with_loads("b16", {0, 1, 2}, kProduct, 2)), ElementsAre(2, 4));
  EXPECT_THAT(loads(with_loads("b16", {0, 1, 2, 3}, kProduct, 1)), ElementsAre(2, 2, 2, 2));
}

TEST(Halves, ConversionsTakeEither) {
  const auto k = with_loads("b16", {0, 1, 2, 3}, kConversion);
  EXPECT_THAT(loads(k), ElementsAre(8));
  EXPECT_EQ(count(k, Hadd2), 4u);
  EXPECT_EQ(count(k, Prmt), 0u);
  const auto to_integers = with_loads("b16", {0, 1}, "cvt.rni.s32.f16 %r1#, %rs#; add.s32 %r6, %r6, %r1#;");
  EXPECT_THAT(loads(to_integers), ElementsAre(4));
  EXPECT_EQ(count(to_integers, F2i), 2u);
  EXPECT_EQ(count(to_integers, Hadd2), 0u);
}

TEST(Halves, IntegersAreLoadedAlone) {
  EXPECT_THAT(loads(with_loads("u16", {0, 1, 2, 3}, kInteger)), ElementsAre(2, 2, 2, 2));
}

TEST(Halves, StoresOfUpperHalvesNeedAPrmt) {
  const auto k = with_loads("b16", {0, 1, 2, 3}, kStore);
  EXPECT_THAT(loads(k), ElementsAre(8));
  EXPECT_EQ(count(k, Prmt), 2u);
}

TEST(Halves, AStoreBetweenKeepsThemApart) {
  const auto k = with_loads("b16", {0, 1}, kProduct + " st.shared.b32 [%r2], %r6;");
  EXPECT_THAT(loads(k), ElementsAre(2, 2));
}

TEST(Halves, APairThatLiesInAWordIsThatWord) {
  const auto k =
      lowered(kernel("shl.b32 %r3, %r2, 2; mov.u32 %r4, tile; add.s32 %r3, %r4, %r3; ld.shared.b16 %rs1, [%r3]; "
                     "ld.shared.b16 %rs2, [%r3+2];\n"
                     "mov.b32 %r5, {%rs1, %rs2}; add.rn.f16x2 %r6, %r5, %r5; st.global.b32 [%rd1], %r6;",
                     kTile));
  EXPECT_THAT(loads(k), ElementsAre(4));
  EXPECT_EQ(count(k, Prmt), 0u);
}

TEST(Halves, HalvesOfALoadedWordNeedNoPrmt) {
  const auto k =
      lowered(kernel("ld.global.b32 %r3, [%rd1]; mov.b32 {%rs1, %rs2}, %r3; mov.b32 %r4, {%rs2, %rs2}; fma.rn.f16x2 "
                     "%r5, %r4, %r3, %r3;\n"
                     "mul.rn.f16 %rs3, %rs1, %rs2; mov.b32 %r6, {%rs2, %rs1}; add.rn.f16x2 %r7, %r5, %r6;\n"
                     "st.global.b32 [%rd1], %r7; st.global.b16 [%rd1+4], %rs3; st.global.b16 [%rd1+6], %rs1;"));
  EXPECT_EQ(count(k, Prmt), 1u) << "of the halves in the other order";
}

TEST(Halves, SignsAreModifiers) {
  const auto k = lowered(
      kernel("ld.global.b32 %r3, [%rd1]; ld.global.b16 %rs1, [%rd1+4]; neg.f16 %rs2, %rs1; mov.b32 %r4, {%rs2, %rs2};\n"
             "fma.rn.f16x2 %r5, %r4, %r3, %r3; st.global.b32 [%rd1], %r5;"));
  EXPECT_EQ(count(k, Hadd2), 0u);
  EXPECT_EQ(count(k, Prmt), 0u);
}

TEST(Halves, AConvertedConstantIsOne) {
  const auto k = lowered(kernel(
      "ld.global.b32 %r3, [%rd1]; mov.f32 %f1, 0f3F800000; cvt.rn.f16.f32 %rs1, %f1; mov.b32 %r4, {%rs1, %rs1};\n"
      "fma.rn.f16x2 %r5, %r3, %r3, %r4; st.global.b32 [%rd1], %r5;"));
  EXPECT_EQ(count(k, F2fp), 0u);
  EXPECT_EQ(count(k, Prmt), 0u);
}

TEST(Halves, TwoConversionsFillAWord) {
  const auto k =
      lowered(kernel("ld.global.v2.f32 {%f1, %f2}, [%rd1]; cvt.rn.f16.f32 %rs1, %f1; cvt.rn.f16.f32 %rs2, %f2;\n"
                     "mov.b32 %r4, {%rs1, %rs2}; st.global.b32 [%rd1], %r4;"));
  EXPECT_EQ(count(k, F2fp), 1u);
  EXPECT_EQ(count(k, Prmt), 0u);
}

// As ptxas 13: comparisons are of 32 bits, and PRMT or LOP3 extends what a load or a mask has not.
TEST(Halves, ComparedValuesAreExtended) {
  const auto compared = [](const std::string& body) {
    const auto k =
        lowered(kernel("ld.global.u8 %rs1, [%rd1]; ld.global.u16 %rs2, [%rd1+2]; ld.global.u16 %rs3, [%rd1+4];"
                       "ld.global.s8 %rs4, [%rd1+6]; ld.global.u32 %r3, [%rd1+8];\n" +
                       body + "\nselp.u32 %r4, %r3, 7, %p1; st.global.u32 [%rd1], %r4;"));
    return count(k, Prmt) + count(k, Lop3);
  };
  EXPECT_EQ(compared("setp.eq.s16 %p1, %rs2, %rs3;"), 2u);
  EXPECT_EQ(compared("setp.eq.s16 %p1, %rs2, 7;"), 1u);
  EXPECT_EQ(compared("setp.eq.s16 %p1, %rs1, 7;"), 0u);
  EXPECT_EQ(compared("setp.lt.s16 %p1, %rs4, 7;"), 0u);
  EXPECT_EQ(compared("setp.lt.u16 %p1, %rs2, %rs3;"), 0u);
  EXPECT_EQ(compared("shr.u16 %rs5, %rs1, 6; setp.lt.u16 %p1, %rs5, %rs2;"), 0u);
  EXPECT_EQ(compared("shr.u16 %rs5, %rs1, 6; setp.eq.s16 %p1, %rs5, 2;"), 1u);
  EXPECT_EQ(compared("add.s16 %rs5, %rs2, 255; setp.lt.u16 %p1, %rs5, 2;"), 1u);
}

// As ptxas 13: a shift by 16 drops the upper half, so a bfloat16 that lies in the lower one, or a mask, needs nothing
// before it.
TEST(Halves, ABfloat16InALowerHalfIsShifted) {
  const std::string both =
      "cvt.f32.bf16 %f1, %rs1; cvt.f32.bf16 %f2, %rs2; st.global.f32 [%rd1+8], %f1; st.global.f32 [%rd1+16], %f2;";
  EXPECT_EQ(count(lowered(kernel("ld.global.b32 %r5, [%rd1]; mov.b32 {%rs1, %rs2}, %r5; " + both)), Prmt), 1u);
  EXPECT_EQ(count(lowered(kernel("ld.global.v2.u16 {%rs1, %rs2}, [%rd1]; " + both)), Prmt), 1u);
  EXPECT_EQ(count(lowered(kernel("ld.global.v4.u16 {%rs3, %rs4, %rs1, %rs2}, [%rd1]; " + both)), Prmt), 1u);
  const auto masked = lowered(
      kernel("ld.global.b32 %r5, [%rd1]; and.b32 %r6, %r5, 65535; shl.b32 %r7, %r6, 16; st.global.b32 [%rd1], %r7;"));
  EXPECT_EQ(count(masked, Lop3), 0u);
}

// As ptxas 13: I2F.U8 R, R.B3.
TEST(Halves, ConversionsTakeTheLowestOrHighestPart) {
  const auto converted = [](const std::string& part) {
    return lowered(
        kernel("ld.global.u32 %r6, [%rd1]; " + part + "cvt.rn.f32.u32 %f1, %r7; st.global.f32 [%rd1], %f1;"));
  };
  for (const std::string part :
       {"and.b32 %r7, %r6, 255;", "shr.u32 %r7, %r6, 24;", "and.b32 %r7, %r6, 65535;", "shr.u32 %r7, %r6, 16;"}) {
    const auto k = converted(part);
    EXPECT_EQ(count(k, I2f), 1u) << part;
    EXPECT_EQ(count(k, I2fp) + count(k, Lop3) + count(k, Shf), 0u) << part;
  }
  for (const std::string part :
       {"and.b32 %r7, %r6, 15;", "shr.u32 %r7, %r6, 8;", "shr.u32 %r8, %r6, 8; and.b32 %r7, %r8, 255;"})
    EXPECT_EQ(count(converted(part), I2fp), 1u) << part;
}

}  // namespace
}  // namespace drywarp::sass
