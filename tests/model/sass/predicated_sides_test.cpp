#include "kernels.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

size_t blocks_with_guarded_loads(const std::string& body) {
  size_t n = 0;
  for (const machine::MachineBlock& block : lowered(kernel(body)).blocks)
    n += std::ranges::any_of(block.instructions, [](const auto& m) { return m.op == Ldg && m.guard; });
  return n;
}

// A bisection: the load of its side has only the loop's count beside it, unless `work` is there. As ptxas 13, sm_90.
std::string bisection(const std::string& work) {
  return "mov.u32 %r3, 65536;\nmov.u32 %r4, -1;\nmov.u32 %r9, %r2;\nL:\nadd.s32 %r5, %r3, %r4;\n"
         "setp.lt.s32 %p1, %r5, %r1;\nmov.u32 %r6, 0;\n@!%p1 bra J;\nmul.wide.s32 %rd2, %r5, 4;\n"
         "add.s64 %rd3, %rd1, %rd2;\nld.global.u32 %r6, [%rd3];\nJ:\n" +
         work +
         "add.s32 %r4, %r4, %r6;\nshr.u32 %r3, %r3, 1;\nsetp.ne.s32 %p2, %r3, 0;\n@%p2 bra L;\n"
         "st.global.u32 [%rd1], %r4;\nst.global.u32 [%rd1+4], %r9;\n";
}

TEST(PredicatedSides, LoadOfLoopNeedsWorkBesideIt) {
  EXPECT_EQ(blocks_with_guarded_loads(bisection("")), 0);
  EXPECT_EQ(blocks_with_guarded_loads(bisection("mad.lo.s32 %r9, %r9, %r9, %r2;\n")), 1);
}

}  // namespace
}  // namespace drywarp::sass
