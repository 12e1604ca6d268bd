#include <fmt/format.h>

#include "checked.h"

namespace drywarp::check {
namespace {

std::vector<Finding> memory_findings(const std::string& body, const std::string& declarations = "") {
  const auto findings = find(CheckTool::Memcheck, body, declarations);
  EXPECT_EQ(find(CheckTool::Memcheck, body, declarations, 3), findings) << "on three threads";
  return findings;
}

TEST(MemoryCheck, FindsNothingInSoundCode) {
  EXPECT_EQ(memory_findings("ld.param.u64 %rd3, [in];\nld.global.u32 %r4, [%rd3+1020];\nst.global.u32 [%rd1], %r4;"),
            std::vector<Finding>());
}

TEST(MemoryCheck, FindsAccessesPastTheEnd) {
  // The array has 256 words: of the 128 threads, those from the 64th on are past it.
  const auto findings = memory_findings("add.u64 %rd1, %rd1, 768;\nst.global.u32 [%rd1], %r0;");
  ASSERT_EQ(summary(findings), (Lines{"out-of-bounds x64 @ st.global.u32 [%rd1], %r0;"}));
  EXPECT_EQ(findings[0].thread, (ThreadPlace{{1, 0, 0}, {0, 0, 0}}));
  EXPECT_EQ(findings[0].what,
            "invalid global write of 4 bytes: 0 bytes past the end of a device allocation of 1024 bytes");
  ASSERT_TRUE(findings[0].allocation);
  EXPECT_EQ(findings[0].allocation->size, 1024);
  EXPECT_EQ(findings[0].bytes, 4);
}

TEST(MemoryCheck, TellsTheKindsOfPointersApart) {
  EXPECT_EQ(summary(memory_findings("mov.u64 %rd4, 0;\nsetp.eq.u32 %p1, %r1, 5;\n@%p1 ld.global.u32 %r4, [%rd4+16];")),
            (Lines{"null-pointer x1 @ @%p1 ld.global.u32 %r4, [%rd4+16];"}));
  EXPECT_EQ(summary(memory_findings("mov.u64 %rd4, 0x123450000;\nld.global.u32 %r4, [%rd4];")),
            (Lines{"wild-pointer x128 @ ld.global.u32 %r4, [%rd4];"}));
  EXPECT_EQ(summary(memory_findings("add.u64 %rd1, %rd1, 2;\natom.global.add.u32 %r4, [%rd1], 1;")),
            (Lines{"misaligned x128 @ atom.global.add.u32 %r4, [%rd1], 1;"}));
}

TEST(MemoryCheck, FindsSharedMemoryPastTheBlocks) {
  const auto findings = memory_findings(
      "mov.u32 %r4, buffer; shl.b32 %r5, %r0, 2; add.u32 %r4, %r4, %r5;\n"
      "st.shared.u32 [%r4], %r0;\nld.shared.u32 %r6, [%r4+4];",
      ".shared .align 4 .b8 buffer[128];\n");
  ASSERT_EQ(summary(findings), (Lines{"out-of-bounds x66 @ ld.shared.u32 %r6, [%r4+4];",
                                      "out-of-bounds x64 @ st.shared.u32 [%r4], %r0;"}));
  EXPECT_EQ(findings[0].thread, (ThreadPlace{{0, 0, 0}, {31, 0, 0}}));
  EXPECT_EQ(findings[0].what, "invalid shared read of 4 bytes: offset 0x80; the block has 128 bytes of it");
}

TEST(MemoryCheck, FindsOneSharedVariableThatRunsIntoAnother) {
  const std::string declarations = ".shared .align 4 .b8 first[256];\n.shared .align 4 .b8 second[256];\n";
  const std::string index =
      "mov.u32 %r4, first; shl.b32 %r5, %r0, 2; add.u32 %r4, %r4, %r5;\nst.shared.u32 [second], 1;\n";
  // The access happens: the block may.
  const auto findings = memory_findings(index +
                                            "st.shared.u32 [%r4+4], 7;\nld.shared.u32 %r6, [second];\n"
                                            "st.global.u32 [%rd1], %r6;",
                                        declarations);
  ASSERT_EQ(summary(findings), (Lines{"out-of-bounds x2 @ st.shared.u32 [%r4+4], 7;"}));
  EXPECT_EQ(findings[0].thread, (ThreadPlace{{0, 0, 0}, {63, 0, 0}}));
  EXPECT_EQ(findings[0].what,
            "invalid shared write of 4 bytes: 0 bytes past the end of 'first' of 256 bytes, in 'second'");
  EXPECT_EQ(findings[0].address, 256);
  EXPECT_EQ(summary(memory_findings(index + "atom.shared.add.u32 %r6, [%r4+4], 1;", declarations)),
            (Lines{"out-of-bounds x2 @ atom.shared.add.u32 %r6, [%r4+4], 1;"}));
  EXPECT_EQ(memory_findings(index + "st.shared.u32 [%r4], 7;", declarations), std::vector<Finding>());
  // Past both: the block may not.
  const auto past = memory_findings(index + "st.shared.u32 [%r4+512], 7;", declarations);
  ASSERT_EQ(past.size(), 1);
  EXPECT_EQ(past[0].what,
            "invalid shared write of 4 bytes: 256 bytes past the end of 'first' of 256 bytes; the block has "
            "512 bytes of shared memory");
  EXPECT_EQ(past[0].times, 128);
}

TEST(MemoryCheck, FindsFreedMemory) {
  exec::Machine machine(exec::kernel("ld.param.u64 %rd3, [in];\nld.global.u32 %r4, [%rd3+8];"));
  const uint64_t out = machine.words(256), in = machine.words(256);
  machine.memory().free(in);
  const Checked checked = run_checked(CheckTool::Memcheck, machine, {1}, {32}, {out, in});
  ASSERT_EQ(summary(checked.findings), (Lines{"use-after-free x32 @ ld.global.u32 %r4, [%rd3+8];"}));
  EXPECT_EQ(checked.findings[0].what,
            "invalid global read of 4 bytes: 8 bytes into a device allocation of 1024 bytes that has been freed");
}

TEST(MemoryCheck, NamesTheAllocationThatIsLeft) {
  // Half of the warp is nearer to the next array: it still is past the end of the first.
  exec::Machine machine(
      exec::kernel("ld.param.u64 %rd3, [in];\nshr.u32 %r4, %r0, 4;\nmul.wide.u32 %rd4, %r4, 6000;\n"
                   "add.u64 %rd3, %rd3, %rd4;\nst.global.u32 [%rd3], %r0;"));
  const uint64_t a = machine.words(256), b = machine.words(256);
  const Checked checked = run_checked(CheckTool::Memcheck, machine, {1}, {32}, {b, a});
  ASSERT_EQ(summary(checked.findings), (Lines{"out-of-bounds x16 @ st.global.u32 [%rd3], %r0;"}));
  EXPECT_EQ(checked.findings[0].what,
            "invalid global write of 4 bytes: 4976 bytes past the end of a device allocation of 1024 bytes");
}

TEST(MemoryCheck, TellsAddressesOfOtherMemories) {
  const std::string shared = ".shared .align 4 .b8 buffer[128];\n";
  EXPECT_EQ(
      summary(memory_findings("mov.u64 %rd3, buffer; cvta.shared.u64 %rd3, %rd3;\nld.global.u32 %r4, [%rd3];", shared)),
      (Lines{"wrong-space x128 @ ld.global.u32 %r4, [%rd3];"}));
  EXPECT_EQ(memory_findings("mov.u64 %rd3, buffer; cvta.shared.u64 %rd3, %rd3;\nld.u32 %r4, [%rd3];", shared),
            std::vector<Finding>());
  // A thread's own local memory, and that of the first lane of its warp.
  const std::string local = ".local .align 4 .b8 l[16]; mov.u64 %rd3, l; cvta.local.u64 %rd3, %rd3;\n";
  EXPECT_EQ(memory_findings(local + "st.u32 [%rd3+4], %r0;\nld.u32 %r4, [%rd3+4];"), std::vector<Finding>());
  const auto findings = memory_findings(
      local +
      "mov.b64 {%r4, %r5}, %rd3;\nshfl.sync.idx.b32 %r4, %r4, 0, 31, -1;\nshfl.sync.idx.b32 %r5, %r5, 0, 31, -1;\n"
      "mov.b64 %rd4, {%r4, %r5};\nld.u32 %r6, [%rd4+4];");
  ASSERT_EQ(summary(findings), (Lines{"wrong-space x124 @ ld.u32 %r6, [%rd4+4];"}));
  EXPECT_EQ(findings[0].what,
            "invalid global read of 4 bytes: the address of local memory of thread (0,0,0), offset 0x4");
}

TEST(MemoryCheck, LooksAtParameters) {
  // The kernel has 16 bytes of parameters: an index into the second one leaves them from the third thread on.
  const std::string index = "mov.u64 %rd3, in;\nmul.wide.u32 %rd4, %r0, 4;\nadd.u64 %rd3, %rd3, %rd4;\n";
  EXPECT_EQ(summary(memory_findings(index + "ld.param.u32 %r4, [%rd3];")),
            (Lines{"out-of-bounds x124 @ ld.param.u32 %r4, [%rd3];"}));
  EXPECT_EQ(summary(memory_findings(index + "cvta.param.u64 %rd3, %rd3;\nld.u32 %r4, [%rd3];")).size(), 1);
  EXPECT_EQ(memory_findings("setp.lt.u32 %p1, %r0, 2;\n" + index + "@%p1 ld.param.u32 %r4, [%rd3];"),
            std::vector<Finding>());
}

TEST(MemoryCheck, LooksAtEachThreadsOwnLocalMemory) {
  // The next thread's memory begins there.
  const std::string local = ".local .align 4 .b8 l[16]; mov.u64 %rd3, l; mul.wide.u32 %rd4, %r0, 4;\n";
  const auto findings =
      memory_findings(local + "and.b64 %rd4, %rd4, 31; add.u64 %rd3, %rd3, %rd4;\nst.local.u32 [%rd3], %r0;");
  EXPECT_EQ(summary(findings), (Lines{"out-of-bounds x64 @ st.local.u32 [%rd3], %r0;"}));
}

}  // namespace
}  // namespace drywarp::check
