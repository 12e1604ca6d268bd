// Hopper's asynchronous instructions, with hand-written code on a machine of round numbers: products of warp groups,
// copies of many bytes, and the barrier objects that hear of them.
#include <gtest/gtest.h>

#include "program.h"

namespace drywarp::sm {
namespace {

machine::MachineModel asynchronous_machine() {
  machine::MachineModel m = round_machine();
  m.latency[unsigned(machine::TimingClass::MatrixGroup)] = 60;
  m.issue[unsigned(machine::TimingClass::MatrixGroup)] = 4;
  m.latency[unsigned(machine::TimingClass::BulkCopy)] = 10;
  m.latency[unsigned(machine::TimingClass::BarrierObject)] = 20;
  m.bulk_request_interval = 2;
  m.bulk_store_latency = 5;
  return m;
}

// A product of `columns` columns, both factors in memory; each ends a group.
MachineInstruction product(uint16_t columns, bool in_memory = true) {
  MachineInstruction in = make(Operation::Hgmma);
  in.columns = columns, in.factor_in_memory = in_memory, in.ends_group = true;
  return in;
}
MachineInstruction wait_for_products(uint8_t pending) {
  MachineInstruction in = make(Operation::WarpgroupWait);
  in.pending = pending;
  return in;
}

double products(unsigned rounds, uint16_t columns, bool waits, uint8_t pending, bool in_memory = false,
                uint32_t threads = 128) {
  Program p;
  p.threads = threads;
  for (unsigned i = 0; i < rounds; ++i) {
    p.add(product(columns, in_memory));
    if (waits) p.add(wait_for_products(pending));
  }
  p.add(wait_for_products(0));
  p.add(make(Operation::Exit));
  return p.run(asynchronous_machine()).cycles;
}

TEST(MatrixGroups, AProductHoldsThePipeByItsColumns) {
  for (const uint16_t columns : {64, 128, 256})
    EXPECT_NEAR(products(20, columns, false, 0) - products(10, columns, false, 0), 10 * columns / 2, 2) << columns;
  // Two groups share the tensor cores.
  EXPECT_NEAR(products(20, 128, false, 0, false, 256) - products(10, 128, false, 0, false, 256), 2 * 10 * 64, 4);
}

TEST(MatrixGroups, AWaitIsForAllButTheLastGroups) {
  // The latency, and what all but 8 columns take more.
  EXPECT_NEAR(products(20, 64, true, 0) - products(10, 64, true, 0), 10 * (60 + 28), 15);
  EXPECT_NEAR(products(20, 64, true, 1) - products(10, 64, true, 1), 10 * (60 + 28) / 2.0, 15);
  EXPECT_NEAR(products(20, 64, true, 4) - products(10, 64, true, 4), 10 * 32, 15);
}

TEST(MatrixGroups, FactorsAreReadFromSharedMemory) {
  // 16 and 2 wavefronts of four warps, where the pipe would take 4 cycles.
  EXPECT_NEAR(products(20, 8, false, 0, true) - products(10, 8, false, 0, true), 10 * 18, 10);
  EXPECT_NEAR(products(20, 8, false, 0, false) - products(10, 8, false, 0, false), 10 * 4, 4);
}

// Copies of `lines` lines, with a barrier object, that one warp makes and waits for; `rounds` of them.
struct Copies : Program {
  explicit Copies(unsigned rounds, uint32_t lines, unsigned flight = 1, bool waits = true) {
    uint32_t ptx = 0;
    const auto use = [&](ObjectUse::Kind kind, uint32_t arrivals, int32_t bytes, uint8_t phase = 0) {
      warp.objects.push_back({0, ptx, 64, arrivals, bytes, 0, kind, phase});
    };
    const auto next = [&](Operation op, int destination = -1) {
      MachineInstruction in = make(op, destination);
      in.ptx = ptx++;
      return in;
    };
    use(ObjectUse::Kind::Init, 1, 0);
    add(next(Operation::Syncs));
    for (unsigned r = 0; r < rounds; ++r) {
      use(ObjectUse::Kind::Change, 1, static_cast<int32_t>(lines * flight * kLineBytes));
      add(next(Operation::Syncs));
      for (unsigned f = 0; f < flight; ++f) {
        use(ObjectUse::Kind::Change, 0, -static_cast<int32_t>(lines * kLineBytes));
        MachineInstruction in = next(Operation::Ublkcp);
        in.access = static_cast<uint32_t>(warp.accesses.size());
        const auto at = static_cast<uint32_t>(warp.lines.size());
        warp.accesses.push_back({0, in.access, at, static_cast<uint16_t>(lines), AddressSpace::Global, 1, 0, 0});
        for (uint32_t l = 0; l < lines; ++l) warp.lines.push_back(TraceLine::of(uint64_t{l} * kLineBytes, 15));
        add(in);
      }
      if (!waits) continue;
      use(ObjectUse::Kind::Wait, 0, 0, r % 2);
      add(next(Operation::SyncsWait, 10));
      add(make(Operation::Iadd3, 11, {10}));
      add(make(Operation::Bar));
    }
    add(make(Operation::Exit));
  }
};

TEST(BulkCopies, AWaitEndsWhenTheBytesHaveCome) {
  const auto each = [](uint32_t lines, unsigned flight = 1) {
    return (Copies(20, lines, flight).run(asynchronous_machine()).cycles -
            Copies(10, lines, flight).run(asynchronous_machine()).cycles) /
           10;
  };
  // Until the request, to the L2 and back without the way through the L1, the wait, the use and the barrier.
  const double one = each(1);
  EXPECT_NEAR(one, 10 + 200 - 30 + 20 + 4 + 20, 5);
  // A request every two cycles, and those of several copies behind each other.
  EXPECT_NEAR(each(64), one + 63 * 2, 10);
  EXPECT_NEAR(each(16, 4), one + 63 * 2, 15);
}

// Rounds of a copy of lines of their own, its group's end, and a wait for all but the last groups. The lines come from
// DRAM, one warp's or several warps' at once.
double copies(unsigned rounds, uint8_t pending, uint32_t lines = 1, uint32_t threads = 32) {
  Program p;
  p.threads = threads;
  for (unsigned r = 0; r < rounds; ++r) {
    MachineInstruction in = make(Operation::Ldgsts, -1, {200, 201});
    in.access = r, in.past_l1 = true;
    const auto at = static_cast<uint32_t>(p.warp.lines.size());
    p.warp.accesses.push_back({0, r, at, static_cast<uint16_t>(lines), AddressSpace::Global, 32, 1, 1});
    for (uint32_t l = 0; l < lines; ++l) p.warp.lines.push_back(TraceLine::of((r * lines + l) * kLineBytes, 15));
    p.add(in);
    p.add(make(Operation::Ldgdepbar));
    MachineInstruction wait = make(Operation::Depbar);
    wait.pending = pending;
    p.add(wait);
  }
  p.add(make(Operation::Depbar));
  p.add(make(Operation::Exit));
  return p.run(asynchronous_machine()).cycles;
}

TEST(AsynchronousCopies, AWaitIsForAllButTheLastGroups) {
  const double one = (copies(20, 0) - copies(10, 0)) / 10;
  EXPECT_GE(one, 400);  // to DRAM and back
  EXPECT_NEAR((copies(20, 1) - copies(10, 1)) / 10, one / 2, one / 20);
  EXPECT_NEAR((copies(20, 4) - copies(10, 4)) / 10, one / 5, one / 20);
  EXPECT_LT(copies(20, 100), 2 * one);
}

// Of 32 warps' copies of 32 lines the last ones stay in queues for longer than a copy takes.
TEST(AsynchronousCopies, AWaitIsForCopiesThatAreQueued) {
  EXPECT_GT(copies(1, 0, 32, 1024), copies(1, 0, 32) + 20 * 32);
}

TEST(BulkCopies, NobodyWaitsWithoutAWait) {
  EXPECT_LT(Copies(20, 1, 1, false).run(asynchronous_machine()).cycles,
            Copies(20, 1).run(asynchronous_machine()).cycles / 4);
}

// A phase that never completes does not hang the simulation.
TEST(BulkCopies, LostArrivalsDoNotStopTheRun) {
  Copies p(2, 1);
  for (ObjectUse& use : p.warp.objects)
    if (use.bytes < 0) use.bytes += 16;
  EXPECT_GT(p.run(asynchronous_machine()).cycles, 0);
}

// Stores of `lines` lines and a wait for all but `pending` groups.
double stores(unsigned rounds, uint32_t lines, uint8_t pending, bool until_read = false) {
  Program p;
  for (unsigned r = 0; r < rounds; ++r) {
    MachineInstruction in = make(Operation::Ublkcp);
    in.access = static_cast<uint32_t>(p.warp.accesses.size());
    const auto at = static_cast<uint32_t>(p.warp.lines.size());
    p.warp.accesses.push_back({0, in.access, at, static_cast<uint16_t>(lines), AddressSpace::Global, 1, 0, 0});
    for (uint32_t l = 0; l < lines; ++l) p.warp.lines.push_back(TraceLine::of(uint64_t{l} * kLineBytes, 15));
    p.add(in);
    p.add(make(Operation::Utmacmdflush));
    MachineInstruction wait = make(Operation::UtmaWait);
    wait.pending = pending, wait.until_read = until_read;
    p.add(wait);
  }
  p.add(make(Operation::Exit));
  return p.run(asynchronous_machine()).cycles;
}

TEST(BulkCopies, AGroupEndsWhenItsBytesHaveLeft) {
  const auto each = [](uint32_t lines, uint8_t pending, bool until_read = false) {
    return (stores(20, lines, pending, until_read) - stores(10, lines, pending, until_read)) / 10;
  };
  // 64 bytes a cycle leave.
  EXPECT_NEAR(each(64, 0), 10 + 64 * 2 + 5, 8);
  EXPECT_NEAR(each(64, 0, true), 10 + 64 * 2, 8);
  EXPECT_NEAR(each(64, 1), 64 * 2, 8);
}

}  // namespace
}  // namespace drywarp::sm
