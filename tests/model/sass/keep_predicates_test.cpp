#include <fmt/format.h>

#include "kernels.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

// Each of `predicates` guards a store before a barrier, and one behind it.
machine::MachineKernel stores_on_both_sides(unsigned predicates) {
  std::string body;
  for (unsigned i = 0; i < predicates; ++i) body += fmt::format("ld.global.u32 %r{}, [%rd1+{}];\n", 10 + i, 4 * i);
  for (unsigned i = 0; i < predicates; ++i) body += fmt::format("setp.lt.s32 %p{}, %r{}, %r1;\n", i, 10 + i);
  for (unsigned i = 0; i < predicates; ++i)
    body += fmt::format("@%p{} st.global.u32 [%rd1+{}], %r2;\n", i, 1000 + 4 * i);
  body += "bar.sync 0;\n";
  for (unsigned i = 0; i < predicates; ++i)
    body += fmt::format("@%p{} st.global.u32 [%rd1+{}], %r2;\n", i, 2000 + 4 * i);
  return lowered(kernel(body));
}

// As ptxas 13 for sm_90.
TEST(KeepPredicates, SevenAreInPredicatesAndOthersInRegisters) {
  const machine::MachineKernel seven = stores_on_both_sides(7);
  EXPECT_EQ(count(seven, P2r), 0);
  EXPECT_EQ(count(seven, Isetp), 7);
  const machine::MachineKernel nine = stores_on_both_sides(9);
  EXPECT_EQ(count(nine, P2r), 4);
  EXPECT_EQ(count(nine, Isetp), 13);
}

// Seven predicates are live in a loop, whose branch needs another one: one of them is in a register before the loop.
TEST(KeepPredicates, BranchOfLoopNeedsOne) {
  std::string body;
  for (unsigned i = 0; i < 7; ++i) body += fmt::format("ld.global.u32 %r{}, [%rd1+{}];\n", 10 + i, 4 * i);
  for (unsigned i = 0; i < 7; ++i) body += fmt::format("setp.lt.s32 %p{}, %r{}, %r1;\n", i, 10 + i);
  body += "L:\n";
  for (unsigned i = 0; i < 7; ++i) body += fmt::format("@%p{} st.global.u32 [%rd1+{}], %r2;\n", i, 1000 + 4 * i);
  body += "add.s64 %rd1, %rd1, 4;\nld.global.u32 %r3, [%rd1];\nsetp.ne.s32 %p8, %r3, 0;\n@%p8 bra L;\n";
  EXPECT_EQ(count(lowered(kernel(body)), P2r), 1);
}

}  // namespace
}  // namespace drywarp::sass
