// From which pointer, in a kernel's parameters or in memory, an address is computed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "language/analysis/passes.h"
#include "ptx_kernel.h"

namespace drywarp::analysis {
namespace {

// Of the accesses to global memory by an address in a register, in order: where the pointer is, "-" where it is not
// known.
std::vector<std::string> pointers(const std::string& body) {
  const PtxKernel k(
      ".const .align 8 .b8 c[64]; .global .align 8 .b8 g[64]; .shared .align 8 .b8 h[64];\n"
      ".visible .entry k(.param .u64 p, .param .u64 q, .param .align 8 .b8 s[16], .param .u64 n) {\n",
      ".reg .pred %p<5>; .reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .f64 %fd<4>;\n"
      "ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd2, %rd1;\n"
      "ld.param.u64 %rd3, [q]; cvta.to.global.u64 %rd4, %rd3;\n"
      "ld.param.u64 %rd5, [s+8]; cvta.to.global.u64 %rd6, %rd5; ld.param.u64 %rd7, [n];\n" +
          body);
  const PointerSources found = pointer_sources(k.module, k.f);
  std::vector<std::string> all;
  for (size_t i = 0; i < k.f.instructions.size(); ++i) {
    const auto& in = k.f.instructions[i];
    const bool global = in.mods.space == AddressSpace::Global || in.mods.space == AddressSpace::Generic;
    if (!in.address || in.address->reg == ir::kNone || !global) continue;
    if (found.of[i] == ir::kNone) {
      all.emplace_back("-");
      continue;
    }
    const PointerSource& source = found.all[found.of[i]];
    const std::string place = source.variable == ir::kNone ? "" : k.module.symbols[source.variable].name + "+";
    const char* const kinds[] = {"", "listed ", "in ", "beyond "};
    all.push_back(fmt::format("{}{}{}", kinds[size_t(source.kind)], place, source.offset));
  }
  return all;
}
using All = std::vector<std::string>;

TEST(PointersOfAccesses, AreFollowedThroughArithmeticAndLoops) {
  EXPECT_EQ(
      pointers("st.global.u32 [%rd2+4], 1; shl.b64 %rd8, %rd7, 2; add.s64 %rd9, %rd4, %rd8; st.global.u32 [%rd9], 1;\n"
               "st.global.u32 [%rd6], 1;"),
      (All{"0", "8", "24"}));
  EXPECT_EQ(pointers("mov.u32 %r1, %tid.x; mul.wide.u32 %rd8, %r1, 4; mov.u64 %rd9, %rd2;\n"
                     "L: add.s64 %rd9, %rd9, %rd8; ld.global.u32 %r2, [%rd9]; mad.wide.u32 %rd10, %r2, 4, %rd4;\n"
                     "ld.global.u32 %r3, [%rd10]; setp.ne.u32 %p1, %r3, 0; @%p1 bra L;"),
            (All{"0", "8"}));
}

// As clang reads a structure in more than one block.
TEST(PointersOfAccesses, AreLoadedByTheAddressOfAParameter) {
  EXPECT_EQ(pointers("mov.b64 %rd8, s; mov.u64 %rd9, %rd8; ld.param.u64 %rd10, [%rd9+8]; st.global.u32 [%rd10], 1;\n"
                     "add.s64 %rd11, %rd9, 8; ld.param.u64 %rd12, [%rd11]; st.global.u32 [%rd12], 1;\n"
                     "add.s64 %rd13, %rd9, %rd7; ld.param.u64 %rd14, [%rd13]; st.global.u32 [%rd14], 1;"),
            (All{"24", "24", "-"}));
}

TEST(PointersOfAccesses, AreNotKnownWhereTheyMayBeAnothers) {
  EXPECT_EQ(pointers("setp.ne.u64 %p1, %rd7, 0; selp.b64 %rd8, %rd2, %rd4, %p1; st.global.u32 [%rd8], 1;"), (All{"-"}));
  // The distance of two pointers leads to the other one.
  EXPECT_EQ(pointers("sub.s64 %rd8, %rd3, %rd1; add.s64 %rd9, %rd2, %rd8; st.global.u32 [%rd9], 1;"), (All{"-"}));
  EXPECT_EQ(pointers("ld.global.u64 %rd8, [%rd2]; st.global.u32 [%rd8], 1;"), (All{"0", "listed 0"}));
  EXPECT_EQ(pointers("mov.u64 %rd8, %rd2; st.global.u32 [%rd8], 1; mov.u64 %rd8, %rd4;"), (All{"-"}));
}

TEST(PointersOfAccesses, AreFollowedFromMemory) {
  // A fixed place, and one of an index, in a variable and in what a parameter names.
  EXPECT_EQ(pointers("ld.const.u64 %rd8, [c+8]; add.s64 %rd9, %rd8, 4; shl.b64 %rd10, %rd7, 2;\n"
                     "add.s64 %rd9, %rd9, %rd10; st.u32 [%rd9], 1;"),
            (All{"c+8"}));
  EXPECT_EQ(pointers("ld.const.v2.u64 {%rd8, %rd9}, [c+16]; st.u32 [%rd9], 1; st.u32 [%rd8+4], 1;"),
            (All{"c+24", "c+16"}));
  EXPECT_EQ(pointers("ld.global.u64 %rd8, [g]; cvta.to.global.u64 %rd9, %rd8; st.global.u32 [%rd9], 1;"), (All{"g+0"}));
  EXPECT_EQ(pointers("mov.u64 %rd8, c; shl.b64 %rd9, %rd7, 3; add.s64 %rd8, %rd8, %rd9; ld.const.u64 %rd10, [%rd8+8];\n"
                     "st.u32 [%rd10], 1;"),
            (All{"in c+0"}));
  EXPECT_EQ(pointers("shl.b64 %rd9, %rd7, 3; add.s64 %rd8, %rd4, %rd9; ld.global.u64 %rd10, [%rd8];\n"
                     "add.s64 %rd10, %rd10, %rd9; st.u32 [%rd10], 1;"),
            (All{"8", "listed 8"}));
  // A table in a table.
  EXPECT_EQ(pointers("ld.global.u64 %rd8, [%rd2]; ld.u64 %rd9, [%rd8]; st.u32 [%rd9], 1;"),
            (All{"0", "listed 0", "beyond 0"}));
}

// Registers whose addresses are computed from one pointer of a table at a time.
TEST(PointersOfAccesses, AreToldApartThatATableHas) {
  const auto computed = [](const std::string& body) {
    const PtxKernel k(".visible .entry k(.param .u64 p, .param .u64 n) {\n",
                      ".reg .pred %p<5>; .reg .b32 %r<20>; .reg .b64 %rd<20>;\n"
                      "ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [n]; ld.global.u64 %rd3, [%rd1];\n"
                      "ld.global.u64 %rd4, [%rd1+8]; shl.b64 %rd5, %rd2, 2;\n" +
                          body);
    All names;
    const std::vector<bool> are = computed_addresses(k.module, k.f);
    for (size_t r = 0; r < are.size(); ++r)
      if (are[r]) names.push_back(k.f.registers[r].name);
    return names;
  };
  EXPECT_EQ(computed("mad.lo.s64 %rd6, %rd5, 8, %rd3; st.global.u32 [%rd6], 1; st.global.u32 [%rd4], 1;"),
            (All{"%rd3", "%rd4", "%rd6"}));
  EXPECT_EQ(computed("st.global.u32 [%rd3], 1; sub.s64 %rd6, %rd4, %rd3;"), All());
  EXPECT_EQ(computed("st.global.u32 [%rd1], 1;"), All());
}

TEST(PointersOfAccesses, AreNotFollowedFromMemoryWhereNobodyKnowsWhose) {
  // A value of another type; shared memory; one of two places, or their sum; a bit of it is set.
  EXPECT_EQ(pointers("ld.const.f64 %fd1, [c]; mov.b64 %rd8, %fd1; st.u32 [%rd8], 1;"), (All{"-"}));
  EXPECT_EQ(pointers("ld.shared.u64 %rd8, [h]; st.u32 [%rd8], 1;"), (All{"-"}));
  EXPECT_EQ(
      pointers("ld.const.u64 %rd8, [c]; ld.const.u64 %rd9, [c+8]; setp.ne.u64 %p1, %rd7, 0;\n"
               "selp.b64 %rd10, %rd8, %rd9, %p1; st.u32 [%rd10], 1; add.s64 %rd10, %rd8, %rd9; st.u32 [%rd10], 1;"),
      (All{"-", "-"}));
  EXPECT_EQ(pointers("ld.const.u64 %rd8, [c]; or.b64 %rd9, %rd8, 1; st.u32 [%rd9], 1; st.u32 [%rd8], 1;"),
            (All{"-", "c+0"}));
  // It becomes the difference of two pointers, and the sum with a third one is anybody's.
  EXPECT_EQ(pointers("ld.const.u64 %rd8, [c]; sub.s64 %rd9, %rd8, %rd1; st.u32 [%rd8], 1; add.s64 %rd10, %rd4, %rd9;\n"
                     "st.global.u32 [%rd10], 1;"),
            (All{"c+0", "-"}));
  // What a call or another lane gives is not known; with a distance it is none of this kernel's pointers.
  EXPECT_EQ(
      pointers("ld.global.u64 %rd8, [%rd2]; add.s64 %rd9, %rd8, %rd7; st.u32 [%rd9], 1; st.global.u32 [%rd2], 1;"),
      (All{"0", "-", "0"}));
}

}  // namespace
}  // namespace drywarp::analysis
