// Calls: of functions of the program, through pointers, of the system.
#include "base/events/rare_cases.h"
#include "program.h"

namespace drywarp::sm {
namespace {

// The kernel's block calls the function, whose block returns; a last block ends the kernel.
Program caller(Operation call, machine::SystemCall system = {}) {
  Program p;
  MachineInstruction in = make(call);
  in.system = system;
  p.add(in);
  p.code.blocks.push_back({{{1, false}}, {make(Operation::Fadd, 1, {0}), make(Operation::Ret)}});
  p.code.blocks.push_back({{{2, false}}, {make(Operation::Exit)}});
  p.warp.steps.push_back({0, ~0u, 1});
  if (system == machine::SystemCall::None) p.warp.steps.push_back({1, ~0u, 1});
  p.warp.steps.push_back({2, ~0u, 1});
  return p;
}

TEST(Calls, takeTheirOwnTimeAndIssueTheFunctionsCode) {
  machine::MachineModel m = round_machine();
  m.call_latency = 30;
  const KernelTiming timing = caller(Operation::Call).run(m);
  EXPECT_EQ(timing.issued, 4u);
  EXPECT_NEAR(timing.cycles, 2 * 30, 6);
  m.call_latency = 50;
  EXPECT_NEAR(caller(Operation::Call).run(m).cycles - timing.cycles, 40, 1);
}

TEST(Calls, throughPointersTakeTurnsOnAMultiprocessor) {
  machine::MachineModel m = round_machine();
  m.call_latency = 30;
  Program p = caller(Operation::CallPointer);
  p.threads = 32 * 32;
  const double before = p.run(m).cycles;
  m.pointer_call_interval = 10;
  EXPECT_NEAR(p.run(m).cycles, 31 * 10 + 60, 20);
  EXPECT_LT(before, 150);
}

TEST(Calls, takenBranchesTakeTurnsInASubPartition) {
  machine::MachineModel m = round_machine();
  Program p;
  p.add(make(Operation::Bra));
  p.code.blocks.push_back({{{1, false}}, {make(Operation::Exit)}});
  p.warp.steps = {{0, ~0u, 100}, {1, ~0u, 1}};
  p.threads = 32 * 4 * 8;
  const double before = p.run(m).cycles;  // 8 warps hide each other's latency of 10
  m.taken_branch_interval = 5;
  EXPECT_NEAR(before, 100 * 10, 60);
  EXPECT_NEAR(p.run(m).cycles, 100 * 8 * 5, 60);
}

TEST(Calls, ofTheSystemTakeWhatWasMeasured) {
  machine::MachineModel m = round_machine();
  auto& cost = m.system_calls[unsigned(machine::SystemCall::Printf)];
  cost = {.instructions = 6800, .lane_instructions = 15, .cycles = 40000, .lane_cycles = 100, .first_cycles = 9000};
  Program p = caller(Operation::Call, machine::SystemCall::Printf);
  p.warp.steps[0].lanes = p.warp.steps[1].lanes = 1;
  const KernelTiming one = p.run(m);
  EXPECT_EQ(one.issued, 2u + 6800);
  EXPECT_NEAR(one.cycles, 49000, 50);
  p.warp.steps[0].lanes = p.warp.steps[1].lanes = 0xff;
  const KernelTiming eight = p.run(m);
  EXPECT_EQ(eight.issued, 2u + 6800 + 7 * 15);
  EXPECT_EQ(eight.thread_instructions, (6800 + 7 * 15 + 2) * 8u);
  EXPECT_NEAR(eight.cycles, 49700, 50);
}

TEST(Calls, ofRareCasesHoldTheWarpAndUseItsScheduler) {
  Program p;
  MachineInstruction branch = make(Operation::Bra);
  branch.rare_path = true, branch.ptx = 3;
  p.add(branch);
  p.add(make(Operation::Bsync));
  p.add(make(Operation::Exit));
  const KernelTiming none = p.run();
  TraceAccess rare;
  rare.space = AddressSpace::None, rare.access = 3, rare.lanes = 2;
  rare.units = 1u << unsigned(RareCase::FloatQuotientOfSpecial);
  p.warp.accesses = {rare};
  const RareCaseCost& cost = kRareCaseCosts[unsigned(RareCase::FloatQuotientOfSpecial)];
  const KernelTiming alone = p.run();
  EXPECT_EQ(alone.issued, none.issued + static_cast<uint64_t>(cost.instructions));
  EXPECT_NEAR(alone.cycles - none.cycles, cost.cycles, 3);
  p.threads = 32 * 4 * 16;  // 16 warps on each scheduler
  EXPECT_NEAR(p.run().cycles, 16 * cost.issue_cycles + cost.cycles, 0.5 * cost.cycles);
  p.warp.accesses[0].access = 4;  // of another instruction
  EXPECT_LT(p.run().cycles, 16 * 10);
}

TEST(Calls, ofTheSystemTakeTurnsOnTheDevice) {
  machine::MachineModel m = round_machine();
  auto& cost = m.system_calls[unsigned(machine::SystemCall::Malloc)];
  cost = {.instructions = 1000, .waiting_instructions = 0.5, .cycles = 10000, .device_cycles = 4000};
  Program p = caller(Operation::Call, machine::SystemCall::Malloc);
  p.blocks = 4;  // on two multiprocessors
  const KernelTiming timing = p.run(m);
  EXPECT_NEAR(timing.cycles, 10000 + 3 * 4000, 100);
  EXPECT_NEAR(double(timing.issued), 4 * 1002 + 0.5 * (4000 + 8000 + 12000), 50);
}

// A called function saves registers in its own frame: two levels do not share lines.
TEST(Calls, aFrameOfEachLevelHasItsOwnLines) {
  MachineInstruction enter = make(Operation::Iadd3), leave = enter, store = make(Operation::Stl, -1, {2}), load;
  enter.frame_step = 1, leave.frame_step = -1;
  store.space = AddressSpace::Local, store.bytes = 4, store.spill = true;
  load = make(Operation::Ldl, 3);
  load.space = AddressSpace::Local, load.bytes = 4, load.spill = true;
  const auto run = [&](bool moves) {
    Program p;
    for (int level = 0; level < 8; ++level) {
      if (moves) p.add(enter);
      p.add(store), p.add(load);
    }
    p.add(make(Operation::Exit));
    machine::MachineModel m = round_machine();
    m.memory.l1.allocates_local_stores = false;
    return p.run(m);
  };
  EXPECT_EQ(run(false).l1.load_hits, 7u * 4);  // the first load of a line that a store has not put there misses
  EXPECT_EQ(run(true).l1.load_hits, 0u);
}

}  // namespace
}  // namespace drywarp::sm
