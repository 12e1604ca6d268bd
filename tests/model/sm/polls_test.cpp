// Warps that poll a word which a warp of another block writes.
#include "program.h"

namespace drywarp::sm {
namespace {

// Block 1 stores after some divisions' worth of work; block 0 polls, and ends once it has seen that.
struct Polling {
  machine::MachineKernel code;
  LaunchTrace trace;
  uint64_t simulated = 0;

  explicit Polling(unsigned work, bool awaits = true) {
    // PTX block 0: the poll and its test; 1: work and the store; 2: the end.
    MachineInstruction load = make(Operation::Ldg, 4, {2});
    load.access = 0, load.bytes = 4, load.past_l1 = true;
    MachineInstruction branch = make(Operation::Bra, -1, {4});
    MachineInstruction store = make(Operation::Stg, -1, {2, 5});
    store.access = 1, store.bytes = 4;
    code.blocks.push_back({{{0, false}}, {load, branch}});
    code.blocks.push_back({{{1, false}}, {}});
    for (unsigned i = 0; i < work; ++i) code.blocks[1].instructions.push_back(make(Operation::Iadd3, 5, {5}));
    code.blocks[1].instructions.push_back(store);
    code.blocks.push_back({{{2, false}}, {make(Operation::Exit)}});
    TraceAccess access;
    access.lanes = 1, access.line_count = 1, access.units = 1;
    for (uint64_t b = 0; b < 2; ++b) {
      BlockTrace block{b, {}};
      WarpTrace& warp = block.warps.emplace_back();
      warp.steps = {{static_cast<uint32_t>(b), 1, 1}, {2, 1, 1}};
      access.access = static_cast<uint32_t>(b);
      warp.accesses.push_back(access);
      warp.lines.push_back(TraceLine::of(4096, 1));
      if (b == 0 && awaits) warp.awaited.push_back({0, 1, {1, 0, 0}});
      trace.blocks.push_back(std::move(block));
    }
    trace.blocks_in_grid = 2;
  }
  [[nodiscard]] KernelTiming run() const {
    SimulatedLaunch launch{trace.blocks.size(), 32, 8, 0, 1};
    launch.simulated = simulated;
    auto result = time_launch(round_machine(), code, trace, launch);
    EXPECT_TRUE(result.ok());
    return *result;
  }
};

TEST(Polls, goOnUntilTheWriteHasArrived) {
  const KernelTiming none = Polling(0, false).run(), early = Polling(60).run(), late = Polling(500).run();
  EXPECT_GT(early.cycles, none.cycles);
  // 500 additions of 4 cycles each; then the store has to arrive, and the poll to return.
  EXPECT_GT(late.cycles, 500 * 4 + 200);
  EXPECT_LT(late.cycles, 500 * 4 + 3 * 300 + 400);
  // A poll takes at least 200 cycles.
  const uint64_t polls = (late.issued - Polling(500, false).run().issued) / 2;
  EXPECT_GE(polls, 5);
  EXPECT_LE(polls, 10);
}

TEST(Polls, endAtOnceIfTheWriterIsNotSimulated) {
  Polling alone(500), none(500, false);
  alone.simulated = none.simulated = 1;
  EXPECT_EQ(alone.run().issued, none.run().issued);
  EXPECT_EQ(alone.run().simulated_cycles, none.run().simulated_cycles);
}

// The write comes after a poll of a third access of the same warp has: it counts as done.
TEST(Polls, endIfTheWriterHasGoneOnWithoutTheWrite) {
  Polling p(500);
  p.trace.blocks[1].warps[0].accesses[0].access = 7;  // no code for it
  EXPECT_LT(p.run().cycles, 500 * 4 + 1500);
}

// Block 2 stores at once; what it stores builds on the late store of block 1, as a counter's value does.
TEST(Polls, goOnOnceAllHasArrivedThatTheWriteBuildsOn) {
  Polling alone(500), late(500);
  for (Polling* p : {&alone, &late}) {
    MachineInstruction store = p->code.blocks[1].instructions.back();
    store.access = 2;
    p->code.blocks.push_back({{{3, false}}, {store, make(Operation::Exit)}});
    BlockTrace block = p->trace.blocks[1];
    block.block = 2;
    block.warps[0].steps = {{3, 1, 1}};
    block.warps[0].accesses[0].access = 2;
    p->trace.blocks.push_back(std::move(block));
    p->trace.blocks_in_grid = 3;
    p->trace.blocks[0].warps[0].awaited[0].write = {2, 0, 0};
  }
  late.trace.built = {{{2, 0, 0}, {1, 0, 0}}};
  // Each poll of block 0 is two instructions.
  EXPECT_GE(late.run().issued, alone.run().issued + 2 * 4);
}

TEST(Polls, takeTheSameTimeInEveryRun) { EXPECT_EQ(Polling(300).run().cycles, Polling(300).run().cycles); }

}  // namespace
}  // namespace drywarp::sm
