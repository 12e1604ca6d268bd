// Loads that are before the condition under which their value is used.
#include <gtest/gtest.h>

#include <algorithm>

#include "ptx_kernel.h"

namespace drywarp::analysis {
namespace {

// The lines of `body` on which blocks begin that use such a load.
struct Reads : PtxKernel {
  explicit Reads(const std::string& body)
      : PtxKernel(".shared .b32 word;\n.visible .entry k(.param .u64 p) {\n",
                  ".reg .pred %p<5>; .reg .b32 %r<20>; .reg .b64 %rd<9>;\nld.param.u64 %rd1, [p];\n"
                  "mov.u32 %r0, %tid.x;\nsetp.eq.u32 %p1, %r0, 3;\n" +
                      body),
        reads(used_reads(f, flow, liveness(f, flow))) {}
  [[nodiscard]] size_t early() const {
    return static_cast<size_t>(std::count(reads.early.begin(), reads.early.end(), true));
  }
  // The opcodes of the first instructions of the blocks that use one.
  [[nodiscard]] std::vector<ir::Opcode> used_at() const {
    std::vector<ir::Opcode> all;
    for (ir::BlockId b = 0; b < reads.at_block.size(); ++b)
      if (!reads.at_block[b].empty()) all.push_back(f.instructions[f.blocks[b].first].op);
    return all;
  }
  UsedReads reads;
};

TEST(UsedReads, OfALoadBeforeItsCondition) {
  const Reads k(
      "ld.shared.u32 %r1, [word];\n@%p1 bra USE;\nbra.uni END;\nUSE: or.b32 %r2, %r1, 4;\n"
      "st.shared.u32 [word], %r2;\nEND:");
  EXPECT_EQ(k.early(), 1U);
  EXPECT_EQ(k.used_at(), std::vector{ir::Opcode::Or});
}

TEST(UsedReads, OfALoadBeforeALoop) {
  const Reads k(
      "ld.shared.u32 %r1, [word];\nmov.u32 %r3, %r1;\nmov.u32 %r4, 0;\n"
      "L: add.u32 %r4, %r4, 1; setp.ne.u32 %p2, %r4, %r0;\n@%p2 bra NEXT;\n"
      "or.b32 %r3, %r3, 4;\nst.shared.u32 [word], %r3;\n"
      "NEXT: setp.lt.u32 %p3, %r4, 99;\n@%p3 bra L;");
  EXPECT_EQ(k.early(), 1U);
  EXPECT_EQ(k.used_at(), std::vector{ir::Opcode::Or});
}

// As compilers move it, too.
TEST(UsedReads, OfWhatIsComputedBeforeTheCondition) {
  const Reads k(
      "ld.shared.u32 %r1, [word];\nmov.u32 %r4, 0;\n"
      "L: add.u32 %r4, %r4, 1; setp.ne.u32 %p2, %r4, %r0;\nor.b32 %r3, %r1, %r4;\n@%p2 bra NEXT;\n"
      "st.shared.u32 [word], %r3;\nmov.u32 %r1, %r3;\n"
      "NEXT: setp.lt.u32 %p3, %r4, 99;\n@%p3 bra L;");
  EXPECT_EQ(k.early(), 1U);
  EXPECT_EQ(k.used_at(), std::vector{ir::Opcode::St});
  // A condition that is computed with it is a use, and so is an address.
  for (const char* use :
       {"setp.eq.u32 %p2, %r2, 7;\n@%p2 bra END;", "cvt.u64.u32 %rd2, %r2;\nst.global.u32 [%rd2], 1;"})
    EXPECT_EQ(Reads("ld.shared.u32 %r1, [word];\nadd.u32 %r2, %r1, 1;\n" + std::string(use) +
                    "\n@%p1 bra USE;\nbra.uni END;\nUSE: st.global.u32 [%rd1], %r2;\nEND:")
                  .early(),
              0U)
        << use;
  // Another value is in the register then.
  EXPECT_EQ(Reads("ld.shared.u32 %r1, [word];\nadd.u32 %r2, %r1, 1;\nmov.u32 %r2, 1;\nmov.u32 %r1, 2;\n"
                  "@%p1 bra USE;\nbra.uni END;\nUSE: st.global.u32 [%rd1], %r2;\nEND:")
                .early(),
            0U);
}

TEST(UsedReads, NotWhereAllLanesUseIt) {
  for (const char* body : {// in its own block
                           "ld.shared.u32 %r1, [word];\nsetp.eq.u32 %p1, %r1, 3;\n@%p1 bra END;\n"
                           "st.shared.u32 [word], %r0;\nEND:",
                           // on both ways
                           "ld.shared.u32 %r1, [word];\n@%p1 bra USE;\nst.global.u32 [%rd1], %r1;\nbra.uni END;\n"
                           "USE: st.global.u32 [%rd1+4], %r1;\nEND:",
                           // behind them
                           "ld.shared.u32 %r1, [word];\n@%p1 bra END;\nst.global.u32 [%rd1], %r0;\n"
                           "END: st.global.u32 [%rd1+4], %r1;"})
    EXPECT_EQ(Reads(body).early(), 0U) << body;
}

// The load is before the barrier, and so is the read.
TEST(UsedReads, NotWhereSomethingOrders) {
  for (const char* orders : {"bar.sync 0;", "membar.gl;", "atom.global.add.u32 %r7, [%rd1], 1;", "bar.warp.sync -1;",
                             "ld.volatile.global.u32 %r7, [%rd1];"})
    EXPECT_EQ(Reads("ld.shared.u32 %r1, [word];\n" + std::string(orders) +
                    "\n@%p1 bra USE;\nbra.uni END;\nUSE: st.global.u32 [%rd1], %r1;\nEND:")
                  .early(),
              0U)
        << orders;
}

TEST(UsedReads, NotOfAddressesInRegistersOrStrongLoads) {
  for (const char* load :
       {"ld.global.u32 %r1, [%rd1];", "ld.volatile.shared.u32 %r1, [word];", "@%p1 ld.shared.u32 %r1, [word];"})
    EXPECT_EQ(Reads(std::string(load) + "\n@%p1 bra USE;\nbra.uni END;\nUSE: st.global.u32 [%rd1], %r1;\nEND:").early(),
              0U)
        << load;
}

}  // namespace
}  // namespace drywarp::analysis
