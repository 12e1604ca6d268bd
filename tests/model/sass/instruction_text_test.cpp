// The text of lowered instructions in listings: registers after allocation, modifiers, constants.
#include "model/sass/instruction_text.h"

#include <gmock/gmock.h>

#include "kernels.h"

namespace drywarp::sass {
namespace {

std::vector<std::string> texts(const std::string& body) {
  const ir::Module module = kernel(body);
  auto result = lower(module, 0, {.compute_capability = 90, .texts = true});
  if (!result) ADD_FAILURE() << result.problem().message;
  return result ? result->texts : std::vector<std::string>();
}

TEST(InstructionText, ShowsOperandsAndModifiers) {
  const auto lines = texts(
      "setp.lt.u32 %p1, %r2, %r1; mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2;\n"
      "@%p1 ld.global.f32 %f1, [%rd3+16]; rcp.approx.ftz.f32 %f2, %f1; fma.rn.f32 %f3, %f2, %f1, 0f40000000;\n"
      "shfl.sync.down.b32 %r5, %r2, 1, 31, -1; cvt.rn.f32.s32 %f4, %r5; add.f32 %f5, %f3, %f4;\n"
      "st.global.f32 [%rd3], %f5;");
  for (const char* line :
       {"S2R R0, SR_TID.X", "LDC R2, c[0x0][0x210]", "ULDC UR0, c[0x0][0x218]", "ISETP.LT.U32 P0, R0, UR0",
        "SHFL.DOWN R0, R0, 0x1, 0x1f", "IMAD.WIDE R2, R0, 0x4, R2", "@P0 LDG R4, [R2.64+0x10]", "I2FP.F32.S32 R0, R0",
        "MUFU.RCP R5, R4", "FFMA R4, R5, R4, 0x40000000", "STG [R2.64], R0", "EXIT"})
    EXPECT_THAT(lines, testing::Contains(line));
}

// A 64-bit addition is two instructions, each with its own registers and halves of constants.
TEST(InstructionText, HalvesOfWideOperations) {
  const auto lines = texts("ld.global.u64 %rd2, [%rd1]; add.s64 %rd3, %rd2, 4294967299; st.global.u64 [%rd1], %rd3;");
  EXPECT_THAT(lines, testing::Contains("IADD3 R4, R4, 0x3"));
  EXPECT_THAT(lines, testing::Contains("IADD3.X R5, R5, 0x1"));
  EXPECT_THAT(lines, testing::Contains("LDG.64 R4, [R2.64]"));
}

TEST(InstructionText, AreWrittenOnRequest) {
  const ir::Module module = kernel("");
  EXPECT_TRUE(lowered(module).texts.empty());
}

// Each machine instruction has a text, in order: it begins with the instruction's mnemonic, behind its guard.
TEST(InstructionText, EveryInstructionOfRealKernelsHasOne) {
  size_t instructions = 0;
  for (const std::string& file : files_that_ptxas_compiled()) {
    const ir::Module module = parse(read_text(kGolden + file));
    for (uint32_t f = 0; f < module.functions.size(); ++f) {
      if (!module.functions[f].is_kernel || module.functions[f].is_declaration) continue;
      const auto code = lower(module, f, {.compute_capability = 90, .texts = true});
      if (!code) continue;
      ASSERT_EQ(code->texts.size(), code->instruction_count());
      size_t at = 0;
      for (const machine::MachineBlock& block : code->blocks) {
        for (const machine::MachineInstruction& in : block.instructions) {
          std::string_view text = code->texts[at++];
          EXPECT_EQ(text.starts_with('@'), static_cast<bool>(in.guard)) << text;
          if (text.starts_with('@')) text.remove_prefix(text.find(' ') + 1);
          EXPECT_TRUE(text.starts_with(machine::info(in.op).mnemonic)) << text;
          EXPECT_EQ(text.find("RZRZ"), text.npos);
          ++instructions;
        }
      }
    }
  }
  EXPECT_GT(instructions, 1000u);
}

}  // namespace
}  // namespace drywarp::sass
