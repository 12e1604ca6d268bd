// Products of groups of four warps (wgmma): who waits for whom, and what is counted. Their arithmetic:
// tests/programs/semantics.
#include "machine.h"

namespace drywarp::exec {
namespace {

constexpr MatrixArithmetic kHopper{25, 32, false, 13};

// All of a and b are ones; lines of 16 bytes, eight of which follow each other. The sum goes to the output.
// The threads from 128 on do `others` instead.
std::string ones(const std::string& product, const std::string& pending = "0", const std::string& others = "") {
  return kernel(
      "mov.u32 %r1, s; shl.b32 %r2, %r0, 2; add.u32 %r3, %r1, %r2; mov.u32 %r4, 0; setp.eq.u32 %p3, %r0, 0;\n"
      "@%p3 mbarrier.init.shared.b64 [m], 1;\n"
      "F: st.shared.u32 [%r3], 0x3c003c00; add.u32 %r3, %r3, 512; add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 10;\n"
      "@%p1 bra F;\nbar.sync 0;\n" +
          others +
          // Descriptors: the address, 128 bytes to the other half of k, 256 to the next eight lines; b lies behind a.
          "shr.u32 %r5, %r1, 4; cvt.u64.u32 %rd4, %r5; mov.u64 %rd5, 0x1000080000; or.b64 %rd4, %rd4, %rd5;"
          "add.u64 %rd5, %rd4, 128; mov.f32 %f1, 0f00000000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1;"
          "setp.eq.u32 %p2, %r0, %r0; wgmma.fence.sync.aligned;" +
          product + "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned " + pending +
          ";\n@%p3 mbarrier.arrive.shared.b64 _, [m];\nst.global.f32 [%rd1], %f4;\nE:",
      ".shared .align 128 .b8 s[8192]; .shared .align 8 .b64 m;\n");
}
constexpr const char* kProduct =
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd4, %rd5, %p2, 1, 1, 0, 0;";

constexpr uint32_t kSixteen = 0x41800000;

TEST(GroupProducts, AreCountedAsAnH100Does) {
  Machine machine(ones(kProduct));
  machine.matrix = kHopper;
  EXPECT_THAT(machine.run({2}, {256}), testing::Each(kSixteen));
  for (const InstructionInfo& i : machine.last.kernel->instructions) {
    if (i.text.find("mma_async") == std::string::npos) continue;
    const AccessCounts& has = machine.last.counts.accesses.at(i.access);
    EXPECT_EQ(has.requests, 16u) << "a warp each";
    EXPECT_EQ(has.units, 4 * (16 + 2u)) << "of four groups: a has 2048 bytes, b 256";
    EXPECT_EQ(has.bytes, 4 * (2048 + 256u));
  }
}

// One thread says for its group that it has read b while the other warps sleep, and a fifth warp overwrites the second
// column. If the thread lets a group pend, the other warps have not read it yet.
TEST(GroupProducts, AWaitIsForAllWarpsOfTheGroup) {
  const std::string overwrite =
      "setp.lt.u32 %p1, %r0, 128;\n@%p1 bra G;\n"
      "W: mbarrier.try_wait.parity.shared.b64 %p1, [m], 0;\n@!%p1 bra W;\n"
      "st.shared.u32 [s+2064], 0; st.shared.u32 [s+2192], 0; bra E;\nG: setp.ge.u32 %p4, %r0, 32;\n@%p4 nanosleep.u32 "
      "100;\n";
  for (const char* pending : {"0", "1"}) {
    Machine machine(ones(kProduct, pending, overwrite));
    machine.matrix = kHopper;
    std::vector<uint32_t> sums = machine.run({1}, {160});
    sums.resize(128);
    if (*pending == '0')
      EXPECT_THAT(sums, testing::Each(kSixteen));
    else
      EXPECT_THAT(sums, testing::Contains(testing::Ne(kSixteen)));
  }
}

TEST(GroupProducts, OtherDevicesHaveNone) {
  Machine machine(ones(kProduct));
  machine.matrix = {25, 32, false, 0};
  const Ran ran = machine.launch({1}, {128}, {machine.words(128), 0});
  ASSERT_TRUE(ran.fault);
  EXPECT_EQ(ran.fault->kind, FaultKind::IllegalInstruction);
  EXPECT_THAT(ran.fault->message, testing::HasSubstr("wgmma"));
}

}  // namespace
}  // namespace drywarp::exec
