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
  swap.line_count = static_cast<uint16_t>(lanes_at_words.size() - std::ranges::count(lanes_at_words, 0u));
  for (size_t word = 0; word < lanes_at_words.size(); ++word)
    if (lanes_at_words[word] != 0) p.warp.lines.push_back(TraceLine::of_word(word, lanes_at_words[word]));
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

// An H200: 32 words of a bank take 4,366 cycles, one word 3,374; 417 instructions both.
TEST(SwapLoops, haveAnIterationForEachLaneOfTheFullestBank) {
  std::vector<unsigned> apart(32 * 31 + 1, 0);
  for (size_t word = 0; word < apart.size(); word += 32) apart[word] = 1;
  machine::MachineModel m = round_machine();
  m.shared_conflict_cycles = 2;
  const KernelTiming one_bank = adds(apart).run(m), one_word = adds({32}).run(m);
  EXPECT_EQ(one_bank.issued, one_word.issued);
  EXPECT_NEAR(one_bank.cycles - one_word.cycles, 4366 - 3374, 80);
}

TEST(SwapLoops, ofDoublesTakeLonger) {
  Program p = adds({8});
  const double floats = p.run().cycles;
  p.code.blocks[0].instructions[0].bytes = 8;
  EXPECT_NEAR(p.run().cycles - floats, 7 * (111 - 95), 2);
}

// On an H200 a warp that has loaded before another one swaps repeats in vain: warps that begin together swap once in 84
// cycles, 2 as 8 of them; 8 add 256 times in 21,546 cycles and 9,382 instructions of the loop.
TEST(SwapLoops, ofSeveralWarpsRepeatInVain) {
  const KernelTiming two = adds({32}, 2).run(), eight = adds({32}, 8).run();
  EXPECT_NEAR(two.cycles, 2 * 32 * 90, 400);
  EXPECT_NEAR(eight.cycles, 21'546, 3'500);
  EXPECT_GT(eight.issued, 3 * 8 * 32 * 6);  // most iterations are in vain
}

}  // namespace
}  // namespace drywarp::sm
