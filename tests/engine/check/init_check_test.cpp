#include <fmt/format.h>

#include "checked.h"

namespace drywarp::check {
namespace {

const std::string kShared = ".shared .align 4 .b8 buffer[1024];\n";
const std::string kWord = "mov.u32 %r5, buffer; shl.b32 %r4, %r0, 2; add.u32 %r4, %r4, %r5;\n";

Lines unwritten(const std::string& body) { return summary(find(CheckTool::Initcheck, body, kShared)); }

TEST(InitCheck, FindsSharedBytesThatNothingWrote) {
  const std::string stored = "\nst.global.u32 [%rd1], %r6;";
  EXPECT_EQ(unwritten(kWord + "st.shared.u32 [%r4], %r0;\nbar.sync 0;\nld.shared.u32 %r6, [%r5+4];" + stored), Lines());
  EXPECT_EQ(unwritten(kWord + "st.shared.u32 [%r4], %r0;\nbar.sync 0;\nld.shared.u32 %r6, [%r5+512];" + stored),
            (Lines{"uninitialized x128 @ ld.shared.u32 %r6, [%r5+512];"}));
  // Three bytes of four.
  const std::string three = kWord + "st.shared.u16 [%r4], %r0;\nst.shared.u8 [%r4+2], %r0;\nld.shared.u32 %r6, [%r4];";
  EXPECT_EQ(unwritten(three + stored), (Lines{"uninitialized x128 @ ld.shared.u32 %r6, [%r4];"}));
  EXPECT_EQ(unwritten(three + "\nand.b32 %r6, %r6, 16777215;" + stored), Lines());
  EXPECT_EQ(unwritten(three + "\nshl.b32 %r6, %r6, 8;" + stored), Lines());
  EXPECT_EQ(unwritten(three + "\nst.global.u16 [%rd1], %r6;"), Lines());
  EXPECT_EQ(unwritten(three + "\nshr.u32 %r6, %r6, 23;\nst.global.u16 [%rd1], %r6;").size(), 1);
  EXPECT_EQ(unwritten(three + "\nprmt.b32 %r6, %r6, 0, 0x4210;" + stored), Lines());
  EXPECT_EQ(unwritten(three + "\nprmt.b32 %r6, %r6, 0, 0x4213;" + stored).size(), 1);
  EXPECT_EQ(unwritten(kWord + "atom.shared.add.u32 %r6, [%r4], 1;").size(), 1);
}

TEST(InitCheck, FindsGlobalBytesThatNothingWrote) {
  // Both arrays count as not written.
  EXPECT_EQ(unwritten("st.global.u32 [%rd1], %r0;\nld.global.u32 %r4, [%rd1];\nst.global.u32 [%rd1], %r4;"), Lines());
  const auto findings = find(CheckTool::Initcheck, "ld.global.u32 %r4, [%rd1+4];\nst.global.u32 [%rd1], %r4;");
  ASSERT_EQ(findings.size(), 1);
  EXPECT_EQ(
      findings[0].what,
      "read of 4 bytes of global memory that nothing has written: 4 bytes into a device allocation of 1024 bytes");
  ASSERT_TRUE(findings[0].other);
  EXPECT_EQ(findings[0].other->what, "is stored");
}

TEST(InitCheck, FindsLocalBytesThatNothingWrote) {
  const std::string local = ".local .align 4 .b8 l[16];\nmov.u64 %rd3, l;\n";
  EXPECT_EQ(unwritten(local + "st.local.u32 [%rd3+4], %r0;\nld.local.u32 %r6, [%rd3+4];\nst.global.u32 [%rd1], %r6;"),
            Lines());
  EXPECT_EQ(unwritten(local + "st.local.u32 [%rd3+4], %r0;\nld.local.u32 %r6, [%rd3+8];\nst.global.u32 [%rd1], %r6;"),
            (Lines{"uninitialized x128 @ ld.local.u32 %r6, [%rd3+8];"}));
}

// Where a value of memory that nothing wrote goes, in %r4.
std::string use_of(const std::string& body) {
  const auto findings = find(CheckTool::Initcheck, "ld.global.u32 %r4, [%rd1];\n" + body, kShared);
  if (findings.size() > 1) ADD_FAILURE() << findings.size();
  return findings.empty() ? "nowhere" : findings[0].other ? findings[0].other->what : "unknown";
}

TEST(InitCheck, FollowsValuesToTheirUse) {
  EXPECT_EQ(use_of(""), "nowhere");
  EXPECT_EQ(use_of("add.u32 %r5, %r4, 1;"), "nowhere");
  EXPECT_EQ(use_of("add.u32 %r5, %r4, 1;\nst.global.u32 [%rd1], %r5;"), "is stored");
  EXPECT_EQ(use_of("mov.u32 %r4, 7;\nst.global.u32 [%rd1], %r4;"), "nowhere");
  EXPECT_EQ(use_of("xor.b32 %r4, %r4, %r4;\nst.global.u32 [%rd1], %r4;"), "nowhere");
  EXPECT_EQ(use_of("setp.eq.u32 %p1, %r4, 5;\n@%p1 bra E;\nE: ret;"), "steers a branch");
  EXPECT_EQ(use_of("setp.eq.u32 %p1, %r4, 5;\n@%p1 trap;"), "steers a branch");
  EXPECT_EQ(use_of("and.b32 %r4, %r4, 12;\nmov.u32 %r5, buffer;\nadd.u32 %r5, %r5, %r4;\nst.shared.u32 [%r5], %r0;"),
            "is part of an address");
  EXPECT_EQ(use_of("mov.u32 %r5, buffer;\nst.shared.u32 [%r5], %r0;\natom.shared.exch.b32 %r6, [%r5], %r4;"),
            "goes into an atomic");
}

// Of %r6, the upper two bytes are not written: whether what is stored of it is one of those.
bool stores_unknown(const std::string& body) {
  const auto findings =
      find(CheckTool::Initcheck, kWord + "st.shared.u16 [%r4], %r0;\nld.shared.u32 %r6, [%r4];\n" + body, kShared);
  EXPECT_LE(findings.size(), 1) << body;
  return !findings.empty();
}

TEST(InitCheck, FollowsBytes) {
  const std::string word = "\nst.global.u32 [%rd1], %r7;", half = "\nst.global.u16 [%rd1], %r7;";
  EXPECT_FALSE(stores_unknown("mov.b32 {%h1, %h2}, %r6;\nst.global.u16 [%rd1], %h1;"));
  EXPECT_TRUE(stores_unknown("mov.b32 {%h1, %h2}, %r6;\nst.global.u16 [%rd1], %h2;"));
  EXPECT_FALSE(stores_unknown("mov.b64 %rd4, {%r6, %r0};\nshr.u64 %rd4, %rd4, 32;\ncvt.u32.u64 %r7, %rd4;" + word));
  EXPECT_TRUE(stores_unknown("mov.b64 %rd4, {%r6, %r0};\nshr.u64 %rd4, %rd4, 24;\ncvt.u32.u64 %r7, %rd4;" + word));
  EXPECT_FALSE(stores_unknown("bfe.u32 %r7, %r6, 4, 8;" + word));
  EXPECT_TRUE(stores_unknown("bfe.u32 %r7, %r6, 12, 8;" + word));
  EXPECT_FALSE(stores_unknown("cvt.u32.u16 %r7, %r6;" + word));
  EXPECT_FALSE(stores_unknown("shl.b32 %r7, %r6, 16;" + word));
  EXPECT_TRUE(stores_unknown("shl.b32 %r7, %r6, 12;" + word));
  // Sums and products carry upwards alone; anything else spoils the whole result.
  EXPECT_FALSE(stores_unknown("add.u32 %r7, %r6, 1;" + half));
  EXPECT_FALSE(stores_unknown("mul.lo.u32 %r7, %r6, 3;" + half));
  EXPECT_TRUE(stores_unknown("mul.hi.u32 %r7, %r6, 3;" + half));
  EXPECT_TRUE(stores_unknown("popc.b32 %r7, %r6;" + half));
  EXPECT_FALSE(stores_unknown("or.b32 %r7, %r6, 0xffff0000;" + word));
  EXPECT_TRUE(stores_unknown("or.b32 %r7, %r6, 0x7fff0000;" + word));
}

TEST(InitCheck, LanesAndPredicatesDecide) {
  const std::string half = "setp.lt.u32 %p1, %r0, 16;\n", stored = "st.global.u32 [%rd1], %r5;";
  // A value that is not chosen.
  EXPECT_EQ(use_of(half + "mov.u32 %r6, 3;\nselp.b32 %r5, %r6, %r4, %p1;\n@%p1 " + stored), "nowhere");
  EXPECT_EQ(use_of(half + "mov.u32 %r6, 3;\nselp.b32 %r5, %r4, %r6, %p1;\n@%p1 " + stored), "is stored");
  // A condition that the other side has decided.
  EXPECT_EQ(use_of("setp.lt.u32 %p1, %r0, 0;\nsetp.eq.u32 %p2, %r4, 5;\nand.pred %p3, %p1, %p2;\n@%p3 trap;"),
            "nowhere");
  EXPECT_EQ(use_of("setp.lt.u32 %p1, %r0, 99;\nsetp.eq.u32 %p2, %r4, 5;\nand.pred %p3, %p1, %p2;\n@%p3 trap;"),
            "steers a branch");
}

TEST(InitCheck, ShufflesMoveTheLanes) {
  // Lanes 16 and up keep what they got from memory; the others have their own number.
  const std::string some = "setp.lt.u32 %p1, %r0, 16;\n@%p1 mov.u32 %r4, %r0;\n";
  const std::string down = "shfl.sync.down.b32 %r5, %r4, 8, 31, -1;\n";
  EXPECT_EQ(use_of(some + down + "setp.lt.u32 %p2, %r0, 8;\n@%p2 st.global.u32 [%rd1], %r5;"), "nowhere");
  EXPECT_EQ(use_of(some + down + "setp.eq.u32 %p2, %r0, 8;\n@%p2 st.global.u32 [%rd1], %r5;"), "is stored");
}

TEST(InitCheck, ResultsOfDifferentFunctionsKeepAllLanes) {
  // Half of the lanes call one function, half the other. Both give back what one load read, in the same slot.
  std::string functions;
  for (const char* name : {"one", "two"})
    functions += fmt::format(
        ".func (.param .b32 result) {}(.param .b32 a) {{\n.reg .b32 %a<2>;\nld.param.b32 %a0, [a];\n"
        "st.param.b32 [result], %a0;\nret;\n}}\n",
        name);
  const std::string body =
      "setp.lt.u32 %p1, %r0, 7;\nmov.u64 %rd5, one;\nmov.u64 %rd6, two;\nselp.b64 %rd5, %rd5, %rd6, %p1;\n"
      "ld.global.u32 %r4, [%rd1];\n"
      "{ .param .b32 x; .param .b32 z; st.param.b32 [x], %r4;\n"
      "type: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
      "call (z), %rd5, (x), type; ld.param.b32 %r5, [z]; }\n"
      "st.global.u32 [%rd1], %r5;";
  EXPECT_EQ(summary(find(CheckTool::Initcheck, body, functions)),
            (Lines{"uninitialized x128 @ ld.global.u32 %r4, [%rd1];"}));
}

}  // namespace
}  // namespace drywarp::check
