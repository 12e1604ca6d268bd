#include <fmt/format.h>

#include "checked.h"

namespace drywarp::check {
namespace {

const std::string kShared = ".shared .align 4 .b8 buffer[1024];\n";
const std::string kWord = "mov.u32 %r5, buffer; shl.b32 %r4, %r0, 2; add.u32 %r4, %r4, %r5;\n";

Lines unwritten(const std::string& body) { return summary(find(CheckTool::Initcheck, body, kShared)); }

TEST(InitCheck, FindsSharedBytesThatNothingWrote) {
  EXPECT_EQ(unwritten(kWord + "st.shared.u32 [%r4], %r0;\nbar.sync 0;\nld.shared.u32 %r6, [%r5+4];"), Lines());
  EXPECT_EQ(unwritten(kWord + "st.shared.u32 [%r4], %r0;\nbar.sync 0;\nld.shared.u32 %r6, [%r5+512];"),
            (Lines{"uninitialized x128 @ ld.shared.u32 %r6, [%r5+512];"}));
  // Three bytes of four.
  EXPECT_EQ(unwritten(kWord + "st.shared.u16 [%r4], %r0;\nst.shared.u8 [%r4+2], %r0;\nld.shared.u32 %r6, [%r4];"),
            (Lines{"uninitialized x128 @ ld.shared.u32 %r6, [%r4];"}));
  EXPECT_EQ(unwritten(kWord + "atom.shared.add.u32 %r6, [%r4], 1;"),
            (Lines{"uninitialized x128 @ atom.shared.add.u32 %r6, [%r4], 1;"}));
}

TEST(InitCheck, FindsGlobalBytesThatNothingWrote) {
  // Both arrays count as not written.
  EXPECT_EQ(unwritten("ld.global.u32 %r4, [%rd1];"), (Lines{"uninitialized x128 @ ld.global.u32 %r4, [%rd1];"}));
  EXPECT_EQ(unwritten("st.global.u32 [%rd1], %r0;\nld.global.u32 %r4, [%rd1];"), Lines());
  const auto findings = find(CheckTool::Initcheck, "ld.global.u32 %r4, [%rd1+4];");
  ASSERT_EQ(findings.size(), 1);
  EXPECT_EQ(
      findings[0].what,
      "read of 4 bytes of global memory that nothing has written: 4 bytes into a device allocation of 1024 bytes");
}

}  // namespace
}  // namespace drywarp::check
