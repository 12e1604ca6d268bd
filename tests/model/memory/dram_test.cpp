// DRAM on hand-written requests.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "model/memory/memory_system.h"
#include "small_memory.h"

namespace drywarp::memory {
namespace {

TEST(Dram, servesAnOpenRowSoonerThanAClosedOne) {
  DramParameters p = small().dram;
  Dram dram(p);
  const Cycles first = dram.read(0, 0, 5, 32, 1000);
  EXPECT_EQ(first, 1000 + 20 + 20 + 4);
  EXPECT_EQ(dram.read(0, 0, 5, 32, 2000), 2004);
  EXPECT_EQ(dram.read(0, 0, 5, 32, 2990), 2994);
  EXPECT_EQ(dram.read(0, 0, 6, 32, 3000), 3044);
  // Back to the row that was just open: the controller would have served it first.
  EXPECT_LT(dram.read(0, 0, 5, 32, 3010), 3044);
  EXPECT_EQ(dram.counts().row_hits, 3);
  EXPECT_EQ(dram.counts().row_misses, 2);
}

TEST(Dram, hidesOneBanksActivationBehindAnothersTransfer) {
  DramParameters p = small().dram;
  // Each access opens a new row. One bank: a row cycle each. Sixteen banks: the bus is always busy.
  auto time = [&](unsigned banks) {
    Dram dram(p);
    Cycles end = 0;
    for (unsigned i = 0; i < 320; ++i) end = std::max(end, dram.read(0, i % banks, 1000 + i, 32, 0));
    return end / 320;
  };
  EXPECT_NEAR(time(1), 60, 1);
  EXPECT_NEAR(time(2), 30, 1);
  EXPECT_NEAR(time(16), 4, 0.5);
}

TEST(Dram, drainsWritesTogetherWhileReadsWait) {
  DramParameters p = small().dram;
  p.turnaround = 6, p.write_batch = 40;  // ten writes of 4 cycles
  const auto read_behind = [&p](unsigned writes) {
    Dram dram(p);
    dram.read(0, 0, 5, 32, 0);
    dram.read(0, 1, 7, 32, 0);
    for (unsigned i = 0; i < writes; ++i) dram.write(0, 1, 7, 32, 1000);
    EXPECT_EQ(dram.counts().write_bytes, 32 * writes);
    EXPECT_EQ(dram.channel_busy(0), 8 + 4 * writes + (writes >= 10 ? 12 : 0)) << "with those that are not drained yet";
    return dram.read(0, 0, 5, 32, 1000) - 1000;
  };
  Dram no_reads(p);
  for (unsigned i = 0; i < 100; ++i) no_reads.write(0, 1, 7, 32, 1000);
  EXPECT_EQ(no_reads.channel_busy(0), 400);
  EXPECT_EQ(read_behind(0), 4);
  EXPECT_EQ(read_behind(9), 4);
  EXPECT_EQ(read_behind(10), 6 + 40 + 6 + 4);
  EXPECT_EQ(read_behind(19), 6 + 40 + 6 + 4);
}

TEST(Dram, refreshesOneBankAfterTheOther) {
  DramParameters p = small().dram;
  p.banks = 4, p.channels = 1, p.refresh = 100, p.refresh_interval = 1000;
  const auto waits = [&p](uint32_t bank, Cycles now) {
    return Dram(p).read(0, bank, 5, 32, now) - Dram(small().dram).read(0, bank, 5, 32, now);
  };
  EXPECT_NEAR(waits(0, 10020), 80, 1e-6);  // the first bank's turn is at the beginning of an interval ...
  EXPECT_NEAR(waits(1, 20270), 80, 1e-6);  // ... the second one's a quarter of it later
  EXPECT_NEAR(waits(2, 30020), 0, 1e-6);
  EXPECT_NEAR(waits(3, 40849), 1, 1e-6);
  EXPECT_NEAR(Dram(p).mean_refresh_wait(), 5, 1e-9);
  Cycles sum = 0;
  for (unsigned i = 0; i < 1000; ++i) {
    Dram fresh(p);
    sum += fresh.read(0, i % 4, 5, 32, 1000 + i) - (1000 + i);
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

}  // namespace
}  // namespace drywarp::memory
