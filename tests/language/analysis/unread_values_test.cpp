// Loads and atomics whose value goes nowhere.
#include <gtest/gtest.h>

#include <algorithm>

#include "ptx_kernel.h"

namespace drywarp::analysis {
namespace {

// How many loads and atomics of `body` have such values.
size_t unread(const std::string& body) {
  const PtxKernel k(".shared .b32 word;\n.visible .entry k(.param .u64 p) {\n",
                    ".reg .pred %p<5>; .reg .b32 %r<20>; .reg .b64 %rd<9>;\nld.param.u64 %rd1, [p];\n"
                    "mov.u32 %r0, %tid.x;\n" +
                        body);
  return static_cast<size_t>(std::ranges::count(unread_values(k.f), true));
}

TEST(UnreadValues, GoNowhere) {
  EXPECT_EQ(unread("st.global.u32 [%rd1], %r0;\natom.global.add.u32 %r1, [%rd1], 1;"), 1U);
  EXPECT_EQ(unread("st.global.u32 [%rd1], %r0;\nred.global.add.u32 [%rd1], 1;"), 1U);
  EXPECT_EQ(unread("ld.volatile.global.u32 %r1, [%rd1];\nadd.u32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 3;"), 1U);
}

TEST(UnreadValues, ThatSomethingDependsOn) {
  const std::string atom = "atom.global.add.u32 %r1, [%rd1], 1;\n";
  EXPECT_EQ(unread(atom + "setp.eq.u32 %p1, %r1, 3;\n@%p1 bra END;\nst.global.u32 [%rd1], %r0;\nEND:"), 0U);
  EXPECT_EQ(unread(atom + "add.u32 %r2, %r1, 1;\nst.shared.u32 [word], %r2;"), 0U);
  EXPECT_EQ(unread(atom + "cvt.u64.u32 %rd2, %r1;\nadd.u64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r0;"), 0U);
  EXPECT_EQ(unread(atom + "setp.eq.u32 %p1, %r1, 3;\n@%p1 red.global.add.u32 [%rd1], 1;"), 1U);  // the second one
  EXPECT_EQ(unread(atom + "shfl.sync.idx.b32 %r2, %r1, 0, 31, -1;"), 0U);                        // other lanes have it
}

// The value of one iteration is what the next one begins with.
TEST(UnreadValues, AroundALoop) {
  EXPECT_EQ(unread("mov.u32 %r2, 0;\nL: add.u32 %r3, %r2, 1;\natom.global.exch.b32 %r2, [%rd1], %r3;\n"
                   "setp.lt.u32 %p1, %r0, 3;\n@%p1 bra L;"),
            0U);
}

}  // namespace
}  // namespace drywarp::analysis
