// When a warp's next instruction may issue: predicates, banks, units, and spacing by the compiler.
#include <algorithm>

#include "model/sm/units/register_banks.h"
#include "program.h"

namespace drywarp::sm {
namespace {

// Guards read a predicate later than operands do: ptxas assumes this, for branches and other instructions.
TEST(Timing, guardsReadPredicatesLate) {
  machine::MachineModel late = round_machine();
  late.branch_predicate_cycles = 9;
  const machine::RegisterRange predicate{machine::RegisterFile::Predicate, 0, 1};
  Program guarded, operand;
  for (int i = 0; i < 100; ++i) {
    MachineInstruction sets = make(Operation::Isetp, -1, {0});
    sets.destination.set(0, predicate);
    MachineInstruction adds = make(Operation::Iadd3, 0, {0});
    adds.guard = predicate;
    guarded.add(sets), guarded.add(adds);
    adds.guard = {};
    adds.source.set(1, predicate);
    operand.add(sets), operand.add(adds);
  }
  for (Program* p : {&guarded, &operand}) p->add(make(Operation::Exit));
  EXPECT_NEAR(guarded.run().cycles, 800, 10);
  EXPECT_NEAR(guarded.run(late).cycles, 1700, 10);
  EXPECT_NEAR(operand.run(late).cycles, 800, 10);
}

// Nsight Compute's smsp__ counters: of four schedulers, those without a warp are not active.
TEST(Timing, SchedulersWithoutAWarpAreNotActive) {
  const auto run = [](uint32_t threads) {
    Program p;
    p.threads = threads;
    for (int i = 0; i < 100; ++i) p.add(make(Operation::Ffma, 0, {0}));
    p.add(make(Operation::Exit));
    return p.run();
  };
  const KernelTiming one = run(32), three = run(96), eight = run(256);
  EXPECT_NEAR(one.active_cycles, 400, 5);
  EXPECT_NEAR(one.scheduler_active_cycles, 400, 5);
  EXPECT_NEAR(three.scheduler_active_cycles, 3 * 400, 15);
  EXPECT_NEAR(eight.scheduler_active_cycles, 4 * eight.active_cycles, 20);
}

// No warp is preferred: two warps that work, wait and work again end each part at the same time.
TEST(Timing, equalWarpsProgressEqually) {
  Program p;
  machine::MachineModel m = round_machine();
  m.latency[unsigned(machine::TimingClass::Transcendental)] = 500;
  for (int part = 0; part < 2; ++part) {
    for (uint16_t i = 0; i < 100; ++i) p.add(make(Operation::Ffma, static_cast<uint16_t>(8 + i), {0}));
    p.add(make(Operation::Mufu, 0, {108}));
  }
  p.add(make(Operation::Fadd, 1, {0}));
  p.add(make(Operation::Exit));
  const double alone = p.run(m).cycles;
  p.threads = 32 * 8;  // two warps a scheduler
  EXPECT_NEAR(alone, 2 * (100 + 500), 30);
  // If one were preferred, it would be 100 cycles ahead, and its second part would overlap with the other's wait.
  EXPECT_NEAR(p.run(m).cycles, 2 * (200 + 500), 40);
}

// The compiler spaces a warp's instructions for one unit; other warps' issue between them.
TEST(Timing, aWarpsLoadsAreSpaced) {
  machine::MachineModel m = round_machine();
  m.spacing[unsigned(machine::Spacing::LoadStore)] = 4;
  Program p;
  for (int i = 0; i < 20; ++i) p.add(make(Operation::Shfl, i, {200}));
  p.add(make(Operation::Exit));
  const KernelTiming alone = p.run(m);
  EXPECT_NEAR(alone.cycles - p.run().cycles, 19 * 3, 2);
  EXPECT_NEAR(alone.stalls[unsigned(Stall::Wait)], 19 * 3, 2);
  p.threads = 32 * 16;
  EXPECT_NEAR(p.run(m).cycles, p.run().cycles, 8);  // four warps a scheduler fill the gaps
}

TEST(Timing, aWarpsConstantLoadsAreSpaced) {
  machine::MachineModel m = round_machine();
  m.spacing[unsigned(machine::Spacing::Constant)] = 8;
  Program loads, reads;
  for (int i = 0; i < 20; ++i) loads.add(make(Operation::Ldc, i)), reads.add(make(Operation::S2r, i));
  for (Program* p : {&loads, &reads}) p->add(make(Operation::Exit));
  EXPECT_NEAR(loads.run(m).cycles - loads.run().cycles, 19 * 7, 2);
  EXPECT_EQ(reads.run(m).cycles, reads.run().cycles);  // of these only what comes behind them waits
}

TEST(Timing, anotherPipesResultComesLater) {
  machine::MachineModel m = round_machine();
  m.other_pipe_cycles = 1;
  Program same, other;
  for (int i = 0; i < 50; ++i) {
    same.add(make(Operation::Ffma, 0, {0})), same.add(make(Operation::Fmul, 0, {0}));
    other.add(make(Operation::Ffma, 0, {0})), other.add(make(Operation::Iadd3, 0, {0}));
  }
  for (Program* p : {&same, &other}) p->add(make(Operation::Exit));
  EXPECT_EQ(same.run(m).cycles, same.run().cycles);
  EXPECT_NEAR(other.run(m).cycles - other.run().cycles, 99, 1);
}

// Two banks of registers give an operand a cycle each.
TEST(Timing, operandsOfOneBankAreReadOneAfterTheOther) {
  machine::MachineModel m = round_machine();
  m.register_banks = true;
  Program three, two, same, kept;
  for (int i = 0; i < 100; ++i) {
    const int a = 2 * (i % 30);
    three.add(make(Operation::Ffma, 150 + i % 8, {a, a + 1, a + 2}));  // whatever their names, two lie in one
    two.add(make(Operation::Fadd, 150 + i % 8, {a, a + 2}));           // can be named so that they do not
    same.add(make(Operation::Ffma, 150 + i % 8, {a, a, a}));
    kept.add(make(Operation::Ffma, 150 + i % 8, {i % 30, 100, 102}));
  }
  for (Program* p : {&three, &two, &same, &kept}) p->add(make(Operation::Exit));
  const auto cycles = [&m](Program& p) { return p.run(m).cycles; };
  EXPECT_NEAR(three.run().cycles, 100, 8);
  EXPECT_GT(cycles(three), 145);
  EXPECT_LT(cycles(three), 210);
  EXPECT_NEAR(cycles(two), 100, 8);
  EXPECT_NEAR(cycles(same), 100, 8);
  EXPECT_NEAR(cycles(kept), 100, 8);  // the instruction before has left them
  three.threads = 32 * 16;
  EXPECT_GT(three.run(m).stalls[unsigned(Stall::Dispatch)], 300);
}

// A register's values, one after the other, can lie in different banks: then no two of three values in one instruction
// share one.
TEST(Timing, eachValueOfARegisterHasABankOfItsOwn) {
  Program one, many;
  for (Program* p : {&one, &many}) {
    p->add(make(Operation::Fadd, 10, {0, 1}));
    if (p == &many) p->add(make(Operation::Mov, 0, {}));
    p->add(make(Operation::Fadd, 11, {2, 0})), p->add(make(Operation::Fadd, 12, {1, 2}));
    if (p == &many) p->add(make(Operation::Mov, 0, {}));  // what the block's next run begins with
    p->add(make(Operation::Exit));
  }
  const auto conflicts = [](const Program& p) {
    return std::ranges::count_if(bank_reads(p.code),
                                 [](const BankReads& b) { return b.reads[0] > 1 || b.reads[1] > 1; });
  };
  EXPECT_EQ(conflicts(one), 1);
  EXPECT_EQ(conflicts(many), 0);
}

// The compiler writes beside an instruction how long its warp waits. It does so behind a result of variable latency,
// too, though that took longer.
TEST(Timing, aWarpWaitsForFixedLatenciesBehindVariableOnesToo) {
  Program apart, dependent;
  for (int i = 0; i < 20; ++i)
    for (Program* p : {&apart, &dependent}) {
      p->add(make(Operation::Mufu, 10, {11}));
      p->add(make(Operation::Ffma, 20, {21, 22, 23}));
      p->add(make(Operation::Fadd, 30, {10}));
      p->add(make(Operation::Fadd, 31, {p == &apart ? 24 : 20}));
    }
  for (Program* p : {&apart, &dependent}) p->add(make(Operation::Exit));
  const double latency = round_machine().latency[unsigned(machine::TimingClass::Alu)];
  EXPECT_NEAR(dependent.run().cycles - apart.run().cycles, 20 * (latency - 2), 2);
}

// In ptxas 13's code a product of 64 bits is read by another one 6 cycles behind it as a factor, 4 as an addend, by the
// other pipe 5, 3 of its low word; on an H200 each takes 3 more. Here the latency of a factor is 9.
TEST(Timing, wideProductsAreReadByUse) {
  machine::MachineModel m = round_machine();
  m.latency[unsigned(machine::TimingClass::ImadWide)] = 9;
  m.wide_factor_cycles = 2, m.wide_low_cycles = 2, m.other_pipe_cycles = 1;
  using machine::RegisterFile;
  const auto product = [](uint16_t to, uint16_t factor, uint16_t addend) {
    MachineInstruction in = make(Operation::ImadWide, to, {factor, 60});
    in.destination.set(0, {RegisterFile::General, to, 2});
    in.source.set(2, {RegisterFile::General, addend, 2});
    return in;
  };
  const auto chain = [&](auto add) {
    Program p;
    for (int i = 0; i < 20; ++i) add(p);
    p.add(make(Operation::Exit));
    return p.run(m).cycles / 20;
  };
  const double factor = chain([&](Program& p) { p.add(product(10, 10, 20)); });
  const double addend = chain([&](Program& p) { p.add(product(10, 20, 10)); });
  const double high = chain([&](Program& p) {
    p.add(product(10, 12, 20));
    p.add(make(Operation::Lop3, 12, {11}));
  });
  const double low = chain([&](Program& p) {
    p.add(product(10, 12, 20));
    p.add(make(Operation::Lop3, 12, {10}));
  });
  EXPECT_NEAR(factor - addend, 2, 0.2);
  EXPECT_NEAR(high - factor, 8 + 5 - 9, 0.2);
  EXPECT_NEAR(high - low, 2, 0.2);
}

// A 64-bit product occupies its scheduler, not only its pipe; here equally long.
TEST(Timing, wideProductsOccupyTheirScheduler) {
  machine::MachineModel m = round_machine();
  m.issue[unsigned(machine::TimingClass::ImadWide)] = 4;
  machine::MachineModel keeps = m;
  keeps.wide_product_interval = 4;
  Program p;  // 100 products, of which each leaves the pipe of the others room for more than there are
  for (int i = 0; i < 100; ++i) {
    p.add(make(Operation::ImadHi, 150 + i % 8, {0, 1}));
    for (int k = 0; k < 3; ++k) p.add(make(Operation::Iadd3, 100 + k, {0, 1}));
  }
  p.add(make(Operation::Exit));
  EXPECT_NEAR(p.run(m).cycles, 400, 12);
  EXPECT_NEAR(p.run(keeps).cycles, 700, 12);
  p.threads = 32 * 8;
  EXPECT_GT(p.run(keeps).stalls[unsigned(Stall::Dispatch)], 2 * p.run(m).stalls[unsigned(Stall::Dispatch)] + 300);
}

// Stores of 32 lines, one word each, and a load of shared memory.
Program scattered_stores(unsigned count) {
  Program p;
  for (unsigned i = 0; i < count; ++i) {
    MachineInstruction store = make(Operation::Stg);
    store.access = i;
    p.add(store);
    p.warp.accesses.push_back({0, i, i * 32, 32, AddressSpace::Global, 32, 32, 1});
    for (uint64_t l = 0; l < 32; ++l) p.warp.lines.push_back(TraceLine::of((i * 32 + l) * kLineBytes, 1));
  }
  return p;
}

TEST(Timing, theLoadStoreUnitTakesOneAfterTheOther) {
  Program p = scattered_stores(8);
  MachineInstruction load = make(Operation::Lds, 1, {200});
  load.access = 8;
  p.add(load);
  p.warp.accesses.push_back({0, 8, 0, 0, AddressSpace::Shared, 32, 1, 1});
  p.add(make(Operation::Iadd3, 2, {1}));
  p.add(make(Operation::Exit));
  machine::MachineModel m = round_machine();
  m.memory.l1.store_bytes_per_cycle = 16;  // two cycles a sector: 64 a store, of which 64 may wait outside
  const KernelTiming t = p.run(m);
  EXPECT_GT(t.stalls[unsigned(Stall::ShortScoreboard)], 6 * 64);
  EXPECT_LT(t.stalls[unsigned(Stall::ShortScoreboard)], 8 * 64 + 40);
}

TEST(Timing, aFullLoadStoreQueueStopsIssue) {
  Program p = scattered_stores(20);
  p.add(make(Operation::Exit));
  machine::MachineModel m = round_machine();
  m.memory.l1.store_bytes_per_cycle = 16;
  const auto throttled = [&](uint32_t part, uint32_t unit) {
    m.memory_queue = part, m.unit_queue = unit;
    return p.run(m).stalls[unsigned(Stall::LgThrottle)];
  };
  EXPECT_NEAR(throttled(32, 0), 0, 1);
  EXPECT_NEAR(throttled(12, 20), 0, 1);
  const double eight = throttled(8, 0), more = throttled(8, 4);
  EXPECT_GT(eight, 9 * 64);
  EXPECT_NEAR(eight - more, 4 * 64, 70);
  // The warp still ends when all its stores have left.
  EXPECT_NEAR(p.run(m).cycles, 20 * 64 + 200, 80);
}

TEST(Timing, aMultiprocessorFetchesConstantsOnce) {
  machine::MachineModel m = round_machine();
  m.adu_interval = 1;
  Program loads, operands;
  for (int i = 0; i < 8; ++i) {
    MachineInstruction load = make(Operation::Ldc, i, {i == 0 ? 200 : i - 1});
    load.constant = 0x210 + 4 * i;  // one line and, from 0x240 on, another
    if (i >= 4) load.constant = 0x240 + 4 * i;
    loads.add(load);
    MachineInstruction uniform = make(Operation::Uldc, i);
    uniform.constant = load.constant;
    operands.add(uniform);
  }
  loads.add(make(Operation::Exit)), operands.add(make(Operation::Exit));
  loads.threads = operands.threads = 64;
  const double warm = loads.run(m).cycles, without = operands.run(m).cycles;
  m.constant_miss_cycles = 100, m.constant_far_cycles = 400;
  EXPECT_NEAR(loads.run(m).cycles - warm, 2 * (100 - 4), 12);
  const KernelTiming t = operands.run(m);
  EXPECT_NEAR(t.cycles - without, 2 * 100, 12);
  EXPECT_NEAR(t.stalls[unsigned(Stall::ImcMiss)], 2 * 2 * 100, 20);
  // Each sub-partition fetches its operands itself, and lines arrive one after the other.
  Program four = operands;
  four.threads = 128;
  m.constant_line_cycles = 30;
  // Warps wait for the first of the two lines, hardly for the second.
  const double waited = four.run(m).stalls[unsigned(Stall::ImcMiss)] - 4 * 2 * 100;
  EXPECT_GE(waited, 30 + 60 + 90);
  EXPECT_LT(waited, 1.5 * (30 + 60 + 90));
  m.constant_line_cycles = 0;
  Program others;  // that do not need the constant, but the unit that waits for it
  MachineInstruction first = make(Operation::Ldc, 0);
  first.constant = 0x210;
  others.add(first);
  for (int i = 0; i < 20; ++i) others.add(make(Operation::Ldc, 1 + i));
  others.add(make(Operation::Exit));
  const KernelTiming blocked = others.run(m);
  EXPECT_NEAR(blocked.cycles, 100 + 12, 10);
  EXPECT_NEAR(blocked.stalls[unsigned(Stall::MioThrottle)], 100, 15);
  for (MachineInstruction& in : operands.code.blocks[0].instructions)
    if (in.constant != machine::kNoConstant) in.constant += 3 * machine::kConstantBank;
  EXPECT_NEAR(operands.run(m).cycles - without, 2 * 400, 12);
}

}  // namespace
}  // namespace drywarp::sm
