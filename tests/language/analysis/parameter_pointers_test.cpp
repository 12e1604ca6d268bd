// From which pointer among a kernel's parameters an address is computed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "language/analysis/passes.h"
#include "ptx_kernel.h"

namespace drywarp::analysis {
namespace {

// Of the accesses to global memory, in order: where in the parameters the pointer is, "-" where it is not known.
std::vector<std::string> pointers(const std::string& body) {
  const PtxKernel k(".visible .entry k(.param .u64 p, .param .u64 q, .param .align 8 .b8 s[16], .param .u64 n) {\n",
                    ".reg .pred %p<5>; .reg .b32 %r<20>; .reg .b64 %rd<20>;\n"
                    "ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd2, %rd1;\n"
                    "ld.param.u64 %rd3, [q]; cvta.to.global.u64 %rd4, %rd3;\n"
                    "ld.param.u64 %rd5, [s+8]; cvta.to.global.u64 %rd6, %rd5; ld.param.u64 %rd7, [n];\n" +
                        body);
  const std::vector<uint64_t> found = parameter_pointers(k.module, k.f);
  std::vector<std::string> all;
  for (size_t i = 0; i < k.f.instructions.size(); ++i)
    if (k.f.instructions[i].address && k.f.instructions[i].mods.space == AddressSpace::Global)
      all.push_back(found[i] == kNoParameter ? "-" : fmt::format("{}", found[i]));
  return all;
}
using All = std::vector<std::string>;

TEST(ParameterPointers, AreFollowedThroughArithmeticAndLoops) {
  EXPECT_EQ(
      pointers("st.global.u32 [%rd2+4], 1; shl.b64 %rd8, %rd7, 2; add.s64 %rd9, %rd4, %rd8; st.global.u32 [%rd9], 1;\n"
               "st.global.u32 [%rd6], 1;"),
      (All{"0", "8", "24"}));
  EXPECT_EQ(pointers("mov.u32 %r1, %tid.x; mul.wide.u32 %rd8, %r1, 4; mov.u64 %rd9, %rd2;\n"
                     "L: add.s64 %rd9, %rd9, %rd8; ld.global.u32 %r2, [%rd9]; mad.wide.u32 %rd10, %r2, 4, %rd4;\n"
                     "ld.global.u32 %r3, [%rd10]; setp.ne.u32 %p1, %r3, 0; @%p1 bra L;"),
            (All{"0", "8"}));
}

TEST(ParameterPointers, AreNotKnownWhereTheyMayBeAnothers) {
  EXPECT_EQ(pointers("setp.ne.u64 %p1, %rd7, 0; selp.b64 %rd8, %rd2, %rd4, %p1; st.global.u32 [%rd8], 1;"), (All{"-"}));
  // The distance of two pointers leads to the other one.
  EXPECT_EQ(pointers("sub.s64 %rd8, %rd3, %rd1; add.s64 %rd9, %rd2, %rd8; st.global.u32 [%rd9], 1;"), (All{"-"}));
  EXPECT_EQ(pointers("ld.global.u64 %rd8, [%rd2]; st.global.u32 [%rd8], 1;"), (All{"0", "-"}));
  EXPECT_EQ(pointers("mov.u64 %rd8, %rd2; st.global.u32 [%rd8], 1; mov.u64 %rd8, %rd4;"), (All{"-"}));
}

}  // namespace
}  // namespace drywarp::analysis
