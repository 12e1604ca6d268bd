// Loads and stores of global memory in the load-store unit, with hand-written code on a machine of round numbers.
#include <gtest/gtest.h>

#include "program.h"

namespace drywarp::sm {
namespace {

// `lines` lines of a sector each, the i-th of the warp's own from `first` on.
void add_access(Program& p, Operation op, uint64_t first, uint16_t lines, int destination, int address = 200) {
  const auto number = static_cast<uint32_t>(p.warp.accesses.size());
  MachineInstruction in = make(op, destination, {address});
  in.access = number;
  p.add(in);
  const auto at = static_cast<uint32_t>(p.warp.lines.size());
  p.warp.accesses.push_back({0, number, at, lines, AddressSpace::Global, 32, lines, 1});
  for (uint64_t l = 0; l < lines; ++l) p.warp.lines.push_back(TraceLine::of((first + l) * kLineBytes, 1));
}
void end(Program& p, int last) {
  p.add(make(Operation::Iadd3, 150, {last}));
  p.add(make(Operation::Exit));
}
machine::MachineModel with_l1() {
  machine::MachineModel m = round_machine();
  m.memory.l1.bytes = 1 << 16, m.memory.l1.caches_global = true;
  return m;
}

// 40 loads of DRAM in flight at most: the 41st begins when the first has arrived.
TEST(Loads, NoMoreAreInFlightThanTheMultiprocessorKeeps) {
  const auto cycles = [](unsigned loads, uint32_t in_flight) {
    Program p;
    for (unsigned i = 0; i < loads; ++i) add_access(p, Operation::Ldg, i, 1, static_cast<int>(i));
    end(p, static_cast<int>(loads - 1));
    machine::MachineModel m = with_l1();
    m.memory_queue = 1000, m.unit_queue = 1000, m.loads_in_flight = in_flight;
    return p.run(m).cycles;
  };
  const double free = cycles(80, 0);
  EXPECT_LT(free, 2 * 400);
  EXPECT_NEAR(cycles(80, 80), free, 1);
  EXPECT_NEAR(cycles(80, 40), free + 400, 60);
  EXPECT_NEAR(cycles(80, 20), free + 3 * 400, 120);
  // Loads of a line that is on its way count, too.
  Program both;
  for (int i = 0; i < 60; ++i) add_access(both, Operation::Ldg, 0, 1, i);
  add_access(both, Operation::Ldg, 1, 1, 61);
  end(both, 61);
  machine::MachineModel m = with_l1();
  m.memory_queue = 1000, m.unit_queue = 1000;
  const double together = both.run(m).cycles;
  m.loads_in_flight = 20;
  EXPECT_NEAR(both.run(m).cycles, together + 400, 60);  // the other line is asked for when the first has arrived
}

// `x = p ? a[i] : 0`: what the other lanes get does not wait for the load. What reads x does, and whatever replaces x
// in lanes that load.
TEST(Loads, AValueForTheOtherLanesDoesNotWait) {
  const machine::RegisterRange predicate{machine::RegisterFile::Predicate, 0, 1};
  const auto cycles = [&](bool negated, bool sets_again) {
    Program p;
    add_access(p, Operation::Ldg, 0, 1, 1);
    p.code.blocks[0].instructions.back().guard = predicate;
    if (sets_again) {
      MachineInstruction sets = make(Operation::Isetp, -1, {7});
      sets.destination.set(0, predicate);
      p.add(sets);
    }
    MachineInstruction other = make(Operation::Mov, 1);
    other.guard = predicate, other.guard_negated = negated;
    p.add(other);
    for (int i = 0; i < 100; ++i) p.add(make(Operation::Ffma, 0, {0}));
    end(p, 1);
    return p.run(with_l1()).cycles;
  };
  const double apart = cycles(true, false);
  EXPECT_GT(apart, 400);  // the last instruction waits for the load
  EXPECT_LT(apart, 700);
  EXPECT_NEAR(cycles(false, false), apart + 400, 20);
  EXPECT_NEAR(cycles(true, true), apart + 400, 20);
}

// Of a warp's loads of many lines, the data of those that come late move one after the other.
TEST(Loads, LateLoadsOfManyLinesMoveInTurn) {
  const auto cycles = [](unsigned loads, uint16_t lines) {
    Program p;
    for (unsigned i = 0; i < loads; ++i) add_access(p, Operation::Ldg, i * lines, lines, static_cast<int>(i));
    end(p, static_cast<int>(loads - 1));
    machine::MachineModel m = with_l1();
    m.memory.l1.fill_bytes_per_cycle = 4096, m.memory.l2.bytes_per_cycle = 4096, m.memory.dram.bytes_per_cycle = 4096;
    return p.run(m).cycles;
  };
  EXPECT_GE(cycles(8, 32) - cycles(1, 32), 7 * 32);
  EXPECT_LT(cycles(8, 1) - cycles(1, 1), 7 * 8);
}

// A warp's next access waits behind one that hits with conflicts, unless other warps' accesses wait, too.
TEST(Loads, AWarpsNextAccessWaitsBehindConflicts) {
  const auto program = [](uint32_t threads) {
    Program p;
    p.threads = threads;
    add_access(p, Operation::Ldg, 0, 32, 0);
    for (int i = 1; i <= 8; ++i) add_access(p, Operation::Ldg, 0, 32, i, 0);
    end(p, 8);
    return p;
  };
  machine::MachineModel m = with_l1();
  m.memory.l1.bank_conflicts = true;
  Program one = program(32), eight = program(256);
  const double alone = one.run(m).cycles, crowd = eight.run(m).cycles;
  m.memory.l1.warp_wavefront_cycles = 2;
  EXPECT_NEAR(one.run(m).cycles - alone, 7 * 32, 40);
  EXPECT_LT(eight.run(m).cycles - crowd, 3 * 32);
}

// A launch ends later by a share of end_cycles for what it reads from the L2, up to end_bytes.
TEST(Loads, ALaunchThatReadsMuchEndsLater) {
  Program p;
  for (int i = 0; i < 10; ++i) add_access(p, Operation::Ldg, i, 1, i);  // ten sectors
  end(p, 9);
  machine::MachineModel m = with_l1();
  const double without = p.run(m).cycles;
  m.end_cycles = 1000, m.end_bytes = 20 * 32;
  EXPECT_NEAR(p.run(m).cycles, without + 500, 1e-6);
  m.end_bytes = 5 * 32;
  EXPECT_NEAR(p.run(m).cycles, without + 1000, 1e-6);
}

// A store holds the unit until the crossbar has taken all but `store_queue_cycles` of it.
TEST(Loads, StoresHoldTheUnit) {
  Program p;
  add_access(p, Operation::Stg, 0, 32, -1);
  add_access(p, Operation::Ldg, 100, 1, 1);
  end(p, 1);
  machine::MachineModel m = with_l1();
  m.memory.l1.store_bytes_per_cycle = 16;  // two cycles a sector: 64 a store
  const auto with = [&](double cycles) {
    m.memory.l1.store_queue_cycles = cycles;
    return p.run(m).cycles;
  };
  EXPECT_NEAR(with(4) - with(64), 60 - 32, 8);  // the lookup of 32 lines takes 32 cycles in any case
}

}  // namespace
}  // namespace drywarp::sm
