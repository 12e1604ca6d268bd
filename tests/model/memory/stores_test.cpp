// Stores on their way to the L2 and DRAM: masks of parts, what stays dirty, local memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "model/memory/memory_system.h"
#include "small_memory.h"

namespace drywarp::memory {
namespace {

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

// As on an H200: loads find what a warp has stored whole in its local memory, but not bytes.
TEST(MemorySystem, storesToLocalMemoryAllocate) {
  Parameters p = small();
  p.l1.allocates_stores = false;
  const auto finds = [&](uint64_t address, bool whole) {
    MemorySystem memory(p);
    const std::vector<TraceLine> stored{whole ? TraceLine::of(address, 15) : TraceLine::of(address, 15, 15, 8)};
    memory.store(0, stored, 1, 0);
    return memory.load(0, stored, 1, false, 10000).hit;
  };
  EXPECT_TRUE(finds(kLocalBase, true));
  EXPECT_FALSE(finds(9 * kLineBytes, true));
  EXPECT_FALSE(finds(kLocalBase, false));
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

}  // namespace
}  // namespace drywarp::memory
