#include "model/machine/code_codec.h"

#include <gtest/gtest.h>

namespace drywarp::machine {
namespace {

MachineKernel two_blocks() {
  MachineInstruction load;
  load.op = Operation::Ldg;
  load.destination = {{RegisterFile::General, 4, 4}};
  load.source = {{}, {RegisterFile::Uniform, 6, 2}};  // a store to an absolute address has no base
  load.guard = {RegisterFile::Predicate, 2, 1};
  load.space = AddressSpace::Global;
  load.bytes = 16;
  load.constant = 3 * kConstantBank + 0x160;
  load.ptx = 7, load.access = 2, load.line = 12, load.file = 0;
  load.merged_access[2] = 5, load.merged_step[2] = 1;
  MachineInstruction many;
  many.op = Operation::Ffma;
  for (uint16_t r = 0; r < 9; ++r) many.source.push_back({RegisterFile::General, r, 1});
  MachineKernel kernel{.name = "k", .registers = 40, .at_bounds = true, .spill_frame_bytes = 16};
  kernel.blocks = {{{{0, false}, {1, true}}, {load, many}}, {{{1, false}}, {}}};
  kernel.texts = {"LDG.E.128 R4, [UR6]", "FFMA"};
  return kernel;
}

std::string digest(const MachineKernel& kernel) {
  Digester digester;
  add(digester, kernel);
  return digester.hex();
}

TEST(CodeCodec, KeepsEverything) {
  const MachineKernel kernel = two_blocks();
  const std::string bytes = encode(kernel);
  const auto again = decode_machine_code(bytes);
  ASSERT_TRUE(again);
  EXPECT_EQ(encode(*again), bytes);
  EXPECT_EQ(again->texts, kernel.texts);
  const MachineInstruction& load = again->blocks.at(0).instructions.at(0);
  EXPECT_EQ(load.source.size(), 2u);
  EXPECT_EQ(load.source[1], kernel.blocks[0].instructions[0].source[1]);
  EXPECT_EQ(load.constant, 3 * kConstantBank + 0x160);
  EXPECT_EQ(load.merged_access[0], kNone);
  EXPECT_EQ(load.merged_access[2], 5u);
  EXPECT_EQ(again->blocks[0].instructions[1].source.size(), 9u);
  EXPECT_TRUE(again->blocks[0].path[1].optional);
}

TEST(CodeCodec, RefusesEveryTruncation) {
  const std::string bytes = encode(two_blocks());
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(decode_machine_code(std::string_view(bytes).substr(0, size))) << size;
  EXPECT_FALSE(decode_machine_code(bytes + "x"));
}

TEST(CodeCodec, TextsDoNotChangeTheDigest) {
  MachineKernel kernel = two_blocks();
  const std::string before = digest(kernel);
  kernel.texts.clear();
  EXPECT_EQ(digest(kernel), before);
  kernel.blocks[0].instructions[1].source.set(8, {RegisterFile::General, 9, 1});
  EXPECT_NE(digest(kernel), before);
}

}  // namespace
}  // namespace drywarp::machine
