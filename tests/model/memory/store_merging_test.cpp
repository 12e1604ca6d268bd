// Stores to the same sectors that become one on their way to the L2.
#include <gtest/gtest.h>

#include <vector>

#include "model/memory/memory_system.h"
#include "small_memory.h"

namespace drywarp::memory {
namespace {

Parameters merging() {
  Parameters p = small();
  p.l1.store_bytes_per_cycle = 32, p.l1.store_mask_bytes = 32, p.l1.store_merge_window = 4, p.l1.lines_per_cycle = 4;
  return p;
}

// A column: half of a sector of each line.
std::vector<TraceLine> column(uint64_t lines) {
  std::vector<TraceLine> all;
  for (uint64_t line = 0; line < lines; ++line) all.push_back(TraceLine::of(line * kLineBytes, 1, 1, 16));
  return all;
}

// Even and odd words of lines in turn, through a port that is too slow for them.
TEST(StoreMerging, withStoresThatWait) {
  const auto half = [](uint64_t line) { return std::vector<TraceLine>{TraceLine::of(line * kLineBytes, 15, 15, 16)}; };
  MemorySystem busy(merging()), idle(merging()), far(merging());
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
  for (uint64_t line = 0; line < 100; line += 8)  // eight other stores before it comes again
    for (int again = 0; again < 2; ++again)
      for (uint64_t k = 0; k < 8; ++k) far.store(0, half(line + k), 1, static_cast<double>(line));
  EXPECT_EQ(far.l2().counts().write_sectors, 104 * 2 * 4);
}

// Four stores of words side by side, to four lines: half of them merge with 16 cycles between two, a tenth with 32 and
// none with 64, however many warps share the multiprocessor.
TEST(StoreMerging, forAWhileIfNothingWaits) {
  Parameters p = merging();
  p.l1.store_bytes_per_cycle = 1000, p.l1.store_merge_cycles = 17, p.l1.store_merge_line_cycles = 3.2;
  const auto written = [&](uint64_t lines, Cycles apart) {
    MemorySystem memory(p);
    for (int store = 0; store < 4; ++store) memory.store(0, column(lines), 1, apart * store);
    return memory.l2().counts().write_sectors;
  };
  EXPECT_EQ(written(1, 16), 1);  // each merges with the one before, the last 48 cycles behind the first
  EXPECT_EQ(written(4, 16), 4);
  EXPECT_EQ(written(4, 20), 16);
  EXPECT_EQ(written(8, 20), 8);  // longer with more lines
  EXPECT_EQ(written(8, 32), 32);
  EXPECT_EQ(written(16, 32), 16);
  EXPECT_EQ(written(16, 64), 64);
}

// Sums in memory are written in each step: the next store comes too late.
TEST(StoreMerging, notBehindALoad) {
  Parameters p = merging();
  p.l1.store_merge_cycles = 17;
  MemorySystem memory(p);
  Cycles now = 0;
  for (int step = 0; step < 4; ++step) {
    now = memory.load(0, whole_line(7), 1, false, now).ready;
    memory.store(0, whole_line(7), 1, now);
  }
  EXPECT_EQ(memory.l2().counts().write_sectors, 16);
}

// Four warps write two words each of the same sectors of 16 lines. Merged stores take no further places in the queue.
TEST(StoreMerging, ofUpToSixteenLines) {
  const auto written = [&](uint64_t lines) {
    MemorySystem memory(merging());
    memory.store(0, std::vector{TraceLine::of(1000 * kLineBytes, 15, 15, 16)}, 1, 0);  // the port is busy
    for (uint32_t warp = 0; warp < 4; ++warp) memory.store(0, column(lines), 1, warp);
    return memory.l2().counts().write_sectors - 4;
  };
  EXPECT_LT(written(16), 16 * 3);
  EXPECT_EQ(written(32), 32 * 4);
}

// Two stores of each of eight warps, one right after the other, that wait for a slow port in turns.
TEST(StoreMerging, ofAWarpThatIssuesThemTogether) {
  Parameters p = merging();
  p.l1.store_merge_cycles = 17;
  const auto written = [&](Cycles apart) {
    MemorySystem memory(p);
    for (int store = 0; store < 2; ++store)
      for (uint32_t warp = 0; warp < 8; ++warp)
        memory.store(0, std::vector{TraceLine::of(warp * kLineBytes, 15, 15, 16)}, 1, 1000. * store + 100. * warp, warp,
                     1000 + apart * store);
    return memory.l2().counts().write_sectors;
  };
  EXPECT_EQ(written(4), 8 * 4);
  EXPECT_EQ(written(40), 8 * 2 * 4);
}

// Sectors of one line that different warps store wait side by side.
TEST(StoreMerging, withSectorsBesideOthers) {
  Parameters p = merging();
  p.l1.store_merge_window = 8, p.l1.store_merge_cycles = 30;
  MemorySystem memory(p);
  for (uint32_t warp = 0; warp < 4; ++warp)
    memory.store(0, std::vector{TraceLine::of(0, warp % 2 == 0 ? 1 : 2, warp % 2 == 0 ? 1 : 2, 16)}, 1, warp);
  EXPECT_EQ(memory.l2().counts().write_sectors, 2);
}

}  // namespace
}  // namespace drywarp::memory
