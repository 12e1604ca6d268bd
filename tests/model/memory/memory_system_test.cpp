// The memory system on hand-written requests: latencies of an idle machine, rates of a busy one, contents of caches.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "model/memory/memory_system.h"
#include "small_memory.h"

namespace drywarp::memory {
namespace {

TEST(MemorySystem, answersAfterTheLatencyOfTheLevelThatHasTheData) {
  MemorySystem memory(small());
  const Response cold = memory.load(0, whole_line(7), 1, false, 1000);
  EXPECT_FALSE(cold.hit);
  EXPECT_NEAR(cold.ready - 1000, 400 + 40, 25);  // DRAM, its row closed
  const Response again = memory.load(0, whole_line(7), 1, false, 5000);
  EXPECT_TRUE(again.hit);
  EXPECT_NEAR(again.ready - 5000, 30, 3);
  const Response other = memory.load(1, whole_line(7), 1, false, 9000);
  EXPECT_FALSE(other.hit);
  EXPECT_NEAR(other.ready - 9000, 200, 10);  // L2
  EXPECT_EQ(memory.l1_counts().load_sectors, 12);
  EXPECT_EQ(memory.l1_counts().load_hits, 4);
  EXPECT_EQ(memory.l2().counts().read_sectors, 8);
  EXPECT_EQ(memory.l2().counts().read_hits, 4);
  EXPECT_EQ(memory.l2().dram().counts().read_bytes, 128);
}

TEST(MemorySystem, hasInItsL2WhatEarlierLaunchesLeftThere) {
  MemorySystem memory(small());
  memory.warm(std::vector<uint64_t>{7});
  const Response found = memory.load(0, whole_line(7), 1, false, 1000);
  EXPECT_FALSE(found.hit);
  EXPECT_NEAR(found.ready - 1000, 200, 10);
  EXPECT_EQ(memory.l2().counts().read_hits, 4);
  EXPECT_EQ(memory.l2().dram().counts().read_bytes, 0);
}

// Both partitions have them, and a store waits for no copy that was there before.
TEST(MemorySystem, hasCopiesOfWhatEarlierLaunchesLeft) {
  Parameters p = small();
  p.l2.partitions = 2, p.l2.latency_far = 300;
  MemorySystem memory(p);
  memory.warm(std::vector<uint64_t>{7, 8});
  for (const uint32_t sm : {0u, 1u})
    EXPECT_NEAR(memory.load(sm, whole_line(7), 1, false, 1000 + 5000 * sm).ready - 1000 - 5000 * sm, 200, 10);
  const auto stored = [&](Cycles now) { return memory.store(0, whole_line(8), 1, now).ready - now; };
  const Cycles first = stored(20000);
  EXPECT_NEAR(stored(30000), first, 5);
  EXPECT_NEAR(memory.load(1, whole_line(8), 1, true, 40000).ready - 40000,
              memory.load(0, whole_line(8), 1, true, 50000).ready - 50000, 110);
}

// Fermi's L1 has no sectors.
TEST(MemorySystem, fillsWholeLinesWhereThereAreNoSectors) {
  Parameters p = small();
  p.l1.fills_lines = true;
  MemorySystem memory(p);
  const std::vector<TraceLine> first = {TraceLine::of(7 * kLineBytes, 1)}, last = {TraceLine::of(7 * kLineBytes, 8)};
  memory.load(0, first, 1, false, 1000);
  EXPECT_EQ(memory.l2().counts().read_sectors, 4);
  EXPECT_TRUE(memory.load(0, last, 1, false, 5000).hit);
  MemorySystem sectored(small());
  sectored.load(0, first, 1, false, 1000);
  EXPECT_EQ(sectored.l2().counts().read_sectors, 1);
  EXPECT_FALSE(sectored.load(0, last, 1, false, 5000).hit);
}

// GT200 moves the smallest aligned segment of 32, 64 or 128 bytes. It has no caches, so all accesses go to DRAM.
TEST(MemorySystem, movesSegmentsToAndFromDramWhereThereAreNoCaches) {
  Parameters p = small();
  p.l1 = {.bytes = 0,
          .lines_per_cycle = 1,
          .bytes_per_cycle = 1e9,
          .fill_bytes_per_cycle = 1e9,
          .store_bytes_per_cycle = 1e9,
          .caches_global = false,
          .loads_segments = true};
  p.l2.bytes = 0, p.l2.latency_near = p.l2.latency_far = p.dram.latency;
  MemorySystem memory(p);
  for (const auto& [sectors, bytes] : {std::pair{1u, 32u}, {3u, 64u}, {4u, 32u}, {9u, 128u}}) {
    const uint64_t before = memory.l2().dram().counts().read_bytes;
    const std::vector<TraceLine> line = {TraceLine::of(7 * kLineBytes, sectors)};
    const Response response = memory.load(0, line, 1, false, 10000.0 * sectors);
    EXPECT_EQ(memory.l2().dram().counts().read_bytes - before, bytes) << sectors;
    EXPECT_NEAR(response.ready - 10000.0 * sectors, 400 + 30, 40) << sectors;
  }
  memory.store(0, whole_line(9), 1, 200000);
  EXPECT_EQ(memory.l2().dram().counts().write_bytes, 128);
  // A store leaves the SM when the controller takes it: nothing in between holds it.
  Response last;
  for (uint64_t i = 0; i < 1000; ++i) last = memory.store(0, whole_line(100 + i), 1, 300000);
  EXPECT_GT(last.sent - 300000, 1000 * 128 / 32 * 0.8);
}

TEST(MemorySystem, requestsDuringAFillShareIt) {
  MemorySystem memory(small());
  const Response first = memory.load(0, whole_line(7), 1, false, 1000);
  const Response second = memory.load(0, whole_line(7), 1, false, 1010);
  EXPECT_NEAR(second.ready, first.ready, 5);
  EXPECT_EQ(memory.l2().dram().counts().read_bytes, 128);
}

// As measured: a load of many lines that hits takes more for each wavefront than one whose data arrives late.
TEST(MemorySystem, conflictsOfHitsTakeLonger) {
  Parameters p = small();
  p.l1.bank_conflicts = true;
  p.l1.conflict_cycles = 2;
  MemorySystem memory(p);
  std::vector<TraceLine> lines;
  for (uint64_t i = 0; i < 8; ++i) lines.push_back(TraceLine::of(i * kLineBytes, 1));
  const Response cold = memory.load(0, lines, 8, false, 1000);
  EXPECT_TRUE(cold.late);
  EXPECT_EQ(cold.moves, 8);
  const Response warm = memory.load(0, lines, 8, false, 5000);
  EXPECT_FALSE(warm.late);
  const Response alone = memory.load(0, lines, 1, false, 9000);
  EXPECT_NEAR((warm.ready - 5000) - (alone.ready - 9000), 7 * 2, 1e-9);
  // Behind a load whose data is on its way, another one of the same lines is late, too.
  MemorySystem other(p);
  other.load(0, lines, 8, false, 1000);
  EXPECT_TRUE(other.load(0, lines, 8, false, 1010).late);
}

TEST(MemorySystem, fetchesOnlyTheRequestedSectors) {
  MemorySystem memory(small());
  memory.load(0, std::vector{TraceLine::of(640, 1)}, 1, false, 0);
  memory.load(0, std::vector{TraceLine::of(640, 2)}, 1, false, 1000);
  EXPECT_EQ(memory.l1_counts().load_hits, 0);
  EXPECT_EQ(memory.l2().dram().counts().read_bytes, 64);
}

TEST(MemorySystem, isAsFastAsItsSlowestPart) {
  MemorySystem memory(small());
  // A stream through one SM: the four channels' 32 bytes a cycle are the narrowest place.
  constexpr uint64_t lines = 4000;
  Cycles end = 0;
  for (uint64_t i = 0; i < lines; ++i) end = std::max(end, memory.load(0, whole_line(i), 1, false, double(i)).ready);
  EXPECT_NEAR(lines * 128 / (end - 400), 32, 4);
  // The same again from L2, which holds it: the crossbar's 64 bytes.
  const Cycles begin = end + 1000;
  for (uint64_t i = 0; i < lines; ++i)
    end = std::max(end, memory.load(1, whole_line(i), 1, true, begin + double(i)).ready);
  EXPECT_NEAR(lines * 128 / (end - begin - 200), 64, 6);
}

// Lines read for the other partition are evicted first, but only if a set is full.
TEST(MemorySystem, linesAreEvictedOnlyIfASetIsFull) {
  Parameters p = small();
  p.sms = 2, p.l2.partitions = 2, p.l2.latency_far = 300;
  MemorySystem memory(p);
  for (int round = 0; round < 2; ++round)
    for (uint64_t line = 0; line < 1024; ++line)
      memory.load(round, whole_line(line), 1, true, 1e6 * round + 100. * line);
  EXPECT_EQ(memory.l2().dram().counts().read_bytes, 1024 * kLineBytes);
}

// A strided load that misses: 32 words of one bank out, 32 sectors in.
TEST(MemorySystem, fillsUseTheDataPipeToo) {
  Parameters p = small();
  p.l1.bank_conflicts = true, p.l1.lines_per_cycle = 4, p.l1.fill_bytes_per_cycle = 1e9;
  std::vector<TraceLine> lines;
  for (uint64_t l = 0; l < 32; ++l) lines.push_back(TraceLine::of(l * kLineBytes, 1));
  MemorySystem memory(p);
  memory.load(0, lines, 32, false, 0);
  EXPECT_EQ(memory.take_data_pipe(0, 0, 1), 32 + 32 * 32 / 128.0);  // out and in
  memory.load(0, lines, 32, false, 10000);
  EXPECT_EQ(memory.take_data_pipe(0, 0, 1), 10000 + 32);  // hits
  EXPECT_EQ(memory.l1_busy(), 2 * 32 + 2);                // for lanes
}

TEST(BackfillServer, keepsTheTimeBeforeARequest) {
  BackfillServer server;
  EXPECT_EQ(server.take(1000, 10), 1000);
  EXPECT_EQ(server.take(500, 10), 500);
  EXPECT_EQ(server.take(100, 10), 100);
  EXPECT_EQ(server.take(100, 400), 510);  // from 110 to 500 is too short
  EXPECT_EQ(server.take(100, 390), 110);
}

TEST(BackfillServer, servesWhileItWouldWait) {
  BackfillServer server;
  EXPECT_EQ(server.take(100, 10), 100);
  EXPECT_EQ(server.take(0, 60), 0);
  EXPECT_EQ(server.take(50, 40), 60);
  EXPECT_EQ(server.take(50, 40), 110);  // no time is left before the first
}

TEST(MemorySystem, wordsOfALoadConflictInTheBanksOfTheL1) {
  Parameters p = small();
  p.l1.bytes = 1 << 20;
  p.l1.bank_conflicts = true;
  p.l1.lines_per_cycle = 4;
  MemorySystem memory(p);
  std::vector<TraceLine> column;
  for (uint64_t i = 0; i < 32; ++i) column.push_back(TraceLine::of(i * kLineBytes, 1));
  memory.load(0, column, 32, false, 0);
  const Response hit = memory.load(0, column, 32, false, 5000);
  EXPECT_TRUE(hit.hit);
  EXPECT_NEAR(hit.accepted - 5000, 32, 1);
  EXPECT_NEAR(hit.ready - 5000, 30 + 31, 8);
  const Response spread = memory.load(0, column, 1, false, 6000);  // 32 lines, no two words in a bank
  EXPECT_NEAR(spread.accepted - 6000, 8, 1);
}

}  // namespace
}  // namespace drywarp::memory
