// Block dispatch, with hand-written code on a machine of round numbers.
#include <gtest/gtest.h>

#include "program.h"

namespace drywarp::sm {
namespace {

TEST(Timing, warpsOfABlockStartOneAfterTheOther) {
  machine::MachineModel m = round_machine();
  m.warp_interval_cycles = 5;
  Program p;
  p.add(make(Operation::Exit));
  p.threads = 1024;
  EXPECT_NEAR(p.run(m).cycles, 31 * 5 + 1, 1);
}

// Two blocks of two warps have a sub-partition for each warp, as four of one warp and two of three and of one have.
TEST(Timing, blocksGoOnFromSubPartitionToSubPartition) {
  const auto cycles = [](uint32_t warps, uint32_t blocks) {
    Program p;
    for (int i = 0; i < 400; ++i) p.add(make(Operation::Ffma, i % 8, {100}));
    p.add(make(Operation::Exit));
    p.threads = 32 * warps, p.per_sm = blocks, p.blocks = 2 * blocks;
    return p.run().cycles;
  };
  const double alone = cycles(1, 1);
  for (const auto& [warps, blocks] : {std::pair{1u, 4u}, {2u, 2u}, {4u, 1u}})
    EXPECT_NEAR(cycles(warps, blocks), alone, 4);
  for (const auto& [warps, blocks] : {std::pair{2u, 4u}, {3u, 2u}, {4u, 2u}, {8u, 1u}})
    EXPECT_NEAR(cycles(warps, blocks), 2 * alone, 8);
}

TEST(Timing, blocksWaitForAFreeSlot) {
  Program p;
  for (int i = 0; i < 100; ++i) p.add(make(Operation::Ffma, 0, {0}));
  p.add(make(Operation::Exit));
  p.per_sm = 2, p.blocks = 4;
  const double wave = p.run().cycles;
  p.blocks = 40;
  const KernelTiming ten = p.run();
  EXPECT_NEAR(ten.cycles, 10 * wave, 60);
  EXPECT_NEAR(ten.waves, 10, 1e-9);
  // Sampled: the first 40 blocks of 400.
  p.grid = 400;
  EXPECT_NEAR(p.run().cycles, 100 * wave, 600);
}

TEST(Timing, theGridDispatchesOneBlockAfterTheOther) {
  Program p;
  p.add(make(Operation::Exit));
  p.blocks = 2000;
  machine::MachineModel m = round_machine();
  m.dispatch_cycles = 10;
  EXPECT_NEAR(p.run(m).cycles, 20000, 50);
  // The first wave starts on all SMs at once. Ends of blocks are processed one after the other.
  m.block_interval_cycles = 5;
  p.blocks = 16;
  machine::MachineModel slow = m;
  slow.dispatch_cycles = 0;
  EXPECT_NEAR(p.run(m).cycles - p.run(slow).cycles, 16 * 10 - 8 * 5, 15);
}

// Blocks dispatched before the kernel's first line of code arrives start together when it does.
TEST(Timing, theFirstBlocksWaitForCode) {
  Program p;
  for (int i = 0; i < 10; ++i) p.add(make(Operation::Ffma, 0, {0}));
  p.add(make(Operation::Exit));
  p.blocks = 16, p.per_sm = 8;  // eight on each of two SMs
  machine::MachineModel m = round_machine();
  m.launch_cycles = 1000, m.block_interval_cycles = 50;
  EXPECT_NEAR(p.run(m).cycles, 1000 + 7 * 50 + 40, 10);
  m.first_code_cycles = 200;
  const KernelTiming t = p.run(m);
  EXPECT_NEAR(t.cycles, 1000 + (7 * 50 - 200) + 40, 10);
  EXPECT_NEAR(t.stalls[unsigned(Stall::NoInstruction)], 2 * (200 + 150 + 100 + 50), 20);
}

// Blocks of one warp each are spread over the sub-partitions.
TEST(Timing, blocksBeginWithTheNextSubPartition) {
  Program p;
  for (int i = 0; i < 100; ++i) p.add(make(Operation::Dfma, static_cast<uint16_t>(2 * i % 200), {201}));
  p.add(make(Operation::Exit));
  const double alone = p.run().cycles;
  p.blocks = 8;  // four on each of two SMs
  EXPECT_NEAR(p.run().cycles, alone, 20);
  p.blocks = 16;
  EXPECT_NEAR(p.run().cycles, 2 * alone, 40);
}

}  // namespace
}  // namespace drywarp::sm
