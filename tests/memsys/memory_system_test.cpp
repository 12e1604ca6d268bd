// The memory system on requests written by hand: latencies of an idle machine, rates of a busy one, what caches keep.
#include "memsys/memory_system.h"

#include <gtest/gtest.h>

namespace drywarp::memsys {
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
          .atomic_cycles_same = 2,
          .atomic_lanes_per_cycle = 16,
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
  const Response cold = memory.load(0, whole_line(7), false, 1000);
  EXPECT_FALSE(cold.hit);
  EXPECT_NEAR(cold.ready - 1000, 400 + 40, 25);  // DRAM, its row closed
  const Response again = memory.load(0, whole_line(7), false, 5000);
  EXPECT_TRUE(again.hit);
  EXPECT_NEAR(again.ready - 5000, 30, 3);
  const Response other = memory.load(1, whole_line(7), false, 9000);
  EXPECT_FALSE(other.hit);
  EXPECT_NEAR(other.ready - 9000, 200, 10);  // L2
  EXPECT_EQ(memory.l1_counts().load_sectors, 12);
  EXPECT_EQ(memory.l1_counts().load_hits, 4);
  EXPECT_EQ(memory.l2().counts().read_sectors, 8);
  EXPECT_EQ(memory.l2().counts().read_hits, 4);
  EXPECT_EQ(memory.l2().dram().counts().read_bytes, 128);
}

TEST(MemorySystem, givesEveryoneWhoAsksMeanwhileTheSameFill) {
  MemorySystem memory(small());
  const Response first = memory.load(0, whole_line(7), false, 1000);
  const Response second = memory.load(0, whole_line(7), false, 1010);
  EXPECT_NEAR(second.ready, first.ready, 5);
  EXPECT_EQ(memory.l2().dram().counts().read_bytes, 128);
}

TEST(MemorySystem, fetchesOnlyTheSectorsAskedFor) {
  MemorySystem memory(small());
  memory.load(0, std::vector{TraceLine::of(640, 1)}, false, 0);
  memory.load(0, std::vector{TraceLine::of(640, 2)}, false, 1000);
  EXPECT_EQ(memory.l1_counts().load_hits, 0);
  EXPECT_EQ(memory.l2().dram().counts().read_bytes, 64);
}

TEST(MemorySystem, movesNoMoreThanItsParts) {
  MemorySystem memory(small());
  // A stream through one SM: the four channels' 32 bytes a cycle are the narrowest place.
  constexpr uint64_t lines = 4000;
  Cycles end = 0;
  for (uint64_t i = 0; i < lines; ++i) end = std::max(end, memory.load(0, whole_line(i), false, double(i)).ready);
  EXPECT_NEAR(lines * 128 / (end - 400), 32, 4);
  // The same again from L2, which holds it: the crossbar's 64 bytes.
  const Cycles begin = end + 1000;
  for (uint64_t i = 0; i < lines; ++i)
    end = std::max(end, memory.load(1, whole_line(i), true, begin + double(i)).ready);
  EXPECT_NEAR(lines * 128 / (end - begin - 200), 64, 6);
}

TEST(MemorySystem, keepsStoresInL2UntilTheyMustLeave) {
  MemorySystem memory(small());
  for (uint64_t i = 0; i < 1000; ++i) memory.store(0, whole_line(i), double(i) * 10);
  EXPECT_EQ(memory.l2().dram().counts().read_bytes, 0);
  EXPECT_EQ(memory.l2().dram().counts().write_bytes, 0);
  for (uint64_t i = 0; i < 16384; ++i) memory.load(0, whole_line(100000 + i), false, 20000 + double(i) * 10);
  EXPECT_NEAR(double(memory.l2().dram().counts().write_bytes), 128 * 1000, 1280);  // sets fill by chance
  // A store's data is in L1 as well: written through, and there for the next load.
  memory.store(1, whole_line(5), 300000);
  EXPECT_TRUE(memory.load(1, whole_line(5), false, 301000).hit);
}

TEST(MemorySystem, doesAtomicsOnOneAddressOneAfterTheOther) {
  MemorySystem memory(small());
  Cycles spread = 0, same = 0;
  for (int i = 0; i < 100; ++i) spread = memory.atomic(0, whole_line(3), 32, 1, i).ready;
  for (int i = 0; i < 100; ++i) same = memory.atomic(0, whole_line(4), 32, 32, 10000 + i).ready;
  EXPECT_NEAR(spread, 100 * 2 + 400, 250);
  EXPECT_NEAR(same - 10000, 100 * 64 + 400, 300);
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

TEST(Cache, keepsWhatFitsAndDropsTheOldest) {
  Cache cache(64 * 128, 64);  // one set
  for (uint64_t line = 0; line < 64; ++line) {
    EXPECT_EQ(cache.access(line, 15).hits, 0);
    cache.fill(15, 0);
  }
  EXPECT_EQ(cache.access(0, 15).hits, 15);
  cache.access(64, 15);  // line 1 leaves
  cache.fill(15, 0);
  EXPECT_EQ(cache.access(0, 15).hits, 15);
  EXPECT_EQ(cache.access(2, 3).hits, 3);
  EXPECT_EQ(cache.access(1, 15).hits, 0);
}

}  // namespace
}  // namespace drywarp::memsys
