// Atomics: rounds, chains on one address, and the units beside the multiprocessors.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "model/memory/memory_system.h"
#include "small_memory.h"

namespace drywarp::memory {
namespace {

TEST(MemorySystem, doesAtomicsOnOneAddressOneAfterTheOther) {
  MemorySystem memory(small());
  Cycles spread = 0, same = 0;
  const std::vector<TraceLine> four = {TraceLine::of_atomic(3 * kLineBytes, 15, 4)};
  const std::vector<TraceLine> one = {TraceLine::of_atomic(4 * kLineBytes, 1, 32)};
  for (int i = 0; i < 100; ++i) spread = memory.atomic(0, four, 32, AtomicKind::Integer, i).ready;
  EXPECT_EQ(memory.l2().counts().atomic_sectors, 400);
  for (int i = 0; i < 100; ++i) same = memory.atomic(0, one, 32, AtomicKind::Integer, 10000 + i).ready;
  EXPECT_EQ(memory.l2().counts().atomic_sectors, 400 + 3200);
  EXPECT_NEAR(spread, 100 * 8 + 400, 250);
  EXPECT_NEAR(same - 10000, 100 * 64 + 400, 300);
}

// An addition of floats waits for the one before it on the same address; those on neighbouring words do not.
TEST(MemorySystem, floatsOnOneAddressTakeLonger) {
  Parameters p = small();
  p.l2.atomic_round_cycles = {1, 1, 2}, p.l2.atomic_chain_cycles = {1.25, 3, 3}, p.l2.atomic_word_cycles = 1.25;
  const auto time = [&](AtomicKind kind, unsigned sectors, unsigned rounds, unsigned lanes = 32) {
    MemorySystem memory(p);
    const std::vector<TraceLine> line = {TraceLine::of_atomic(4 * kLineBytes, sectors, rounds)};
    Cycles ready = 0;
    for (int i = 0; i < 1000; ++i) ready = memory.atomic(0, line, lanes, kind, i).ready;
    return ready / 1000;
  };
  EXPECT_NEAR(time(AtomicKind::Float, 1, 1) - time(AtomicKind::Integer, 1, 1), 3 - 1.25, 0.1);
  EXPECT_NEAR(time(AtomicKind::Float, 1, 32), 96, 1);
  EXPECT_NEAR(time(AtomicKind::Float, 15, 4), 4, 0.5);
  EXPECT_NEAR(time(AtomicKind::Double, 15, 4), 8, 0.5);
  EXPECT_NEAR(time(AtomicKind::Integer, 15, 4), 4, 0.5);
  EXPECT_NEAR(time(AtomicKind::Integer, 15, 4, 4), 5, 0.5);
}

// On an H100, 1 to 7 words of a sector take a unit as long as one word, all 8 less: also again and again.
TEST(MemorySystem, roundsWithAllWordsOfASectorTakeLess) {
  Parameters p = small();
  p.l2.atomic_round_cycles = {2, 2, 2}, p.l2.atomic_chain_cycles = {0, 3, 3}, p.l2.atomic_word_cycles = 3;
  const auto time = [&](unsigned words) {
    MemorySystem memory(p);
    const std::vector<TraceLine> line = {TraceLine::of_atomic(4 * kLineBytes, 1, 4)};
    Cycles ready = 0;
    for (int i = 0; i < 1000; ++i) ready = memory.atomic(0, line, 4 * words, AtomicKind::Integer, i).ready;
    return ready / 1000;
  };
  EXPECT_NEAR(time(7), 4 * 3, 0.5);
  EXPECT_NEAR(time(8), 4 * 2, 0.5);
}

TEST(MemorySystem, anAtomicEvictsItsLineFromTheL1) {
  MemorySystem memory(small());
  memory.load(0, whole_line(7), 1, false, 0);
  memory.atomic(0, {{TraceLine::of_atomic(8 * kLineBytes, 1, 1)}}, 1, AtomicKind::Integer, 1000);
  EXPECT_TRUE(memory.load(0, whole_line(7), 1, false, 2000).hit);
  memory.atomic(0, {{TraceLine::of_atomic(7 * kLineBytes, 1, 1)}}, 1, AtomicKind::Integer, 3000);
  EXPECT_FALSE(memory.load(0, {{TraceLine::of(7 * kLineBytes, 8)}}, 1, false, 4000).hit);  // another sector of it
}

// In one request, the line that most lanes access slows down only its own slice.
TEST(MemorySystem, aHotLineOfAnAtomicOccupiesOnlyItsSlice) {
  MemorySystem memory(small());
  std::vector<TraceLine> lines = {TraceLine::of_atomic(0, 1, 24)};
  for (uint64_t l = 8; lines.size() < 9; l += 8) lines.push_back(TraceLine::of_atomic(l * kLineBytes, 1, 1));
  Cycles ready = 0;
  for (int i = 0; i < 100; ++i) ready = memory.atomic(0, lines, 32, AtomicKind::Integer, i).ready;
  EXPECT_GE(ready, 100 * 24 * 2);
}

TEST(MemorySystem, atomicsPassTheUnitBesideTheirSm) {
  const auto time = [](double forward, uint64_t block) {
    Parameters p = halves();
    p.l2.atomic_forward_cycles = forward;
    MemorySystem memory(p);
    Cycles ready = 0;
    for (int i = 0; i < 100; ++i) {
      const std::vector<TraceLine> line = {TraceLine::of_atomic(block * 32 * kLineBytes, 15, 4)};
      ready = memory.atomic(0, line, 32, AtomicKind::Integer, i).ready;
    }
    return ready;
  };
  // Of two neighbouring blocks, one is at home in the other half.
  const Cycles near = std::min(time(10, 0), time(10, 1)), far = std::max(time(10, 0), time(10, 1));
  EXPECT_NEAR(near, std::min(time(0, 0), time(0, 1)), 1);
  EXPECT_GT(far, 100 * 4 * 10);
}

}  // namespace
}  // namespace drywarp::memory
