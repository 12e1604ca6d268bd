// The L2: slices, partitions, coalescers, and the fabric between the partitions.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "model/memory/memory_system.h"
#include "small_memory.h"

namespace drywarp::memory {
namespace {

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

TEST(MemorySystem, aReadIsTooLateWhenTheOthersDataHasPassedTheCoalescer) {
  Parameters p = small();
  p.sms = 2, p.l2.coalescers = 1, p.l2.coalescer_latency = 50;
  MemorySystem memory(p);
  const Cycles first = memory.load(0, whole_line(7), 1, true, 1000).ready;
  EXPECT_NEAR(memory.load(1, whole_line(7), 1, true, first - 60).ready, first, 5);
  EXPECT_EQ(memory.l2().counts().read_sectors, 4);
  EXPECT_GT(memory.load(1, whole_line(7), 1, true, first - 40).ready, first + 5);
  EXPECT_EQ(memory.l2().counts().read_sectors, 8);
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

TEST(MemorySystem, joinsOnlyOutstandingReads) {
  Parameters p = small();
  p.l2.coalescers = 1;
  MemorySystem memory(p);
  memory.load(0, whole_line(7), 1, false, 0);  // at the very start
  EXPECT_EQ(memory.l2().counts().read_sectors, 4);
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

// A store invalidates the other half's copy. Until that is done, a slice keeps the other half's reads of the line
// waiting, and all behind them.
TEST(MemorySystem, readsBehindAStoreToASharedLineHoldTheSlice) {
  const auto time = [](bool stored, uint64_t line, uint32_t reader = 1) {
    MemorySystem memory(halves());
    // The SM that is far from the line has a copy of it in its half.
    for (const uint32_t sm : {0u, 1u}) memory.load(sm, whole_line(0), 1, true, 1000 + 2000 * sm);
    for (const uint64_t other : {1, 2})
      for (const uint32_t sm : {0u, 1u}) memory.load(sm, whole_line(other), 1, true, 1000 + 4000. * other + 2000 * sm);
    if (stored) memory.store(0, whole_line(0), 1, 20000);
    memory.load(reader, whole_line(0), 1, true, 20005);
    return memory.load(reader, whole_line(line), 1, true, 20020).ready - 20020;
  };
  EXPECT_NEAR(time(false, 1), 200, 15);
  EXPECT_GT(time(true, 1), 225);           // of the same slice
  EXPECT_NEAR(time(true, 2), 200, 15);     // of another one
  EXPECT_NEAR(time(true, 1, 0), 200, 15);  // behind its own half's store
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

TEST(MemorySystem, spreadsNeighbouringPiecesOverAllSlices) {
  MemorySystem memory(small());
  for (uint64_t i = 0; i < 512; ++i) memory.load(0, whole_line(i), 1, true, double(i) * 10);
  EXPECT_NEAR(memory.l2().busiest_slice(), memory.l2().mean_slice(), 1);
}

}  // namespace
}  // namespace drywarp::memory
