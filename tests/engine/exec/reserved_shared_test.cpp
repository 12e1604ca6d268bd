// Shared memory that the system reserves in a block: behind the program's own, for kernels that ask where it is.
#include "machine.h"

namespace drywarp::exec {
namespace {

const std::string kOwn = ".shared .align 4 .b8 own[200];\n";

TEST(ReservedShared, LiesBehindTheProgramsOwn) {
  Machine machine(
      kernel("mov.u32 %r3, %reserved_smem_offset_begin; mov.u32 %r4, %reserved_smem_offset_end;"
             "mov.u32 %r5, %reserved_smem_offset_cap; mov.u32 %r6, %reserved_smem_offset_0;"
             "mov.u32 %r7, %reserved_smem_offset_1; mov.u32 %r8, %total_smem_size; mov.u32 %r9, own;"
             "ld.shared.u32 %r10, [%r3]; st.shared.u32 [%r4+-4], 77; ld.shared.u32 %r11, [%r3+284];"
             "st.global.v4.u32 [%rd0], {%r3, %r4, %r5, %r6}; st.global.v4.u32 [%rd0+16], {%r7, %r8, %r9, "
             "%r10}; st.global.u32 [%rd0+32], %r11;",
             kOwn));
  const auto got = machine.run({1}, {1}, 0, 9);
  const uint32_t begin = got[0];
  EXPECT_EQ(begin, 256);
  EXPECT_EQ(got, (std::vector<uint32_t>{begin, begin + 288, 1024, begin, begin, 200, 0, 0, 77}));
  EXPECT_EQ(machine.last.kernel->static_shared_bytes, 200);
}

TEST(ReservedShared, HasAnEndAndOnlyForKernelsThatUseIt) {
  Machine asks(kernel("mov.u32 %r3, %reserved_smem_offset_begin; st.shared.u32 [%r3+1024], %r0;", kOwn));
  const auto beyond = asks.launch({1}, {1}, {asks.words(1)});
  ASSERT_TRUE(beyond.fault);
  EXPECT_EQ(beyond.fault->kind, FaultKind::SharedOutOfRange);
  Machine does_not(kernel("mov.u32 %r3, own; st.shared.u32 [%r3+200], %r0;", kOwn));
  const auto own_end = does_not.launch({1}, {1}, {does_not.words(1)});
  ASSERT_TRUE(own_end.fault);
  EXPECT_EQ(own_end.fault->kind, FaultKind::SharedOutOfRange);
}

}  // namespace
}  // namespace drywarp::exec
