// What ptxas writes in front of exchanges between lanes that can have parted (CUDA 13, sm_90; read from its code).
#include <gmock/gmock.h>

#include "kernels.h"

namespace drywarp::sass {
namespace {

// The checks and exchanges of the first block that has any: BRA.DIV is "BRA", or "@BRA" for lanes with their own masks.
std::string checks_of(const std::string& body) {
  Options options{90, 0};
  options.texts = true;
  const auto k = lower(kernel(body), 0, options);
  if (!k) return k.problem().message;
  const std::set<std::string> wanted = {"WARPSYNC", "SHFL", "VOTE", "MATCH", "REDUX", "NOP", "UMOV", "BRA", "ATOMG"};
  size_t at = 0;
  for (const machine::MachineBlock& block : k->blocks) {
    std::string found;
    bool exchanges = false;
    for (size_t i = 0; i < block.instructions.size(); ++i) {
      const std::string& text = k->texts[at + i];
      const bool guarded = text.starts_with("@");
      std::istringstream words(text);
      std::string word;
      words >> word;
      if (guarded) words >> word;
      word = word.substr(0, word.find('.'));
      const bool ends = word == "BRA" && i + 1 == block.instructions.size();
      const bool value = word == "UMOV" && block.instructions[i].destination[0];
      if (!wanted.contains(word) || ends || value) continue;
      exchanges = exchanges || word == "SHFL" || word == "VOTE" || word == "NOP" || word == "WARPSYNC";
      found += (found.empty() ? "" : " ") + (guarded ? "@" + word : word);
    }
    if (exchanges) return found;
    at += block.instructions.size();
  }
  return "";
}

const std::string kShfl1 = "shfl.sync.bfly.b32 %r11, %r10, 1, 31, ", kShfl2 = "shfl.sync.bfly.b32 %r12, %r11, 2, 31, ";

// In code that only some lanes run: those with more than %r1.
std::string in_branch(const std::string& exchanges) {
  return checks_of(
      "ld.global.u32 %r10, [%rd1]; mov.u32 %r11, %r10; mov.u32 %r12, %r10; setp.lt.u32 %p1, %r2, %r1;\n"
      "@%p1 bra END;\n" +
      exchanges + "\nst.global.u32 [%rd1+4], %r12;\nEND:\nst.global.u32 [%rd1], %r1;");
}

TEST(ExchangeChecks, AllLanesOfConvergedCodeAreThere) {
  EXPECT_EQ(checks_of("ld.global.u32 %r10, [%rd1];\n" + kShfl1 + "-1;\nst.global.u32 [%rd1], %r11;"), "SHFL");
  EXPECT_EQ(checks_of("st.global.u32 [%rd1], %r2; bar.warp.sync -1; st.global.u32 [%rd1+4], %r2;"), "NOP");
  // A parameter is one mask for all.
  EXPECT_EQ(checks_of("ld.global.u32 %r10, [%rd1];\n" + kShfl1 + "%r1;\nst.global.u32 [%rd1], %r11;"), "SHFL");
}

TEST(ExchangeChecks, OneExchangeOfAKindWaits) {
  EXPECT_EQ(in_branch(kShfl1 + "-1;\nmov.u32 %r12, %r11;"), "WARPSYNC SHFL");
  EXPECT_EQ(in_branch("bar.warp.sync -1;"), "WARPSYNC");
  EXPECT_EQ(in_branch("vote.sync.any.pred %p2, %p1, -1; selp.u32 %r12, 1, 0, %p2;"), "WARPSYNC VOTE");
  // Of two kinds.
  EXPECT_EQ(in_branch(kShfl1 + "-1;\nbar.warp.sync -1;\nmov.u32 %r12, %r11;"), "WARPSYNC SHFL NOP");
  // The mask of the lanes that run this.
  EXPECT_EQ(in_branch("activemask.b32 %r13;\n" + kShfl1 + "%r13;\nmov.u32 %r12, %r11;"), "VOTE WARPSYNC SHFL");
}

TEST(ExchangeChecks, TwoExchangesOfAKindBranch) {
  EXPECT_EQ(in_branch(kShfl1 + "-1;\n" + kShfl2 + "-1;"), "UMOV BRA SHFL SHFL");
  EXPECT_EQ(in_branch("bar.warp.sync -1;\nst.global.u32 [%rd1+8], %r2;\nbar.warp.sync -1;"), "UMOV BRA NOP NOP");
  EXPECT_EQ(in_branch("activemask.b32 %r13;\n" + kShfl1 + "%r13;\n" + kShfl2 + "%r13;"), "VOTE UMOV BRA SHFL SHFL");
}

// A barrier of the block between two exchanges parts the code that they would share.
TEST(ExchangeChecks, BarriersSeparateExchanges) {
  const auto twice = [](const std::string& between) {
    return checks_of(
        "ld.global.u32 %r10, [%rd1]; setp.lt.u32 %p1, %r2, %r1; setp.gt.u32 %p2, %r2, 5; mov.u32 %r11, %r10;\n"
        "mov.u32 %r12, %r10;\n@%p1 bra A;\n" +
        kShfl1 + "-1;\nst.global.u32 [%rd1+4], %r11;\nA:\n" + between + "@%p2 bra B;\n" + kShfl2 +
        "-1;\nst.global.u32 [%rd1+8], %r12;\nB:\nst.global.u32 [%rd1], %r1;");
  };
  EXPECT_EQ(twice(""), "UMOV BRA SHFL");
  EXPECT_EQ(twice("bar.sync 0;\n"), "WARPSYNC SHFL");
}

TEST(ExchangeChecks, LanesWithTheirOwnMasksAreCheckedAnywhere) {
  const std::string mask = "ld.global.u32 %r10, [%rd1]; ld.global.u32 %r13, [%rd1+4];\n";
  EXPECT_EQ(checks_of(mask + kShfl1 + "%r13;\nst.global.u32 [%rd1], %r11;"), "WARPSYNC SHFL");
  EXPECT_EQ(checks_of(mask + kShfl1 + "%r13;\n" + kShfl2 + "%r13;\nst.global.u32 [%rd1], %r12;"),
            "VOTE MATCH REDUX @BRA SHFL SHFL");
}

// nvcc's loops from a thread's number on, with an exchange: ptxas does not unroll them.
TEST(ExchangeChecks, LoopsThatLanesLeaveApartAreNotUnrolled) {
  const auto loop = [](const std::string& exchange) {
    return checks_of("mov.u32 %r10, %r2; mov.u32 %r14, 0; mov.u32 %r11, 1;\nL:\n" + exchange +
                     "add.s32 %r14, %r14, %r11; add.s32 %r10, %r10, 32; setp.lt.s32 %p1, %r10, %r1;\n@%p1 bra L;\n"
                     "st.global.u32 [%rd1], %r14;");
  };
  EXPECT_EQ(loop(kShfl1 + "-1;\n"), "WARPSYNC SHFL");
}

// ptxas adds a whole warp's operands in a scan; elsewhere each lane has its own atomic, and branches around the scan.
TEST(ExchangeChecks, AnActiveMaskOfPartedLanesIsNoCommonOperand) {
  const std::string add = "activemask.b32 %r13; popc.b32 %r14, %r13; atom.global.add.u32 %r12, [%rd1], %r14;";
  EXPECT_THAT(in_branch(add), testing::StartsWith("VOTE VOTE @ATOMG BRA SHFL"));
  EXPECT_THAT(checks_of(add + "st.global.u32 [%rd1+64], %r12;"), testing::Not(testing::HasSubstr("BRA")));
}

}  // namespace
}  // namespace drywarp::sass
