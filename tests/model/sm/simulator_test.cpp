// The simulator on hand-written machine code and traces, on a machine of round numbers.
#include <gtest/gtest.h>

#include <span>

#include "program.h"

namespace drywarp::sm {
namespace {

using machine::MachineInstruction;
using machine::Operation;

TEST(Timing, aChainOfDependentInstructionsTakesItsLatencies) {
  Program p;
  for (int i = 0; i < 100; ++i) p.add(make(Operation::Ffma, 0, {0}));
  p.add(make(Operation::Exit));
  const KernelTiming t = p.run();
  EXPECT_NEAR(t.cycles, 400, 5);
  EXPECT_EQ(t.issued, 101);
  EXPECT_EQ(t.thread_instructions, 101 * 32);
  EXPECT_NEAR(t.stalls[unsigned(Stall::Wait)], 300, 8);
}

TEST(Timing, warpsHideEachOthersLatency) {
  Program p;
  for (int i = 0; i < 100; ++i) p.add(make(Operation::Ffma, 0, {0}));
  p.add(make(Operation::Exit));
  p.threads = 32 * 16;  // four warps a scheduler: just enough for a latency of four
  const KernelTiming t = p.run();
  EXPECT_NEAR(t.cycles, 404, 10);
  p.threads = 32 * 32;
  EXPECT_NEAR(p.run().cycles, 808, 12);  // issue is the limit now
}

// If the first blocks of a grid do most of the work, the others are extrapolated by their share of it.
TEST(Timing, blocksThatDoLessTakeLess) {
  Program p;
  for (int i = 0; i < 100; ++i) p.add(make(Operation::Ffma, 0, {0}));
  p.add(make(Operation::Exit));
  p.warp.steps.push_back({0, ~0u, 1});
  LaunchTrace trace;
  for (uint64_t b = 0; b < 4; ++b) trace.blocks.push_back({b, {p.warp}});
  trace.blocks_in_grid = 1000;
  const auto timed = [&](double work) {
    SimulatedLaunch shape = {.blocks = 1000, .threads_per_block = 32, .blocks_per_sm = 1, .instructions = 1};
    shape.simulated = 4, shape.work = work;
    auto result = time_launch(round_machine(), p.code, trace, shape);
    EXPECT_TRUE(result.ok());
    return *result;
  };
  const KernelTiming alike = timed(0), half = timed(0.5), all = timed(1);
  EXPECT_NEAR(alike.scale(), 250, 1e-9);
  EXPECT_NEAR(half.scale(), 2, 1e-9);
  EXPECT_NEAR(alike.cycles, 400 * 500, 4000);  // two SMs, a block each at a time
  EXPECT_NEAR(half.cycles, 400 * 4, 50);
  EXPECT_NEAR(all.cycles, 400 * 2, 20);
}

TEST(Timing, canBeWatchedAndStopped) {
  Program p;
  for (int i = 0; i < 100; ++i) p.add(make(Operation::Ffma, 0, {0}));
  p.add(make(Operation::Exit));
  p.warp.steps.push_back({0, ~0u, 1});
  LaunchTrace trace;
  for (uint64_t b = 0; b < 1000; ++b) trace.blocks.push_back({b, {p.warp}});
  trace.blocks_in_grid = 1000;
  const SimulatedLaunch shape = {.blocks = 1000, .threads_per_block = 32, .blocks_per_sm = 1, .instructions = 1};
  const auto unwatched = time_launch(round_machine(), p.code, trace, shape);
  std::vector<uint64_t> begun;
  const auto look = [&](uint64_t now, uint64_t of) {
    EXPECT_EQ(of, 1000);
    begun.push_back(now);
    return true;
  };
  const auto watched = time_launch(round_machine(), p.code, trace, shape, look);
  ASSERT_TRUE(watched.ok());
  EXPECT_EQ(watched->cycles, unwatched->cycles);
  ASSERT_GE(begun.size(), 2);
  EXPECT_TRUE(std::is_sorted(begun.begin(), begun.end()));
  EXPECT_LE(begun.back(), 1000);
  EXPECT_GT(begun.back(), begun.front());
  int turns = 0;
  const auto stopped =
      time_launch(round_machine(), p.code, trace, shape, [&](uint64_t, uint64_t) { return ++turns < 2; });
  EXPECT_FALSE(stopped.ok());
  EXPECT_EQ(turns, 2);
}

// Straight-line code is prefetched from the second level at its rate. Code that does not fit there arrives at the rate
// of the level behind it, each time.
TEST(Timing, codeIsPrefetched) {
  machine::MachineModel m = round_machine();
  m.code_cache_bytes = 2048, m.second_code_cache_bytes = 16384;
  m.code_line_cycles = 48, m.next_code_line_cycles = 16;
  const auto straight = [](int instructions, int registers) {
    Program p;
    for (int i = 0; i < instructions; ++i) p.add(make(Operation::Ffma, i % registers, {i % registers}));
    p.add(make(Operation::Exit));
    return p;
  };
  // A chain of latencies, 32 cycles a line, hides the 16 cycles of a fetch: only the first line causes a stall.
  EXPECT_NEAR(straight(800, 1).run(m).cycles, 800 * 4 + 48, 10);
  // One instruction a cycle waits for its lines, which follow each other.
  EXPECT_NEAR(straight(800, 8).run(m).cycles, 48 + 800 / 8 * 16, 40);
  EXPECT_NEAR(straight(2400, 8).run(m).cycles, 2400 / 8 * 48, 100);
}

TEST(Timing, aBranchThatIsNotTakenCostsLess) {
  machine::MachineModel m = round_machine();
  m.branch_not_taken_cycles = 5;
  Program p;
  for (int i = 0; i < 100; ++i) p.add(make(Operation::Bra));
  p.add(make(Operation::Exit));
  EXPECT_NEAR(p.run(m).cycles, 500, 8);
  m.branch_not_taken_cycles = m.branch_latency;
  EXPECT_NEAR(p.run(m).cycles, 1000, 8);
}

// Block 0 falls through into block 1, or branches to it. Stall counts of ptxas 13's code: 7 cycles from an FFMA to the
// next block, a branch between them or not; 11 from a DFMA; 13 from an ISETP; nothing if they were there long before.
TEST(Timing, resultsAreThereWhereABlockEnds) {
  machine::MachineModel m = round_machine();
  m.branch_not_taken_cycles = 5, m.branch_predicate_cycles = 9;
  m.latency[unsigned(machine::TimingClass::Double)] = 8;
  const auto cycles = [&](std::initializer_list<MachineInstruction> code) {
    Program p;
    for (const MachineInstruction& in : code) p.add(in);
    p.code.blocks.push_back({{{1, false}}, {make(Operation::Exit)}});
    p.warp.steps = {{0, ~0u, 1}, {1, ~0u, 1}};
    const auto run = [&](double end) { return m.block_end_cycles = end, p.run(m).cycles; };
    return run(3) - run(0);
  };
  MachineInstruction compare = make(Operation::Isetp, 0);
  compare.destination.set(0, {machine::RegisterFile::Predicate, 0, 1});
  EXPECT_EQ(cycles({make(Operation::Ffma, 0, {0})}), 6);
  EXPECT_EQ(cycles({make(Operation::Dfma, 0, {0})}), 10);
  EXPECT_EQ(cycles({compare}), 12);
  EXPECT_EQ(cycles({make(Operation::Ffma, 0, {0}), make(Operation::Bra)}), 1);
  EXPECT_EQ(cycles({make(Operation::Ffma, 0, {0}), make(Operation::Ffma, 1, {0}), make(Operation::Bra)}), 1);
  EXPECT_EQ(cycles({make(Operation::Bra)}), 0);
  // A BSYNC is where another block begins.
  EXPECT_EQ(cycles({make(Operation::Ffma, 0, {0}), make(Operation::Bsync)}), 6);
}

TEST(Timing, theBranchAroundRareCasesIsTaken) {
  machine::MachineModel m = round_machine();
  m.branch_not_taken_cycles = 5;
  Program p;
  MachineInstruction branch = make(Operation::Bra);
  for (int i = 0; i < 100; ++i) p.add(branch);
  p.add(make(Operation::Exit));
  const double passed = p.run(m).cycles;
  for (MachineInstruction& in : p.code.blocks[0].instructions) in.rare_path = in.op == Operation::Bra;
  EXPECT_NEAR(p.run(m).cycles - passed, 100 * (m.branch_latency - 5), 8);
}

// One half of the lanes runs block 1, the other block 2, all run block 3.
TEST(Timing, divergedLanesWaitForReconvergence) {
  machine::MachineModel m = round_machine();
  m.branch_not_taken_cycles = m.branch_latency;
  Program p;
  for (uint32_t b = 1; b <= 3; ++b) p.code.blocks.push_back({{{b, false}}, {make(Operation::Ffma, 0, {0})}});
  MachineInstruction branch = make(Operation::Bra);
  branch.reconverges = true;
  p.add(branch);
  p.code.blocks[3].instructions.push_back(make(Operation::Exit));
  p.warp.steps = {{0, ~0u, 1}, {1, 0xffff, 1}, {2, 0xffff0000, 1}, {3, ~0u, 1}};
  const KernelTiming without = p.run(m);
  m.divergence_cycles = 14;
  const KernelTiming with = p.run(m);
  EXPECT_NEAR(with.cycles - without.cycles, 14, 4);
  EXPECT_EQ(with.issued, 6);  // five, and the BSYNC of the first side
  EXPECT_EQ(with.thread_instructions, 32 * 3 + 16 * 2);
}

// Lanes leave a loop in three groups, each of which issues the BSYNC behind it; the last one's is in the code.
TEST(Timing, eachGroupThatLeavesALoopIssuesABsync) {
  Program p;
  MachineInstruction branch = make(Operation::Bra);
  p.code.blocks.push_back({{{1, false}}, {make(Operation::Bsync), make(Operation::Exit)}});
  p.add(branch);
  p.warp.steps = {{0, ~0u, 2}, {0, 0xffff, 1}, {0, 0xff, 3}, {1, ~0u, 1}};
  const KernelTiming exits = p.run(round_machine());
  EXPECT_EQ(exits.issued, 8);  // without a BSYNC lanes exit, say
  p.code.blocks[0].instructions[0].reconverges = true;
  EXPECT_EQ(p.run(round_machine()).issued, 10);
}

// Two warps of a block: each one's lanes come to the barrier in two halves, the second behind 100 instructions. Either
// warp arrives once, with its second half. Where that ends instead, and only the first goes on, it arrives with that.
TEST(Timing, aWarpArrivesAtABarrierWithItsLastLanes) {
  machine::MachineModel m = round_machine();
  Program p;
  p.threads = 64;
  p.add(make(Operation::Bra));
  p.code.blocks.push_back({{{1, false}}, {make(Operation::Bar)}});
  p.code.blocks.push_back({{{2, false}}, std::vector(100, make(Operation::Ffma, 0, {0}))});
  p.code.blocks.push_back({{{3, false}}, {make(Operation::Exit)}});
  p.warp.steps = {{0, ~0u, 1}, {1, 0xffff, 1}, {2, 0xffff0000, 1}, {1, 0xffff0000, 1}, {3, ~0u, 1}};
  const auto waits = [&] { return p.run(m).stalls[unsigned(Stall::Barrier)]; };
  EXPECT_NEAR(waits(), 2 * m.barrier_latency, 4);
  p.warp.steps = {{0, ~0u, 1}, {1, 0xffff, 1}, {2, 0xffff0000, 1}, {3, 0xffff, 1}};
  EXPECT_NEAR(waits(), m.barrier_latency, 4);  // of the first warp; the last one's is that of lanes that part
}

TEST(Timing, aWarpWaitsBehindAYield) {
  machine::MachineModel m = round_machine();
  Program p;
  for (int i = 0; i < 10; ++i) p.add(make(Operation::Yield));
  p.add(make(Operation::Exit));
  const double without = p.run(m).cycles;
  m.yield_latency = 40;
  const KernelTiming with = p.run(m);
  EXPECT_NEAR(with.cycles - without, 10 * 39, 40);
  EXPECT_NEAR(with.stalls[unsigned(Stall::BranchResolving)], 10 * 39, 2);
}

// A jump through a table in block 0 replaces the comparisons of blocks 0 to 2. Blocks 1 and 2 are empty, but lanes
// still diverge there.
TEST(Timing, lanesThatDivergeAtATableWaitLonger) {
  machine::MachineModel m = round_machine();
  Program p;
  p.code.blocks.push_back({{{1, false}}, {}});
  p.code.blocks.push_back({{{2, false}}, {}});
  for (uint32_t b = 3; b <= 6; ++b) p.code.blocks.push_back({{{b, false}}, {make(Operation::Ffma, 0, {0})}});
  MachineInstruction jump = make(Operation::Brx);
  jump.reconverges = true;
  p.add(jump);
  p.code.blocks[6].instructions.push_back(make(Operation::Exit));
  p.warp.steps = {{0, ~0u, 1},        {3, 0xffff, 1},     {1, 0xffff0000, 1}, {4, 0xff0000, 1},
                  {2, 0xff000000, 1}, {5, 0xff000000, 1}, {6, ~0u, 1}};
  const auto cycles = [&](double latency, double parting, double of_table) {
    m.table_jump_latency = latency, m.divergence_cycles = parting, m.table_divergence_cycles = of_table;
    return p.run(m).cycles;
  };
  const double none = cycles(10, 0, 0);
  EXPECT_NEAR(cycles(35, 0, 0) - none, 25, 4);
  EXPECT_NEAR(cycles(10, 14, 60) - none, 120, 8);  // two further targets
  EXPECT_EQ(p.run(m).issued, 8);                   // the jump, four additions, the end and two BSYNCs
}

// Kepler to Pascal: a second, independent instruction of the same warp issues with the first if its pipe is free.
TEST(Timing, twoIndependentInstructionsOfAWarpIssueTogether) {
  machine::MachineModel dual = round_machine();
  dual.dual_issue = true;
  Program pairs, chain, same;
  for (int i = 0; i < 100; ++i) {
    pairs.add(make(Operation::Iadd3, i, {200}));
    pairs.add(make(Operation::Ffma, 100 + i, {200}));
    chain.add(make(Operation::Ffma, 0, {0}));
    same.add(make(Operation::Ffma, i, {200}));
  }
  for (Program* p : {&pairs, &chain, &same}) p->add(make(Operation::Exit));
  EXPECT_NEAR(pairs.run().cycles, 200, 8);
  const KernelTiming t = pairs.run(dual);
  EXPECT_NEAR(t.cycles, 100, 8);
  EXPECT_EQ(t.issued, 201);
  EXPECT_LE(t.issue_active_cycles, 102);
  EXPECT_NEAR(chain.run(dual).cycles, 400, 8);  // each needs the one before
  EXPECT_NEAR(same.run(dual).cycles, 100, 8);   // one pipe takes one a cycle
  dual.one_arithmetic_pipe = true;              // and if both are one pipe, so do these
  EXPECT_NEAR(pairs.run(dual).cycles, 200, 8);
}

// Fermi: a scheduler issues every other cycle of the cores' clock.
TEST(Timing, aSchedulerIssuesAtItsOwnRate) {
  machine::MachineModel fermi = round_machine();
  fermi.issue_interval = 2;
  Program p;
  for (int i = 0; i < 100; ++i) p.add(make(i % 2 != 0 ? Operation::Iadd3 : Operation::Ffma, i, {200}));
  p.add(make(Operation::Exit));
  EXPECT_NEAR(p.run().cycles, 100, 8);
  EXPECT_NEAR(p.run(fermi).cycles, 200, 8);
}

// GT200 splits a load of 64 bits into two of 32.
TEST(Timing, mergedLoadsAreSplitOnGpusThatMoveSingleWords) {
  Program p;
  for (unsigned i = 0; i < 20; ++i) {
    MachineInstruction load = make(Operation::Lds, int(i), {200});
    load.access = 2 * i, load.merged_access[0] = 2 * i + 1;
    p.add(load);
    for (unsigned part = 0; part < 2; ++part)
      p.warp.accesses.push_back({0, 2 * i + part, 0, 0, AddressSpace::Shared, 32, 4, 2});
  }
  p.add(make(Operation::Exit));
  machine::MachineModel gt200 = round_machine();
  EXPECT_NEAR(p.run(gt200).shared_wavefronts, 20 * 4, 1);
  gt200.shared_splits = true;
  EXPECT_NEAR(p.run(gt200).shared_wavefronts, 20 * 8, 1);
}

TEST(Timing, aSlowPipeThrottles) {
  Program p;
  for (int i = 0; i < 50; ++i) p.add(make(Operation::Dfma, i, {60}));
  p.add(make(Operation::Exit));
  const KernelTiming alone = p.run();
  EXPECT_NEAR(alone.cycles, 49 * 16, 20);
  EXPECT_NEAR(alone.pipe_busy[unsigned(machine::Pipe::Fp64)], 800, 1);
  // The compiler knows what the warp itself does to the pipe; an H200 counts that as wait.
  EXPECT_GT(alone.stalls[unsigned(Stall::Wait)], 45 * 15);
  EXPECT_LT(alone.stalls[unsigned(Stall::MathPipeThrottle)], 20);
  p.threads = 32 * 8;  // two warps a scheduler
  const KernelTiming two = p.run();
  EXPECT_NEAR(two.cycles, 99 * 16, 20);
  EXPECT_GT(two.stalls[unsigned(Stall::MathPipeThrottle)], 4 * 45 * 15);  // of the later one, in each scheduler
}

// A kernel of loads: step s of the trace touches line s.
Program loads(unsigned count, bool dependent) {
  Program p;
  for (unsigned i = 0; i < count; ++i) {
    MachineInstruction load = make(Operation::Ldg, int(i % 100), {dependent ? int((i + 99) % 100) : 200});
    load.access = i;
    p.add(load);
    p.warp.accesses.push_back({0, i, i, 1, AddressSpace::Global, 32, 0, 0});
    p.warp.lines.push_back(TraceLine::of(uint64_t{i} * kLineBytes, 15));
  }
  p.add(make(Operation::Iadd3, 101, {int((count - 1) % 100)}));
  p.add(make(Operation::Exit));
  return p;
}

TEST(Timing, independentLoadsOverlapAndDependentOnesDoNot) {
  const KernelTiming chain = loads(20, true).run(), burst = loads(20, false).run();
  EXPECT_NEAR(chain.cycles, 20 * 400, 150);
  EXPECT_LT(burst.cycles, 700);
  EXPECT_GT(chain.stalls[unsigned(Stall::LongScoreboard)], 19 * 390);
  EXPECT_EQ(chain.l1.load_sectors, 80);
  EXPECT_EQ(chain.dram.read_bytes, 20 * 128);
}

TEST(Timing, anAccessWithoutActiveLanesTouchesNothing) {
  Program p = loads(20, true);
  p.warp.accesses.clear();
  const KernelTiming t = p.run();
  EXPECT_EQ(t.l1.load_sectors, 0);
  EXPECT_LT(t.cycles, 120);
  EXPECT_EQ(t.issued, 22);
}

// On an H200, rounds of a reduction without active lanes still count as wavefronts of shared memory.
// A spill has no access in the trace, and moves its warp's words all the same.
TEST(Timing, spillsHitTheL1UntilItIsFull) {
  const auto run = [](uint32_t words) {
    Program p;
    for (uint32_t i = 0; i < 8 * words; ++i) {
      MachineInstruction reload = make(Operation::Ldl, int(i % 4));
      reload.space = AddressSpace::Local, reload.bytes = 4, reload.spill = true, reload.frame_word = i % words;
      p.add(reload);
    }
    p.add(make(Operation::Exit));
    p.threads = 32 * 32;
    return p.run();
  };
  const KernelTiming few = run(4), many = run(64);  // 32 warps x 4 x 128 bytes: a quarter of the L1; 64: four times it
  EXPECT_GT(many.cycles, 20 * few.cycles);          // 16 times as many loads, which miss
  EXPECT_GT(many.stalls[unsigned(Stall::LongScoreboard)], 0);
}

TEST(Timing, aSharedAccessWithoutLanesTakesAWavefront) {
  Program p;
  for (int i = 0; i < 20; ++i) {
    MachineInstruction load = make(Operation::Lds, i, {200});
    load.access = i;
    p.add(load);
  }
  p.add(make(Operation::Exit));
  EXPECT_EQ(p.run().shared_wavefronts, 20);
  EXPECT_GE(p.run().lsu_busy, 20);
}

// Shuffles pass the L1's data stage; parameters are read elsewhere.
TEST(Timing, constantsAreNotReadThroughTheLoadStoreUnit) {
  Program shuffles, constants;
  for (int i = 0; i < 20; ++i) {
    shuffles.add(make(Operation::Shfl, i, {200}));
    constants.add(make(Operation::Ldc, i));
  }
  shuffles.add(make(Operation::Exit));
  constants.add(make(Operation::Exit));
  EXPECT_EQ(shuffles.run().lane_wavefronts, 20);
  EXPECT_EQ(constants.run().lane_wavefronts, 0);
  EXPECT_EQ(constants.run().lsu_busy, 0);
}

// The address divergence unit of an SM serves constant loads and barriers one by one.
TEST(Timing, constantLoadsAndBarriersTakeTurns) {
  machine::MachineModel m = round_machine();
  m.adu_interval = 2;
  Program p;
  for (int i = 0; i < 20; ++i) p.add(make(Operation::Ldc, i));
  p.add(make(Operation::Exit));
  p.threads = 1024;
  EXPECT_NEAR(p.run(m).cycles, 32 * 20 * 2, 70);  // no warp waits for the last
  EXPECT_EQ(p.run(m).adu_busy, 32 * 20 * 2);
  EXPECT_LT(p.run().cycles, 32 * 20 * 2 / 2 + 20);  // where no such unit is known
  Program memory = p;                               // of constant memory, which ptxas makes operands
  for (MachineInstruction& in : memory.code.blocks[0].instructions) in.space = AddressSpace::Const;
  EXPECT_EQ(memory.run(m).adu_busy, 0);
  Program barriers;
  for (int i = 0; i < 20; ++i) barriers.add(make(Operation::Bar));
  barriers.add(make(Operation::Exit));
  barriers.threads = 1024;
  EXPECT_NEAR(barriers.run(m).cycles, 20 * (31 * 2 + 20), 100);
  m.adu_interval = 0, m.barrier_warp_cycles = 2;
  EXPECT_NEAR(barriers.run(m).cycles, 20 * (31 * 2 + 20), 100);
}

TEST(Timing, constantsOfDifferentWordsAreServedOneAfterTheOther) {
  machine::MachineModel m = round_machine();
  m.adu_interval = 2, m.constant_word_latency = 10, m.constant_word_interval = 3;
  Program p;
  MachineInstruction load = make(Operation::Ldc, 0, {0});  // each at an address that the one before has loaded
  load.space = AddressSpace::Const, load.access = 0;
  for (int i = 0; i < 20; ++i) p.add(load);
  p.add(make(Operation::Exit));
  const double same = p.run(m).cycles;
  for (uint16_t words : {2, 32}) {
    TraceAccess access{.access = 0, .space = AddressSpace::Const, .lanes = 32, .units = words};
    p.warp.accesses = {access};
    p.threads = 32;
    EXPECT_NEAR(p.run(m).cycles - same, 19 * 10 * (words - 1), 3);  // nothing waits for the last
    p.threads = 1024;
    EXPECT_NEAR(p.run(m).adu_busy, 32 * 20 * (2 + 3 * (words - 1)), 1);
    EXPECT_GT(p.run(m).cycles, 32 * 19 * (2 + 3 * (words - 1)));
  }
}

TEST(Timing, differentValuesAreMatchedOneAfterTheOther) {
  machine::MachineModel m = round_machine();
  m.adu_interval = 2, m.match_value_cycles = 11;
  for (const uint16_t words : {1, 2}) {
    Program p;
    MachineInstruction match = make(Operation::Match, 0, {0});
    machine::RegisterRange value = match.source[0];
    value.count = words;
    match.source.set(0, value);
    match.ptx = 3;
    for (int i = 0; i < 20; ++i) p.add(match);
    p.add(make(Operation::Exit));
    const double same = p.run(m).cycles;
    for (const uint16_t values : {2, 32}) {
      p.warp.accesses = {{.access = 3, .space = AddressSpace::None, .lanes = 32, .units = values}};
      p.threads = 32;
      EXPECT_NEAR(p.run(m).cycles - same, 19 * (values - 1) * (words == 1 ? 11 : 13), 3);
      p.threads = 1024;
      EXPECT_NEAR(p.run(m).adu_busy, 32 * 20 * 2 * words * values, 1);
    }
  }
}

TEST(Timing, barriersWaitForTheLastWarp) {
  Program p;
  p.code.blocks.push_back({{{1, false}}, {}});
  for (int i = 0; i < 100; ++i) p.add(make(Operation::Ffma, 0, {0}));
  p.code.blocks[1].instructions = {make(Operation::Bar), make(Operation::Exit)};
  p.threads = 64;
  LaunchTrace trace;
  trace.blocks = {{0, {}}};
  trace.blocks_in_grid = 1;
  WarpTrace slow, quick;
  slow.steps = {{0, ~0u, 10}, {1, ~0u, 1}};
  quick.steps = {{1, ~0u, 1}};
  slow.accesses = {{10, ~0u, 0, 0, AddressSpace::None, 32, 0, 0}};
  quick.accesses = {{0, ~0u, 0, 0, AddressSpace::None, 32, 0, 0}};
  trace.blocks[0].warps = {slow, quick};
  const auto t = time_launch(round_machine(), p.code, trace, {1, 64, 8, 0, 1});
  ASSERT_TRUE(t.ok());
  EXPECT_NEAR(t->cycles, 4000 + 20, 30);
  EXPECT_NEAR(t->stalls[unsigned(Stall::Barrier)], 4000 + 20 + 20, 40);
}

TEST(Timing, unrolledLoopsAndPredicatedSidesCoverTheirPaths) {
  // Block 1 is a loop body: by itself one instruction, unrolled by four also one. Block 2 is a side within block 3.
  Program p;
  p.add(make(Operation::Iadd3, 1));
  p.code.blocks.push_back({{{1, false}}, {make(Operation::Iadd3, 2)}});
  p.code.blocks.push_back({{{1, false}, {1, false}, {1, false}, {1, false}}, {make(Operation::Iadd3, 3)}});
  p.code.blocks.push_back({{{3, false}, {2, true}}, {make(Operation::Iadd3, 4), make(Operation::Exit)}});
  p.warp.steps = {{0, ~0u, 1}, {1, ~0u, 11}, {3, ~0u, 1}, {2, 1u, 1}};
  EXPECT_EQ(p.run().issued, 1 + 2 + 3 + 2);
  p.warp.steps = {{0, ~0u, 1}, {1, ~0u, 11}, {3, ~0u, 1}};
  EXPECT_EQ(p.run().issued, 1 + 2 + 3 + 2);
}

// A load of 16 bytes that was four, with the accesses 0 to 3.
Program one_merged_load() {
  Program p;
  MachineInstruction load = make(Operation::Lds, 1);
  load.bytes = 16;
  load.access = 0, load.merged_access[0] = 1, load.merged_access[1] = 2, load.merged_access[2] = 3;
  p.add(load);
  p.add(make(Operation::Exit));
  return p;
}

TEST(Timing, mergedLoadsOfSharedMemoryMoveAsMuchAsTheirParts) {
  Program p = one_merged_load();
  const auto wavefronts = [&](uint16_t each) {
    p.warp.accesses.clear();
    for (uint32_t i = 0; i < 4; ++i) p.warp.accesses.push_back({0, i, 0, 0, AddressSpace::Shared, 32, each, 1});
    return p.run().shared_wavefronts;
  };
  EXPECT_EQ(wavefronts(4), 4);  // each lane's own 16 bytes: every part conflicts by itself
  EXPECT_EQ(wavefronts(1), 2);  // all lanes the same 16 bytes
}

TEST(Timing, mergedLoadsTakeTheWavefrontsThatTheTraceSays) {
  Program p = one_merged_load();
  for (uint32_t i = 0; i < 4; ++i) {
    p.warp.accesses.push_back({0, i, 0, 0, AddressSpace::Shared, 32, 2, 1});
    p.warp.accesses.back().set_wider(16, {4, 4});
  }
  EXPECT_EQ(p.run().shared_wavefronts, 4);  // the parts alone have 2
  for (TraceAccess& a : p.warp.accesses) a.set_wider(16, {8, 4});
  EXPECT_EQ(p.run().shared_wavefronts, 8);
}

// `warps` warps that each load from shared memory `loads` times, with so many wavefronts and transactions, and then use
// the last value.
Cycles cycles_of_loads(uint32_t warps, int loads, uint16_t wavefronts, uint16_t transactions) {
  machine::MachineModel model = round_machine();
  model.sms = 1, model.sub_partitions = 1, model.memory.sms = 1;
  model.shared_conflict_cycles = 2, model.shared_transaction_cycles = 1;
  Program p;
  p.threads = 32 * warps;
  for (int i = 0; i < loads; ++i) {
    MachineInstruction load = make(Operation::Lds, i);
    load.access = static_cast<uint32_t>(i), load.bytes = 4;
    p.add(load);
    p.warp.accesses.push_back({0, load.access, 0, 0, AddressSpace::Shared, 32, wavefronts, transactions});
  }
  p.add(make(Operation::Fadd, 100, {loads - 1}));
  p.add(make(Operation::Exit));
  return p.run(model).cycles;
}

TEST(Timing, eachFurtherWavefrontOfASharedLoadTakesAWarpTwoCycles) {
  const Cycles one = cycles_of_loads(1, 1, 1, 1);
  EXPECT_EQ(cycles_of_loads(1, 1, 4, 1), one + 6);
  EXPECT_EQ(cycles_of_loads(1, 1, 4, 4), one + 9);  // one more for each transaction
  // A warp's loads are served one after the other, also if they are in flight together.
  EXPECT_EQ(cycles_of_loads(1, 4, 16, 1), cycles_of_loads(1, 1, 16, 1) + 3 * 32);
}

TEST(Timing, sharedLoadsOfTwoWarpsTakeTurns) {
  const Cycles one = cycles_of_loads(1, 8, 16, 1), two = cycles_of_loads(2, 8, 16, 1),
               four = cycles_of_loads(4, 8, 16, 1);
  EXPECT_LT(two, one + 8);
  EXPECT_NEAR(four, two + 2 * 8 * 16, 32);  // the banks serve one wavefront a cycle
}

TEST(Timing, mergedLoadsOfTwoIterationsFindTheAccessesOfBoth) {
  Program p;
  p.code.blocks[0].path = {{0, false}, {0, false}};
  MachineInstruction load = make(Operation::Lds, 1);
  load.bytes = 8;
  load.access = load.merged_access[0] = 0, load.merged_step[0] = 1;
  p.add(load);
  p.add(make(Operation::Exit));
  p.warp.steps = {{0, ~0u, 2}};
  p.warp.accesses = {{0, 0, 0, 0, AddressSpace::Shared, 32, 1, 1}, {1, 0, 0, 0, AddressSpace::Shared, 32, 5, 1}};
  const KernelTiming t = p.run();
  EXPECT_EQ(t.shared_wavefronts, 5);
  EXPECT_EQ(t.shared_loads, 1u);
  EXPECT_EQ(t.shared_load_wavefronts, 5);
  EXPECT_EQ(t.shared_stores, 0u);
}

// Eight iterations are the copy of four twice; seven are those of four, of two and of one.
TEST(Timing, lanesThatLeaveAnUnrolledLoopRunTheCopiesThatAnyOfThemNeeds) {
  const auto issued = [](std::initializer_list<WarpStep> iterations) {
    Program p;
    const auto copies = [](size_t iterations_in_it) {
      return machine::MachineBlock{std::vector<machine::PathStep>(iterations_in_it, {0, false}),
                                   std::vector<MachineInstruction>(2 * iterations_in_it, make(Operation::Fadd, 1))};
    };
    p.code.blocks = {copies(4), copies(2), copies(1), {{{1, false}}, {make(Operation::Exit)}}};
    p.warp.steps = iterations;
    p.warp.steps.push_back({1, ~0u, 1});
    return p.run().issued;
  };
  EXPECT_EQ(issued({{0, ~0u, 8}}), 17u);
  EXPECT_EQ(issued({{0, ~0u, 7}}), 15u);
  EXPECT_EQ(issued({{0, ~0u, 7}, {0, 0xffff, 1}}), 17u + 4 + 2);
  EXPECT_EQ(issued({{0, ~0u, 6}, {0, 0xffff, 2}}), 17u + 4);
  EXPECT_EQ(issued({{0, ~0u, 4}, {0, 0xffff, 4}}), 17u);
  // Other lanes come to the loop: none leaves it.
  EXPECT_EQ(issued({{0, 0xffff, 4}, {0, 0xffff0000, 4}}), 17u);
}

// Straight code of all iterations with a branch behind each: lanes that have left run no more of it.
TEST(Timing, lanesThatLeaveStraightCodeEarlyRunNoFurtherCopies) {
  const auto issued = [](std::initializer_list<WarpStep> iterations) {
    Program p;
    const auto copies = [](uint16_t iterations_in_it) {
      machine::MachineBlock block{std::vector<machine::PathStep>(iterations_in_it, {0, false}), {}};
      for (uint16_t step = 0; step < iterations_in_it; ++step) {
        block.instructions.push_back(make(Operation::Fadd, 1));
        if (step < 3) block.instructions.push_back(make(Operation::Bra));
        for (MachineInstruction& in : std::span(block.instructions).last(step < 3 ? 2 : 1)) in.step = step;
      }
      return block;
    };
    p.code.blocks = {copies(4), copies(3), copies(2), copies(1), {{{1, false}}, {make(Operation::Exit)}}};
    p.warp.steps = iterations;
    p.warp.steps.push_back({1, ~0u, 1});
    return p.run().issued;
  };
  EXPECT_EQ(issued({{0, ~0u, 4}}), 7u + 1);
  EXPECT_EQ(issued({{0, ~0u, 3}}), 6u + 1);
  EXPECT_EQ(issued({{0, ~0u, 1}, {0, 0xffff, 1}, {0, 0xff, 2}}), 7u + 1);
  EXPECT_EQ(issued({{0, ~0u, 1}, {0, 0xffff, 1}}), 4u + 1);
}

TEST(Timing, aBarrierUsesTheDataPipeIfWarpsAccessedMemory) {
  const auto wavefronts = [](bool loads) {
    Program p;
    MachineInstruction load = make(Operation::Lds, 1);
    load.access = 0, load.bytes = 4;
    if (loads) p.add(load), p.warp.accesses = {{0, 0, 0, 0, AddressSpace::Shared, 32, 1, 1}};
    for (int i = 0; i < 3; ++i) p.add(make(Operation::Bar));
    p.add(make(Operation::Exit));
    p.threads = 64;
    machine::MachineModel m = round_machine();
    m.barrier_wavefronts = 2;
    return p.run(m).shared_wavefronts;
  };
  EXPECT_EQ(wavefronts(false), 0);
  EXPECT_EQ(wavefronts(true), 2 + 1);  // two warps' loads; the first barrier's turn, and none of those behind it
}

TEST(Timing, loadsPastTheL1DoNotHitInIt) {
  Program p = loads(2, true);
  p.warp.lines[1] = p.warp.lines[0];
  EXPECT_EQ(p.run().l1.load_hits, 4);
  for (MachineInstruction& in : p.code.blocks[0].instructions) in.past_l1 = true;
  EXPECT_EQ(p.run().l1.load_hits, 0);
}

TEST(Timing, anAtomicOfOneLaneForItsWarpIsOneRound) {
  Program p;
  MachineInstruction atomic = make(Operation::Red);
  atomic.access = 0;
  p.add(atomic);
  p.add(make(Operation::Exit));
  p.warp.accesses = {{0, 0, 0, 1, AddressSpace::Global, 32, 32, 1}};  // 32 lanes on one address
  p.warp.lines = {TraceLine::of_atomic(0, 1, 32)};
  p.threads = 1024;
  machine::MachineModel m = round_machine();
  m.memory.l2.atomic_round_cycles = m.memory.l2.atomic_chain_cycles = {10, 10, 10};
  EXPECT_NEAR(p.run(m).cycles, 32 * 32 * 10, 700);
  p.code.blocks[0].instructions[0].one_lane = true;
  EXPECT_NEAR(p.run(m).cycles, 32 * 10, 700);
}

TEST(Timing, aWarpEndsWhenItsStoresHaveLeft) {
  Program p;
  MachineInstruction store = make(Operation::Stg);
  store.access = 0;
  p.add(store);
  p.add(make(Operation::Exit));
  p.warp.accesses = {{0, 0, 0, 32, AddressSpace::Global, 32, 32, 1}};
  for (uint64_t i = 0; i < 32; ++i) p.warp.lines.push_back(TraceLine::of(i * kLineBytes, 15));
  const KernelTiming t = p.run();
  EXPECT_NEAR(t.stalls[unsigned(Stall::Drain)], 32 * 2, 5);  // 128 bytes a line at 64 a cycle
}

TEST(Timing, aMultiprocessorFetchesCodeOnce) {
  Program p;
  for (int i = 0; i < 800; ++i) p.add(make(Operation::Ffma, 0, {0}));
  p.add(make(Operation::Exit));
  const double warm = p.run().cycles;
  machine::MachineModel m = round_machine();
  m.code_cache_bytes = 32768, m.code_line_cycles = 50;
  const KernelTiming cold = p.run(m);
  // 801 instructions of 16 bytes in lines of 128, one behind the other; while one comes the one before it runs.
  EXPECT_NEAR(cold.cycles, 101 * 50, 60);
  // A line of a chain takes 29 cycles from its first issue to its last.
  EXPECT_NEAR(cold.stalls[unsigned(Stall::NoInstruction)], 101 * (50 - 29), 60);
  EXPECT_GT(cold.cycles, warm + 101 * (50 - 32 - 1));
  p.threads = 128;  // other warps find it there
  EXPECT_NEAR(p.run(m).cycles, cold.cycles, 60);
}

TEST(Timing, isTheSameEveryTime) {
  Program p = loads(50, false);
  p.blocks = 100, p.threads = 256;
  const KernelTiming a = p.run(), b = p.run();
  EXPECT_EQ(a.cycles, b.cycles);
  EXPECT_EQ(a.stalls, b.stalls);
}

TEST(Timing, everyWarpCycleHasAReason) {
  Program p = loads(50, true);
  p.blocks = 6, p.threads = 128;
  const KernelTiming t = p.run();
  double sum = 0;
  for (const double s : t.stalls) sum += s;
  EXPECT_NEAR(sum, t.warp_cycles, 1e-6 * sum);
  EXPECT_LE(sum, t.cycles * 24 + 1);
  EXPECT_GT(sum, t.cycles * 24 * 0.8);
}

}  // namespace
}  // namespace drywarp::sm
