// Arrays that ptxas 13 keeps in registers although their index is known at run time only.
#include <gtest/gtest.h>

#include "kernels.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

struct Found {
  size_t local = 0, compared = 0, moved = 0;  // accesses, comparisons with a place, guarded moves
  bool operator==(const Found&) const = default;
};

Found found(const std::string& body) {
  Options options{90, 0};
  options.texts = true;
  const auto k = lower(kernel(body), 0, options);
  if (!k) ADD_FAILURE() << k.problem().message;
  Found all;
  size_t at = 0;
  for (const machine::MachineBlock& block : k->blocks) {
    for (size_t i = 0; i < block.instructions.size(); ++i) {
      const machine::MachineInstruction& m = block.instructions[i];
      all.local += m.op == Ldl || m.op == Stl;
      all.compared += m.op == Isetp && k->texts[at + i].starts_with("ISETP.EQ");
      all.moved += (m.op == Mov || m.op == ImadMov) && k->texts[at + i].starts_with("@");
    }
    at += block.instructions.size();
  }
  return all;
}

// An array of `words`, each of which is loaded.
std::string array(unsigned words) {
  std::string text = ".local .align 16 .b8 a[" + std::to_string(4 * words) + "];\nmov.u64 %rd10, a;\n";
  for (unsigned w = 0; w < words; ++w)
    text += "ld.global.f32 %f1, [%rd1+" + std::to_string(128 * w) + "]; st.local.f32 [%rd10+" + std::to_string(4 * w) +
            "], %f1;\n";
  return text + "ld.global.u32 %r3, [%rd1+4];\n";
}
const std::string kAddress = "mul.wide.u32 %rd11, %r3, 4; add.s64 %rd12, %rd10, %rd11;\n";
const std::string kRead = kAddress + "ld.local.f32 %f2, [%rd12]; st.global.f32 [%rd1], %f2;";

TEST(Arrays, AnIndexIsComparedWithEveryPlace) {
  EXPECT_EQ(found(array(8) + kRead), (Found{0, 8, 8}));
  EXPECT_EQ(found(array(64) + kRead), (Found{0, 64, 64}));
  EXPECT_EQ(found(array(96) + kRead).compared, 0u);  // too long
  // A store writes one of all words.
  std::string all;
  for (unsigned w = 0; w < 4; ++w)
    all += "ld.local.f32 %f4, [a+" + std::to_string(4 * w) + "]; add.f32 %f3, %f3, %f4;\n";
  EXPECT_EQ(found(array(4) + kAddress + "st.local.f32 [%rd12], %f5;\n" + all + "st.global.f32 [%rd1], %f3;"),
            (Found{0, 4, 4}));
}

TEST(Arrays, AccessesAtOneAddressShareComparisons) {
  const std::string twice =
      "ld.local.f32 %f2, [%rd12]; add.f32 %f2, %f2, %f2; st.local.f32 [%rd12], %f2;\n"
      "ld.local.f32 %f3, [a]; st.global.f32 [%rd1], %f3;";
  EXPECT_EQ(found(array(4) + kAddress + twice).compared, 4u);
  EXPECT_EQ(found(array(8) + kAddress + twice).compared, 10u);  // six predicates are kept
  // A vector is at every fourth word.
  const std::string vector =
      "mul.wide.u32 %rd11, %r3, 16; add.s64 %rd12, %rd10, %rd11;\n"
      "ld.local.v4.f32 {%f2, %f3, %f4, %f5}, [%rd12]; st.global.v4.f32 [%rd1], {%f2, %f3, %f4, %f5};";
  EXPECT_EQ(found(array(16) + vector), (Found{0, 4, 16}));
}

TEST(Arrays, AnotherAccessBetweenThemLeavesTheComparisons) {
  const std::string other = "ld.global.u32 %r5, [%rd1+8]; mul.wide.u32 %rd13, %r5, 4; add.s64 %rd14, %rd10, %rd13;\n";
  const std::string body =
      "ld.local.f32 %f2, [%rd12]; ld.local.f32 %f3, [%rd14]; add.f32 %f2, %f2, %f3; st.local.f32 [%rd12], %f2;\n"
      "ld.local.f32 %f4, [%rd10+4]; st.global.f32 [%rd1], %f4;";
  EXPECT_EQ(found(array(4) + other + kAddress + body).compared, 8u);
}

TEST(Arrays, AnIndexIsComparedWithWhatItsBitsCanBe) {
  EXPECT_EQ(found(array(4) + "and.b32 %r3, %r3, 2;\n" + kRead).compared, 2u);
  EXPECT_EQ(found(array(4) + "and.b32 %r3, %r3, 2; xor.b32 %r3, %r3, 2;\n" + kRead).compared, 2u);
  EXPECT_EQ(found(array(8) + "and.b32 %r3, %r3, 4; or.b32 %r3, %r3, 1;\n" + kRead).compared, 8u);
}

// Not moved there in each iteration from uniform ones.
TEST(Arrays, AnIndexThatALoopCountsIsInPerLaneRegisters) {
  const auto k = lowered(kernel(
      array(4) +
      "mov.u32 %r5, 0;\nLOOP:\n.pragma \"nounroll\";\nand.b32 %r6, %r5, 3;\n"
      "mul.wide.u32 %rd11, %r6, 4; add.s64 %rd12, %rd10, %rd11;\nld.local.f32 %f2, [%rd12]; add.f32 %f3, %f3, %f2;\n"
      "add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, %r1; @%p1 bra LOOP;\nst.global.f32 [%rd1], %f3;"));
  for (const machine::MachineBlock& block : k.blocks)
    for (const machine::MachineInstruction& m : block.instructions) EXPECT_TRUE(m.op != Uiadd3 && m.op != Ulop3);
}

// In a loop the comparisons cost more than local memory, from a certain length on.
TEST(Arrays, LoopsReadShortOnesAlone) {
  const std::string loop =
      "mov.u32 %r5, 0;\nLOOP:\n.pragma \"nounroll\";\nmul.wide.u32 %rd13, %r5, 4;\n"
      "add.s64 %rd13, %rd13, %rd1; ld.global.u32 %r3, [%rd13];\n" +
      kAddress +
      "ld.local.f32 %f2, [%rd12]; add.f32 %f3, %f3, %f2; add.u32 %r5, %r5, 1;\n"
      "setp.lt.u32 %p1, %r5, %r1; @%p1 bra LOOP;\nst.global.f32 [%rd1], %f3;";
  EXPECT_EQ(found(array(8) + loop), (Found{0, 8, 8}));
  EXPECT_EQ(found(array(16) + loop).compared, 0u);
}

// Code may grow in proportion to what else is in the loop.
TEST(Arrays, LongLoopsReadLongerOnes) {
  const auto loop = [](unsigned others) {
    std::string text =
        "mov.u32 %r5, 0;\nLOOP:\n.pragma \"nounroll\";\nmul.wide.u32 %rd13, %r5, 4;\n"
        "add.s64 %rd13, %rd13, %rd1; ld.global.u32 %r3, [%rd13];\n";
    for (unsigned i = 0; i < others; ++i) text += "mul.lo.u32 %r6, %r6, %r3; xor.b32 %r6, %r6, %r3;\n";
    return text + kAddress +
           "ld.local.f32 %f2, [%rd12]; add.f32 %f3, %f3, %f2; add.u32 %r5, %r5, 1;\n"
           "setp.lt.u32 %p1, %r5, %r1; @%p1 bra LOOP;\nst.global.f32 [%rd1], %f3; st.global.u32 [%rd1+4], %r6;";
  };
  EXPECT_EQ(found(array(18) + loop(0)).compared, 0u);
  EXPECT_EQ(found(array(18) + loop(10)), (Found{0, 18, 18}));
}

// A parameter by a guarded LDC, a literal by a guarded move.
TEST(Arrays, WordsThatAreConstantsAreReadAsSuch) {
  const std::string words =
      ".local .align 16 .b8 a[16]; mov.u64 %rd10, a; ld.global.u32 %r3, [%rd1+4];\nst.local.u32 [%rd10], %r1;\n"
      "mov.u32 %r7, 1000; st.local.u32 [%rd10+4], %r7;\nmov.u32 %r8, 77; st.local.u32 [%rd10+8], %r8;\n"
      "st.local.u32 [%rd10+12], %r2;\n";
  const std::string read = kAddress + "ld.local.u32 %r9, [%rd12]; st.global.u32 [%rd1], %r9;";
  EXPECT_EQ(found(words + read), (Found{0, 4, 3}));
}

TEST(Arrays, ElementsOfOtherSizesStayInMemory) {
  const std::string wide =
      ".local .align 16 .b8 a[32]; mov.u64 %rd10, a; ld.global.f64 %d1, [%rd1];\n"
      "st.local.f64 [%rd10], %d1; st.local.f64 [%rd10+8], %d1; ld.global.u32 %r3, [%rd1+4];\n"
      "mul.wide.u32 %rd11, %r3, 8; add.s64 %rd12, %rd10, %rd11;\n"
      "ld.local.f64 %d2, [%rd12]; st.global.f64 [%rd1], %d2;";
  EXPECT_EQ(found(wide).compared, 0u);
  EXPECT_EQ(found(array(4) + kAddress + "ld.local.u8 %rs1, [%rd12]; st.global.u8 [%rd1], %rs1;").compared, 0u);
  // The program stores the address.
  EXPECT_EQ(found(array(4) + kRead + "\nst.global.u64 [%rd1+8], %rd12;").compared, 0u);
}

}  // namespace
}  // namespace drywarp::sass
