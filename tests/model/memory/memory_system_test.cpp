// The memory system on hand-written requests: latencies of an idle machine, rates of a busy one, contents of caches.
#include "model/memory/memory_system.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace drywarp::memory {
namespace {

Parameters small() {
  Parameters p;
  p.sms = 2;
  p.l1 = {.bytes = 16384,
          .ways = 4,
          .hit_latency = 30,
          .lines_per_cycle = 1,
          .bytes_per_cycle = 128,
          .fill_bytes_per_cycle = 64,
          .store_bytes_per_cycle = 64};
  p.l2 = {.bytes = 1 << 20,
          .ways = 16,
          .slices = 4,
          .partitions = 1,
          .bytes_per_cycle = 32,
          .latency_near = 200,
          .latency_far = 200,
          .fill_bytes = 32,
          .atomic_round_cycles = {2, 2, 2},
          .atomic_chain_cycles = {2, 2, 2},
          .atomic_latency = 0};
  p.dram = {.channels = 4,
            .banks = 16,
            .row_bytes = 1024,
            .burst_bytes = 32,
            .bytes_per_cycle = 8,
            .latency = 400,
            .activate = 20,
            .precharge = 20,
            .row_cycle = 60,
            .turnaround = 0,
            .refresh_share = 0,
            .reorder_window = 100};
  return p;
}

std::vector<TraceLine> whole_line(uint64_t line) { return {TraceLine::of(line * kLineBytes, 15)}; }

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

TEST(MemorySystem, keepsStoresInL2UntilTheyAreEvicted) {
  MemorySystem memory(small());
  for (uint64_t i = 0; i < 1000; ++i) memory.store(0, whole_line(i), 1, double(i) * 10);
  EXPECT_EQ(memory.l2().dram().counts().read_bytes, 0);
  EXPECT_EQ(memory.l2().dram().counts().write_bytes, 0);
  for (uint64_t i = 0; i < 16384; ++i) memory.load(0, whole_line(100000 + i), 1, false, 20000 + double(i) * 10);
  EXPECT_NEAR(double(memory.l2().dram().counts().write_bytes), 128 * 1000, 1280);  // sets fill by chance
  // A store's data is in L1 as well: written through, and there for the next load.
  memory.store(1, whole_line(5), 1, 300000);
  EXPECT_TRUE(memory.load(1, whole_line(5), 1, false, 301000).hit);
}

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

TEST(MemorySystem, joinsReadsOfSmsThatShareACoalescer) {
  Parameters p = small();
  p.sms = 4, p.l2.coalescers = 2;
  MemorySystem memory(p);
  const Cycles first = memory.load(0, whole_line(7), 1, false, 1000).ready;
  EXPECT_NEAR(memory.load(1, whole_line(7), 1, false, 1040).ready, first, 5);
  EXPECT_EQ(memory.l2().counts().read_sectors, 4);  // one of the two
  memory.load(2, whole_line(7), 1, false, 1040);
  EXPECT_EQ(memory.l2().counts().read_sectors, 8);  // of the other half of the SMs
  // As long as the first waits for its data, and no longer.
  EXPECT_NEAR(memory.load(1, whole_line(7), 1, true, first - 60).ready, first, 5);
  EXPECT_EQ(memory.l2().counts().read_sectors, 8);
  memory.load(1, whole_line(7), 1, true, first + 1);
  EXPECT_EQ(memory.l2().counts().read_sectors, 12);
}

TEST(MemorySystem, aReadServesALimitedNumberOfSms) {
  Parameters p = small();
  p.sms = 8, p.l2.coalescers = 1, p.l2.coalesced = 4;
  MemorySystem memory(p);
  for (uint32_t sm = 0; sm < 8; ++sm) memory.load(sm, whole_line(7), 1, true, 10 * sm);
  EXPECT_EQ(memory.l2().counts().read_sectors, 2 * 4);
}

TEST(MemorySystem, neighbouringGroupsOfSmsAreNearToOtherPartitions) {
  Parameters p = small();
  p.sms = 64, p.l2.coalescers = 8, p.l2.partitions = 2, p.l2.latency_far = 300;
  MemorySystem memory(p);
  // A line's home is near either SMs 0 to 15 or SMs 32 to 47: the other half fetches it from there, once.
  for (uint32_t sm = 0; sm < 64; ++sm) memory.load(sm, whole_line(7), 1, true, 2000 * sm);
  EXPECT_EQ(memory.l2().counts().fabric_read_sectors, 4);
  MemorySystem other(p);
  other.load(0, whole_line(7), 1, true, 0);
  const uint64_t crossed = other.l2().counts().fabric_read_sectors;
  other.load(15, whole_line(7), 1, true, 2000);
  other.load(32, whole_line(7), 1, true, 4000);
  EXPECT_EQ(other.l2().counts().fabric_read_sectors, crossed);
  other.load(16, whole_line(7), 1, true, 6000);
  EXPECT_EQ(other.l2().counts().fabric_read_sectors, 4);
}

// Warps store even and odd words of lines alternately, through a port that is too slow for them.
TEST(MemorySystem, storesMergeWithQueuedStores) {
  Parameters p = small();
  p.l1.store_bytes_per_cycle = 32, p.l1.store_mask_bytes = 32, p.l1.store_merge_window = 4, p.l1.lines_per_cycle = 4;
  const auto half = [](uint64_t line) { return std::vector<TraceLine>{TraceLine::of(line * kLineBytes, 15, 15, 16)}; };
  MemorySystem busy(p), idle(p), far(p);
  Response first, second;
  for (uint64_t line = 0; line < 100; ++line) {
    first = busy.store(0, half(line), 1, static_cast<double>(line));
    second = busy.store(0, half(line), 1, static_cast<double>(line));
  }
  EXPECT_LT(busy.l2().counts().write_sectors, 101 * 4 + 4);
  EXPECT_EQ(second.sent, first.sent);
  for (int again = 0; again < 2; ++again)
    for (uint64_t line = 0; line < 100; ++line) idle.store(0, half(line), 1, 1000 * again + 10. * line);
  EXPECT_EQ(idle.l2().counts().write_sectors, 800);
  for (uint64_t line = 0; line < 100; line += 8)  // of eight warps, eight stores before it comes again
    for (int again = 0; again < 2; ++again)
      for (uint64_t k = 0; k < 8; ++k) far.store(0, half(line + k), 1, static_cast<double>(line), 8 * again + k);
  EXPECT_EQ(far.l2().counts().write_sectors, 104 * 2 * 4);
  // Of one warp, the store before, however many of others came between.
  MemorySystem many(p);
  for (uint64_t i = 0; i < 2; ++i)
    for (uint32_t warp = 0; warp < 32; ++warp) many.store(0, half(warp), 1, 10. * i, warp);
  EXPECT_LT(many.l2().counts().write_sectors, 48 * 4);
}

// Bytes that a warp stores one after the other: 75 to 85 % of what could merge does so with 64 warps on an H100, nearly
// all with one, and little where 64 warps store to eight lines each.
TEST(MemorySystem, aWarpsNextStoreMergesHoweverLate) {
  Parameters p = small();
  p.l1.store_bytes_per_cycle = 32, p.l1.store_mask_bytes = 32, p.l1.store_merge_window = 4, p.l1.lines_per_cycle = 4;
  const auto written = [&](uint32_t warps, uint64_t lines) {
    MemorySystem memory(p);
    for (int byte = 0; byte < 4; ++byte)
      for (uint32_t warp = 0; warp < warps; ++warp) {
        std::vector<TraceLine> all;
        for (uint64_t line = 0; line < lines; ++line)
          all.push_back(TraceLine::of((warp * lines + line) * kLineBytes, 15, 15, 8));
        memory.store(0, all, 1, 100000. * byte + 100. * warp, warp);
      }
    return static_cast<double>(memory.l2().counts().write_sectors) / (4. * warps * static_cast<double>(lines));
  };
  EXPECT_EQ(written(1, 1), 1);
  EXPECT_EQ(written(1, 4), 1);
  // What reads the line ends it: sums in memory are written in each step.
  MemorySystem sums(p);
  for (int step = 0; step < 4; ++step) {
    sums.load(0, whole_line(7), 1, false, 10000. * step);
    sums.store(0, std::vector{TraceLine::of(7 * kLineBytes, 15)}, 1, 10000. * step + 5000);
  }
  EXPECT_EQ(sums.l2().counts().write_sectors, 16);
  EXPECT_LT(written(64, 1), 1 + 3 * 0.25);
  EXPECT_EQ(written(64, 8), 4);
}

// As on an H200: loads find what a warp has stored whole, but not bytes, and the L2 writes every store.
TEST(MemorySystem, storesToLocalMemoryAllocateAndDoNotMerge) {
  Parameters p = small();
  p.l1.allocates_stores = false;
  p.l1.store_bytes_per_cycle = 32, p.l1.store_mask_bytes = 32, p.l1.store_merge_window = 4;
  const std::vector<TraceLine> bytes{TraceLine::of(9 * kLineBytes, 15, 15, 8)};
  const auto finds = [&](const std::vector<TraceLine>& stored, bool local) {
    MemorySystem memory(p);
    memory.store(0, stored, 1, 0, 0, local);
    return memory.load(0, stored, 1, false, 10000).hit;
  };
  EXPECT_TRUE(finds(whole_line(9), true));
  EXPECT_FALSE(finds(whole_line(9), false));
  EXPECT_FALSE(finds(bytes, true));
  const auto written = [&](bool local) {
    MemorySystem memory(p);
    for (int byte = 0; byte < 4; ++byte) memory.store(0, bytes, 1, 10000. * byte, 0, local);
    return memory.l2().counts().write_sectors;
  };
  EXPECT_EQ(written(true), 16);
  EXPECT_EQ(written(false), 4);
}

// Four warps write two words each of the same sectors of 16 lines. Merged stores take no further places in the queue.
TEST(MemorySystem, storesToSixteenLinesMergeWithThoseOfOtherWarps) {
  Parameters p = small();
  p.l1.store_bytes_per_cycle = 32, p.l1.store_mask_bytes = 32, p.l1.store_merge_window = 4, p.l1.lines_per_cycle = 4;
  const auto written = [&](uint64_t lines) {
    MemorySystem memory(p);
    std::vector<TraceLine> column;
    for (uint64_t line = 0; line < lines; ++line) column.push_back(TraceLine::of(line * kLineBytes, 1, 1, 8));
    memory.store(0, std::vector{TraceLine::of(1000 * kLineBytes, 15, 15, 16)}, 1, 0);  // the port is busy
    for (uint32_t warp = 0; warp < 4; ++warp) memory.store(0, column, 1, warp, warp);
    return memory.l2().counts().write_sectors - 4;
  };
  EXPECT_LT(written(16), 16 * 3);
  EXPECT_EQ(written(32), 32 * 4);
}

// Two warps, one after the other, each store half of the same sectors. A store to more lines takes later ones longer.
TEST(MemorySystem, storesMergeWithThoseOfOtherWarpsThatCameShortlyBefore) {
  Parameters p = small();
  p.l1.store_bytes_per_cycle = 32, p.l1.store_mask_bytes = 32, p.l1.store_merge_window = 4, p.l1.lines_per_cycle = 4;
  p.l1.store_merge_cycles = 3;
  const auto written = [&](uint64_t lines, Cycles apart) {
    MemorySystem memory(p);
    std::vector<TraceLine> column;
    for (uint64_t line = 0; line < lines; ++line) column.push_back(TraceLine::of(line * kLineBytes, 1, 1, 16));
    for (uint32_t warp = 0; warp < 2; ++warp) memory.store(0, column, 1, apart * warp, warp);
    return memory.l2().counts().write_sectors;
  };
  EXPECT_EQ(written(8, 20), 8);
  EXPECT_EQ(written(8, 40), 16);
  EXPECT_LT(written(16, 40), 20);
  EXPECT_EQ(written(16, 80), 32);
}

// Sectors of one line that different warps store wait side by side.
TEST(MemorySystem, storesMergeWithSectorsBesideOthers) {
  Parameters p = small();
  p.l1.store_bytes_per_cycle = 32, p.l1.store_mask_bytes = 32, p.l1.store_merge_window = 8, p.l1.lines_per_cycle = 4;
  p.l1.store_merge_cycles = 30;
  MemorySystem memory(p);
  for (uint32_t warp = 0; warp < 4; ++warp)
    memory.store(0, std::vector{TraceLine::of(0, warp % 2 == 0 ? 1 : 2, warp % 2 == 0 ? 1 : 2, 16)}, 1, warp, warp);
  EXPECT_EQ(memory.l2().counts().write_sectors, 2);
}

TEST(MemorySystem, partlyWrittenSectorsAreCompletedIfThereAreTooMany) {
  Parameters p = small();
  p.l2.partial_bytes = 64 * kLineBytes;
  MemorySystem memory(p);
  const auto part = [](uint64_t line) { return std::vector<TraceLine>{TraceLine::of(line * kLineBytes, 1, 1, 4)}; };
  for (uint64_t line = 0; line < 64; ++line) memory.store(0, part(line), 1, 100. * line);
  EXPECT_EQ(memory.l2().dram().counts().read_bytes, 0);
  for (uint64_t line = 64; line < 164; ++line) memory.store(0, part(line), 1, 100. * line);
  EXPECT_EQ(memory.l2().dram().counts().read_bytes, 100 * 32);
  EXPECT_EQ(memory.l2().dram().counts().write_bytes, 100 * 32);
  for (uint64_t line = 0; line < 50; ++line) memory.store(0, part(line), 1, 20000 + 100. * line);  // they are whole now
  EXPECT_EQ(memory.l2().dram().counts().read_bytes, 100 * 32);
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

TEST(MemorySystem, joinsOnlyOutstandingReads) {
  Parameters p = small();
  p.l2.coalescers = 1;
  MemorySystem memory(p);
  memory.load(0, whole_line(7), 1, false, 0);  // at the very start
  EXPECT_EQ(memory.l2().counts().read_sectors, 4);
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

// On an H200, hits of the L2 took up to 2,200 cycles while the same SM waited for 500 lines of DRAM, and no longer than
// ever on another SM.
TEST(MemorySystem, aSliceAnswersAnSmInTurn) {
  Parameters p = small();
  p.l2.slices = 1, p.dram.channels = 1;
  MemorySystem memory(p);
  memory.load(1, whole_line(1000), 1, true, 0);
  Cycles missed = 0;
  for (uint64_t i = 0; i < 50; ++i) missed = std::max(missed, memory.load(0, whole_line(i), 1, true, 2000).ready);
  ASSERT_GT(missed, 2500);
  EXPECT_GE(memory.load(0, whole_line(1000), 1, true, 2001).ready, missed);
  EXPECT_LT(memory.load(1, whole_line(1000), 1, true, 2001).ready, 2500);
  // An atomic is done behind the SM's reads, and does not keep another SM's waiting.
  EXPECT_GE(memory.atomic(0, whole_line(1000), 32, AtomicKind::Integer, 2002).ready, missed);
  EXPECT_LT(memory.atomic(1, whole_line(1000), 32, AtomicKind::Integer, 2003).ready, 2500);
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

// On an H200, 44 partly written sectors a cycle are an lts__throughput of 75 %.
TEST(MemorySystem, masksOfPartlyWrittenSectorsLoadTheL2) {
  Parameters p = small();
  p.l2.write_bytes_per_cycle = 16, p.l1.store_mask_bytes = 32;
  MemorySystem whole(p), parts(p);
  whole.store(0, {{TraceLine::of(0, 1)}}, 1, 0);
  parts.store(0, {{TraceLine::of(0, 1, 1, 4)}}, 1, 0);
  EXPECT_DOUBLE_EQ(whole.l2().mean_slice(), 32 / 16.0 / 4);
  EXPECT_DOUBLE_EQ(parts.l2().mean_slice(), 64 / 16.0 / 4);
}

// As Nsight Compute's breakdown on an H200: a line looked up, what goes out, what comes in; the largest of them.
TEST(MemorySystem, theL2IsAsBusyAsTheBusiestOfItsParts) {
  Parameters p = small();
  p.l2.peaks = {.requests = 1, .sectors = 3, .sectors_out = 2, .packets_in = 1};
  p.l1.store_mask_bytes = 32;
  MemorySystem lines(p), line(p), whole(p), parts(p);
  for (uint64_t l = 0; l < 8; ++l) lines.load(0, {{TraceLine::of(l * kLineBytes, 1)}}, 1, true, 0);
  EXPECT_DOUBLE_EQ(lines.l2().mean_slice(), 8 / 1.0 / 4);
  line.load(0, {{TraceLine::of(0, 15)}}, 1, true, 0);
  EXPECT_DOUBLE_EQ(line.l2().mean_slice(), 4 / 2.0 / 4);
  whole.store(0, {{TraceLine::of(0, 15)}}, 1, 0);
  EXPECT_DOUBLE_EQ(whole.l2().mean_slice(), 4 / 1.0 / 4);
  parts.store(0, {{TraceLine::of(0, 1, 1, 4)}}, 1, 0);
  EXPECT_DOUBLE_EQ(parts.l2().mean_slice(), 2 / 1.0 / 4);
}

// A tenth of a grid leaves at most a tenth of the L2 dirty; other lines are written back.
TEST(MemorySystem, aPartOfAGridLeavesItsShareDirty) {
  Parameters p = small();
  p.l2.part_of_grid = 0.1;
  MemorySystem memory(p);
  const uint64_t room = (uint64_t{1} << 20) / kLineBytes / 10;
  const auto written = [&] { return memory.l2().dram().counts().write_bytes / kLineBytes; };
  Cycles now = 0;
  for (uint64_t line = 0; line < room; ++line) memory.store(0, {{TraceLine::of(line * kLineBytes, 15)}}, 1, now += 10);
  EXPECT_EQ(written(), 0u);
  for (uint64_t line = room; line < 3 * room; ++line)
    memory.store(0, {{TraceLine::of(line * kLineBytes, 15)}}, 1, now += 10);
  EXPECT_EQ(written(), 2 * room);
  // Written again and again, they would stay in an L2 of this size.
  for (int again = 0; again < 5; ++again)
    for (uint64_t line = 0; line < 3 * room; ++line)
      memory.store(0, {{TraceLine::of(line * kLineBytes, 15)}}, 1, now += 10);
  EXPECT_LE(written(), 3 * room);
}

TEST(MemorySystem, writesLinesBackBeforeTheL2IsFullOfThem) {
  Parameters p = small();
  p.l2.dirty_bytes = 100 * kLineBytes;
  MemorySystem memory(p);
  for (uint64_t l = 0; l < 300; ++l) memory.store(0, whole_line(l), 1, static_cast<double>(100 * l));
  EXPECT_EQ(memory.l2().dram().counts().write_bytes, 200 * kLineBytes);
  // They stay in the cache as clean lines.
  const uint64_t read = memory.l2().dram().counts().read_bytes;
  memory.load(1, whole_line(5), 1, true, 100000);
  EXPECT_EQ(memory.l2().dram().counts().read_bytes, read);
}

// Two halves of the L2; the first read of a line in the far half takes 300 cycles.
Parameters halves() {
  Parameters p = small();
  p.l2.partitions = 2;
  p.l2.latency_far = 300;
  p.l2.fabric_bytes_per_cycle = 16;
  return p;
}

TEST(MemorySystem, fetchesALineOfTheOtherHalfOnce) {
  MemorySystem memory(halves());
  // Both SMs have read it: it is at home near one of them.
  for (const uint32_t sm : {0u, 1u}) memory.load(sm, whole_line(7), 1, true, 1000 + 2000 * sm);
  const L2Counts& counts = memory.l2().counts();
  EXPECT_EQ(counts.fabric_read_sectors, 4);
  EXPECT_EQ(counts.read_sectors, 8);
  EXPECT_EQ(memory.l2().dram().counts().read_bytes, 128);
  // Now both halves have a copy.
  for (const uint32_t sm : {0u, 1u})
    EXPECT_NEAR(memory.load(sm, whole_line(7), 1, true, 9000 + 2000 * sm).ready - 9000 - 2000 * sm, 200, 10);
  EXPECT_EQ(counts.fabric_read_sectors, 4);
  // A store goes to the home partition and invalidates the copy.
  memory.store(0, whole_line(7), 1, 20000);
  for (const uint32_t sm : {0u, 1u}) memory.load(sm, whole_line(7), 1, true, 30000 + 2000 * sm);
  EXPECT_EQ(counts.fabric_read_sectors, 8);
  EXPECT_EQ(memory.l2().dram().counts().read_bytes, 128);
}

// As the latencies of an H100's lines show: four kilobytes have one home, the next four the other.
TEST(MemorySystem, aBlockOfLinesHasOneHome) {
  MemorySystem memory(halves());
  std::vector<uint64_t> crossed;
  for (uint64_t block = 0; block < 16; ++block) {
    const uint64_t before = memory.l2().counts().fabric_read_sectors;
    for (uint64_t line = 0; line < 32; ++line)
      memory.load(0, whole_line(block * 32 + line), 1, true, double(block * 32 + line) * 1000);
    crossed.push_back(memory.l2().counts().fabric_read_sectors - before);
  }
  for (uint64_t block = 0; block < 16; ++block) {
    EXPECT_TRUE(crossed[block] == 0 || crossed[block] == 32 * 4) << block;
    EXPECT_EQ(crossed[block] == crossed[0], (block >> 1 & 1) == (block & 1)) << block;
  }
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

// A store invalidates the other half's copy. Until that is done, a slice keeps reads of the line waiting, and all
// behind them.
TEST(MemorySystem, readsBehindAStoreToASharedLineHoldTheSlice) {
  const auto time = [](bool shared, uint64_t line) {
    MemorySystem memory(halves());
    // The SM that is far from the line has a copy of it in its half.
    for (const uint32_t sm : {0u, 1u})
      if (shared) memory.load(sm, whole_line(0), 1, true, 1000 + 2000 * sm);
    for (const uint64_t other : {1, 2})
      for (const uint32_t sm : {0u, 1u}) memory.load(sm, whole_line(other), 1, true, 1000 + 4000. * other + 2000 * sm);
    memory.store(0, whole_line(0), 1, 20000);
    memory.load(0, whole_line(0), 1, true, 20005);
    return memory.load(0, whole_line(line), 1, true, 20020).ready - 20020;
  };
  EXPECT_NEAR(time(false, 1), 200, 15);
  EXPECT_GT(time(true, 1), 225);        // of the same slice
  EXPECT_NEAR(time(true, 2), 200, 15);  // of another one
}

TEST(MemorySystem, aFarReadWaitsInBothHalvesAtOnce) {
  Parameters p = halves();
  p.l2.bytes_per_cycle = 8;  // 16 cycles a line
  p.l1.fill_bytes_per_cycle = 1000;
  p.dram.bytes_per_cycle = 100;
  MemorySystem memory(p);
  // All lines pass the two slices near the SM, half of them also the two at home: what waits there arrives later, while
  // the ports at home are free.
  constexpr uint64_t lines = 2000;
  Cycles end = 0;
  for (uint64_t i = 0; i < lines; ++i)
    end = std::max(end, memory.load(0, whole_line(i), 1, true, 0.1 * double(i)).ready);
  EXPECT_NEAR(end, lines * 16 / 2, 1500);
}

TEST(MemorySystem, pairsOfSectorsCrossTheFabric) {
  Parameters p = halves();
  p.l2.fill_bytes = 64;
  MemorySystem memory(p);
  const auto sector = [](unsigned s) { return std::vector{TraceLine::of(7 * kLineBytes, 1u << s)}; };
  for (const uint32_t sm : {0u, 1u}) memory.load(sm, sector(0), 1, true, 1000 + 2000 * sm);
  const L2Counts& counts = memory.l2().counts();
  EXPECT_EQ(counts.fabric_read_sectors, 2);
  for (const uint32_t sm : {0u, 1u}) memory.load(sm, sector(1), 1, true, 9000 + 2000 * sm);
  EXPECT_EQ(counts.fabric_read_sectors, 2);  // it has come with the first
  EXPECT_EQ(memory.l2().dram().counts().read_bytes, 64);
}

TEST(MemorySystem, linesThatOthersFetchedFirstHit) {
  Parameters p = halves();
  p.l2.first_fetch_share = 0.25;
  MemorySystem memory(p);
  for (uint64_t line = 0; line < 4000; ++line)
    memory.load(0, whole_line(line), 1, true, 1000.0 * static_cast<double>(line + 1));
  EXPECT_NEAR(static_cast<double>(memory.l2().dram().counts().read_bytes) / (4000.0 * kLineBytes), 0.25, 0.03);
}

TEST(MemorySystem, firstReadOfAFarLineThatTheL2HasTakesTheFarLatency) {
  MemorySystem memory(halves());
  unsigned near = 0, far = 0;
  for (uint64_t line = 0; line < 64; ++line) {
    memory.store(0, whole_line(line), 1, double(line) * 100);
    const Cycles begin = 100000 + double(line) * 1000;
    const Cycles took = memory.load(1, whole_line(line), 1, true, begin).ready - begin;
    near += std::abs(took - 200) < 15;
    far += std::abs(took - 300) < 15;
  }
  EXPECT_EQ(near + far, 64);
  EXPECT_NEAR(near, 32, 8);
}

TEST(MemorySystem, theFabricLimitsWritesToTheFarPartition) {
  const auto time = [](double fabric) {
    Parameters p = halves();
    p.l2.fabric_bytes_per_cycle = fabric;
    MemorySystem memory(p);
    Cycles end = 0;
    for (uint64_t i = 0; i < 4000; ++i) end = std::max(end, memory.store(i % 2, whole_line(i), 1, double(i)).ready);
    return end;
  };
  EXPECT_NEAR(time(0), 4000 + 250, 500);
  // A quarter of the bytes in each direction at half of their rate.
  EXPECT_NEAR(time(8), 4000 * 128 / 4 / 8 + 250, 800);
  // Queues on the way to one half do not grow because requests of the other are in them.
  MemorySystem memory(halves());
  Cycles longest = 0;
  for (uint64_t i = 0; i < 4000; ++i) {
    const Cycles now = double(i) * 8;
    longest = std::max(longest, memory.load(i % 2, whole_line(i), 1, true, now).ready - now);
  }
  EXPECT_LT(longest, 800);
}

TEST(MemorySystem, storesOfPartsCarryAMask) {
  Parameters p = small();
  p.l1.store_mask_bytes = 64;
  const auto cycles = [&](TraceLine line) {
    MemorySystem memory(p);
    Cycles sent = 0;
    for (int i = 0; i < 100; ++i) sent = memory.store(0, std::vector{line}, 1, 0).sent;
    return sent / 100;
  };
  EXPECT_NEAR(cycles(TraceLine::of(0, 15)), 2, 0.1);         // four sectors at 64 bytes a cycle
  EXPECT_NEAR(cycles(TraceLine::of(0, 15, 15, 4)), 3, 0.1);  // and a mask
  EXPECT_NEAR(cycles(TraceLine::of(0, 1, 1, 4)), 1.5, 0.1);  // a sector and a mask
}

TEST(MemorySystem, readsTheRestOfASectorOnlyIfNeeded) {
  MemorySystem memory(small());
  const DramCounts& dram = memory.l2().dram().counts();
  const auto write = [&](uint64_t line, unsigned bytes, Cycles now) {
    memory.store(0, std::vector{TraceLine::of(line * kLineBytes, 1, 1, bytes)}, 1, now);
  };
  write(1, 16, 0);
  EXPECT_EQ(dram.read_bytes, 0);
  memory.load(1, std::vector{TraceLine::of(kLineBytes, 1)}, 1, true, 1000);
  EXPECT_EQ(dram.read_bytes, 32);
  // Two written halves make it complete.
  write(2, 16, 2000), write(2, 16, 2100);
  memory.load(1, std::vector{TraceLine::of(2 * kLineBytes, 1)}, 1, true, 3000);
  EXPECT_EQ(dram.read_bytes, 32);
  // A half-written sector is read before it is evicted.
  for (uint64_t i = 0; i < 100; ++i) write(100 + i, 4, 4000 + double(i) * 10);
  for (uint64_t i = 0; i < 16384; ++i) memory.load(0, whole_line(100000 + i), 1, true, 20000 + double(i) * 10);
  EXPECT_NEAR(double(dram.read_bytes), 32 + 100 * 32 + 16384 * 128, 400);
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

TEST(MemorySystem, spreadsNeighbouringPiecesOverAllSlices) {
  MemorySystem memory(small());
  for (uint64_t i = 0; i < 512; ++i) memory.load(0, whole_line(i), 1, true, double(i) * 10);
  EXPECT_NEAR(memory.l2().busiest_slice(), memory.l2().mean_slice(), 1);
}

TEST(Dram, servesAnOpenRowSoonerThanAClosedOne) {
  DramParameters p = small().dram;
  Dram dram(p);
  const Cycles first = dram.access(0, 0, 5, 32, false, 1000);
  EXPECT_EQ(first, 1000 + 20 + 20 + 4);
  EXPECT_EQ(dram.access(0, 0, 5, 32, false, 2000), 2004);
  EXPECT_EQ(dram.access(0, 0, 5, 32, false, 2990), 2994);
  EXPECT_EQ(dram.access(0, 0, 6, 32, false, 3000), 3044);
  // Back to the row that was just open: the controller would have served it first.
  EXPECT_LT(dram.access(0, 0, 5, 32, false, 3010), 3044);
  EXPECT_EQ(dram.counts().row_hits, 3);
  EXPECT_EQ(dram.counts().row_misses, 2);
}

TEST(Dram, hidesOneBanksActivationBehindAnothersTransfer) {
  DramParameters p = small().dram;
  // Each access opens a new row. One bank: a row cycle each. Sixteen banks: the bus is always busy.
  auto time = [&](unsigned banks) {
    Dram dram(p);
    Cycles end = 0;
    for (unsigned i = 0; i < 320; ++i) end = std::max(end, dram.access(0, i % banks, 1000 + i, 32, false, 0));
    return end / 320;
  };
  EXPECT_NEAR(time(1), 60, 1);
  EXPECT_NEAR(time(2), 30, 1);
  EXPECT_NEAR(time(16), 4, 0.5);
}

TEST(Dram, refreshesOneBankAfterTheOther) {
  DramParameters p = small().dram;
  p.banks = 4, p.channels = 1, p.refresh = 100, p.refresh_interval = 1000;
  const auto waits = [&p](uint32_t bank, Cycles now) {
    return Dram(p).access(0, bank, 5, 32, false, now) - Dram(small().dram).access(0, bank, 5, 32, false, now);
  };
  EXPECT_NEAR(waits(0, 10020), 80, 1e-6);  // the first bank's turn is at the beginning of an interval ...
  EXPECT_NEAR(waits(1, 20270), 80, 1e-6);  // ... the second one's a quarter of it later
  EXPECT_NEAR(waits(2, 30020), 0, 1e-6);
  EXPECT_NEAR(waits(3, 40849), 1, 1e-6);
  EXPECT_NEAR(Dram(p).mean_refresh_wait(), 5, 1e-9);
  Cycles sum = 0;
  for (unsigned i = 0; i < 1000; ++i) {
    Dram fresh(p);
    sum += fresh.access(0, i % 4, 5, 32, false, 1000 + i) - (1000 + i);
  }
  EXPECT_NEAR(sum / 1000, 44 + 5, 1);
}

TEST(Dram, spreadsLinesOverChannelsAndRowsOverBanks) {
  const DramParameters p = small().dram;
  std::vector<unsigned> channels(p.channels), banks(p.banks);
  for (uint64_t line = 0; line < 65536; ++line) {
    const DramPlace place = place_in_dram(p, line);
    ASSERT_LT(place.channel, p.channels);
    ASSERT_LT(place.bank, p.banks);
    ++channels[place.channel], ++banks[place.bank];
  }
  for (const unsigned lines : channels) EXPECT_NEAR(lines, 65536 / p.channels, 1000);
  for (const unsigned lines : banks) EXPECT_NEAR(lines, 65536 / p.banks, 1500);
}

// Like the L1 of an H200: repeated reads of a stretch of the cache's size all hit; of one a quarter longer none do.
TEST(Cache, keepsAStretchOfItsSize) {
  for (const uint64_t lines : {1984u, 2480u}) {
    ZeroedArena arena;
    Cache cache(1984 * kLineBytes, 8, arena);
    uint64_t hits = 0;
    for (int round = 0; round < 3; ++round)
      for (uint64_t l = 0; l < lines; ++l) {
        hits += cache.access(12345 + l, 1, 0).hits;
        cache.fill(1, 0);
      }
    EXPECT_EQ(hits, lines == 1984 ? 2 * lines : 0) << lines;
  }
}

TEST(Cache, keepsWhatFitsAndDropsTheOldest) {
  ZeroedArena arena;
  Cache cache(16 * kLineBytes, 16, arena);  // one set
  for (uint64_t line = 0; line < 16; ++line) {
    EXPECT_EQ(cache.access(line, 15, 0).hits, 0);
    cache.fill(15, 0);
  }
  EXPECT_EQ(cache.access(0, 15, 0).hits, 15);
  cache.access(16, 15, 0);  // line 1 leaves
  cache.fill(15, 0);
  EXPECT_EQ(cache.access(0, 15, 0).hits, 15);
  EXPECT_EQ(cache.access(2, 3, 0).hits, 3);
  EXPECT_EQ(cache.access(1, 15, 0).hits, 0);
}

// A request that hits sectors being filled waits for the last of them. Sectors that arrived long ago cause no wait.
TEST(Cache, saysWhenSectorsArrive) {
  ZeroedArena arena;
  Cache cache(16 * kLineBytes, 16, arena);
  EXPECT_EQ(cache.access(7, 3, 0).hits, 0);
  cache.fill(1, 500);
  cache.fill(2, 900);
  EXPECT_EQ(cache.access(7, 1, 600).ready, 500);
  EXPECT_EQ(cache.access(7, 3, 600).ready, 900);
  EXPECT_EQ(cache.access(7, 1, 800).ready, 500);  // the other one is still being filled
  EXPECT_EQ(cache.access(7, 2, 700).ready, 900);  // requested a little out of order
  EXPECT_LE(cache.access(7, 3, 5000).ready, 5000);
  EXPECT_LE(cache.access(7, 3, 5000).ready, 5000);
  EXPECT_EQ(cache.access(7, 4, 5001).hits, 0);
  cache.fill(4, 6000);
  EXPECT_EQ(cache.access(7, 7, 5002).ready, 6000);
}

// Sets of any associativity, compared with an ordered list.
TEST(Cache, replacesTheLeastRecentlyUsedLine) {
  for (uint32_t ways = 1; ways <= Cache::kMaxWays; ++ways) {
    ZeroedArena arena;
    Cache cache(ways * kLineBytes, ways, arena);
    std::vector<uint64_t> lines;   // the latest first
    std::mt19937_64 random(ways);  // the same in every run
    for (int i = 0; i < 5000; ++i) {
      // Some differ in their upper bits only.
      const uint64_t line = random() % (2 * ways) + (random() % 4 == 0 ? uint64_t{1} << 33 : 0);
      const auto place = std::find(lines.begin(), lines.end(), line);
      const bool known = place != lines.end();
      ASSERT_EQ(cache.present(line, 5), known ? 5u : 0u) << ways;
      const Cache::Found found = cache.access(line, 5, 0);
      ASSERT_EQ(found.hits, known ? 5u : 0u) << ways;
      if (known) {
        lines.erase(place);
      } else if (lines.size() == ways) {
        ASSERT_EQ(found.victim, lines.back()) << ways;
        ASSERT_EQ(found.dirty_out, 4u) << ways;
        lines.pop_back();
      }
      cache.fill(5, 0);
      cache.make_dirty(4);
      if (random() % 8 == 0) {
        cache.make_lru();
        lines.push_back(line);
      } else {
        lines.insert(lines.begin(), line);
      }
    }
  }
}

}  // namespace
}  // namespace drywarp::memory
