// Loops of compare-and-swaps in shared memory, as an addition of floats is one.
#include "program.h"

namespace drywarp::sm {
namespace {

// Warps of one block, each with these numbers of lanes at words of its own or of all.
Program adds(std::vector<unsigned> lanes_at_words, uint32_t warps = 1) {
  Program p;
  MachineInstruction branch = make(Operation::Bra);
  branch.repeats_swap = true, branch.access = 0, branch.bytes = 4;
  p.add(branch);
  p.add(make(Operation::Bsync));
  p.add(make(Operation::Exit));
  TraceAccess swap;
  swap.access = 0, swap.space = AddressSpace::Shared, swap.lanes = 32;
  swap.line_count = static_cast<uint16_t>(lanes_at_words.size());
  for (size_t word = 0; word < lanes_at_words.size(); ++word)
    p.warp.lines.push_back(TraceLine::of_word(word, lanes_at_words[word]));
  p.warp.accesses.push_back(swap);
  p.threads = 32 * warps;
  return p;
}

TEST(SwapLoops, haveAnIterationForEachLaneOfTheFullestWord) {
  const KernelTiming one = adds({1, 1, 1}).run(), four = adds({1, 4, 2}).run(), all = adds({32}).run();
  EXPECT_NEAR(four.cycles - one.cycles, 3 * 95, 2);
  EXPECT_EQ(four.issued - one.issued, 3 * 6);
  EXPECT_NEAR(all.cycles - one.cycles, 31 * 95, 5);
}

TEST(SwapLoops, ofDoublesTakeLonger) {
  Program p = adds({8});
  const double floats = p.run().cycles;
  p.code.blocks[0].instructions[0].bytes = 8;
  EXPECT_NEAR(p.run().cycles - floats, 7 * (111 - 95), 2);
}

// 8 warps of 32 lanes add to one word: 13,600 cycles on an H200; to words of their own: as long as one warp.
TEST(SwapLoops, ofSeveralWarpsTakeTurnsAtAWord) {
  const KernelTiming together = adds({32}, 8).run();
  EXPECT_NEAR(together.cycles, 8 * 32 * 47, 400);
  EXPECT_GT(together.issued, 8 * 32 * 6 * 2);  // most iterations are in vain
  EXPECT_LT(adds({1}, 8).run().cycles, 8 * 47 + 100);
}

}  // namespace
}  // namespace drywarp::sm
