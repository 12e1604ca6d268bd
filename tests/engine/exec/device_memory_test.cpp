#include "engine/exec/memory/device_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace drywarp::exec {
namespace {

TEST(DeviceMemory, AllocatesAlignedZeroedAndSeparate) {
  DeviceMemory memory(1 << 20);
  const uint64_t a = memory.allocate(100, MemoryKind::Device).value(),
                 b = memory.allocate(1, MemoryKind::Device).value();
  EXPECT_EQ(a % 512, 0u);
  EXPECT_EQ(b % 512, 0u);
  EXPECT_EQ(memory.used(), 101u);
  EXPECT_EQ(memory.capacity(), 1u << 20);
  for (unsigned i = 0; i < 100; ++i) EXPECT_EQ(reinterpret_cast<const uint8_t*>(a)[i], 0);
  EXPECT_EQ(memory.find(a + 99)->base, a);
  EXPECT_FALSE(memory.find(a + 100).has_value());
  EXPECT_FALSE(memory.find(a - 1).has_value());
  EXPECT_EQ(memory.live().size(), 2u);
  EXPECT_EQ(memory.allocate(0, MemoryKind::Device), 0u);
}

TEST(DeviceMemory, CapacityIsALimitThatFreeingLifts) {
  DeviceMemory memory(1 << 20);
  const uint64_t a = memory.allocate(1 << 20, MemoryKind::Device).value();
  EXPECT_FALSE(memory.allocate(1, MemoryKind::Device).has_value());
  EXPECT_TRUE(memory.free(a));
  EXPECT_EQ(memory.used(), 0u);
  EXPECT_TRUE(memory.allocate(1 << 20, MemoryKind::Device).has_value());
  EXPECT_FALSE(memory.allocate(~uint64_t{0}, MemoryKind::Device).has_value());
}

TEST(DeviceMemory, FreedTwiceOrInsideIsRefused) {
  DeviceMemory memory(1 << 20);
  const uint64_t a = memory.allocate(4096, MemoryKind::Device).value();
  EXPECT_FALSE(memory.free(a + 512));
  EXPECT_TRUE(memory.free(a));
  EXPECT_FALSE(memory.free(a));
  EXPECT_FALSE(memory.find(a).has_value());
}

TEST(DeviceMemory, ReusedRangesAreZeroAgain) {
  DeviceMemory memory(1 << 20);
  const uint64_t a = memory.allocate(8192, MemoryKind::Device).value();
  std::memset(reinterpret_cast<void*>(a), 0xff, 8192);
  ASSERT_TRUE(memory.free(a));
  const uint64_t b = memory.allocate(8192, MemoryKind::Device).value();
  EXPECT_EQ(a, b);
  for (unsigned i = 0; i < 8192; ++i) ASSERT_EQ(reinterpret_cast<const uint8_t*>(b)[i], 0) << i;
}

TEST(DeviceMemory, NeighboursMergeWhenFreedInAnyOrder) {
  DeviceMemory memory(1 << 20);
  uint64_t at[4];
  for (uint64_t& a : at) a = memory.allocate(40000, MemoryKind::Device).value();
  for (int i : {2, 0, 3, 1}) ASSERT_TRUE(memory.free(at[i]));
  EXPECT_EQ(memory.allocate(150000, MemoryKind::Device), at[0]);
}

TEST(DeviceMemory, DescribesWhereAnAddressLies) {
  DeviceMemory memory(1 << 20);
  EXPECT_EQ(memory.describe(0), "this is the null pointer");
  EXPECT_EQ(memory.describe(12), "this is 12 bytes from the null pointer");
  EXPECT_EQ(memory.describe(1 << 30), "no device memory is allocated");
  const uint64_t a = memory.allocate(100, MemoryKind::Managed).value();
  EXPECT_EQ(memory.describe(a + 112), "12 bytes past the end of a managed allocation of 100 bytes (#1)");
  EXPECT_EQ(memory.describe(a - 4), "4 bytes before a managed allocation of 100 bytes (#1)");
  ASSERT_TRUE(memory.free(a));
  EXPECT_EQ(memory.describe(a + 8), "8 bytes into a managed allocation of 100 bytes that has been freed (#1)");
  EXPECT_EQ(memory.describe(uint64_t{1} << 20), "this is far from every allocation; a host pointer, perhaps?");
}

TEST(DeviceMemory, AdoptsHostRanges) {
  DeviceMemory memory(1 << 20);
  static int values[16];
  const auto base = reinterpret_cast<uint64_t>(values);
  memory.adopt(base, sizeof values, MemoryKind::PinnedHost);
  EXPECT_EQ(memory.find(base + 60)->kind, MemoryKind::PinnedHost);
  EXPECT_FALSE(memory.free(base));
  EXPECT_TRUE(memory.forget(base));
  EXPECT_FALSE(memory.forget(base));
  EXPECT_FALSE(memory.find(base).has_value());
}

// Addresses stay reserved while their memory is allocated and freed.
TEST(DeviceMemory, ReservesAddresses) {
  DeviceMemory memory(1 << 20);
  const uint64_t at = *memory.reserve_addresses(5000, MemoryKind::Device);
  EXPECT_EQ(0u, memory.used());
  EXPECT_FALSE(memory.find(at));
  EXPECT_FALSE(memory.free(at));
  ASSERT_TRUE(memory.commit(at));
  EXPECT_FALSE(memory.commit(at));
  EXPECT_EQ(5000u, memory.used());
  EXPECT_EQ(5000u, memory.find(at + 4999)->size);
  *reinterpret_cast<int*>(at) = 7;
  EXPECT_TRUE(memory.free(at));
  EXPECT_NE(std::string::npos, memory.describe(at).find("its graph"));
  const uint64_t other = *memory.allocate(5000, MemoryKind::Device);
  EXPECT_NE(at, other);
  ASSERT_TRUE(memory.commit(at));
  EXPECT_EQ(0, *reinterpret_cast<int*>(at));  // fresh memory
  // Released while memory is there: from then on like any other allocation.
  memory.release_addresses(at);
  EXPECT_TRUE(memory.find(at));
  EXPECT_TRUE(memory.free(at));
  EXPECT_FALSE(memory.commit(at));
  EXPECT_EQ(at, *memory.allocate(5000, MemoryKind::Device));
  // More than the capacity.
  const uint64_t large = *memory.reserve_addresses(2 << 20, MemoryKind::Device);
  EXPECT_FALSE(memory.commit(large));
}

// A GPU maps whole pages: what lies in one with a live allocation can be accessed.
TEST(DeviceMemory, KnowsWhatAGpuHasMapped) {
  DeviceMemory memory(uint64_t{1} << 30);
  constexpr uint64_t kPage = DeviceMemory::kMappedPage;
  const uint64_t a = memory.allocate(1000, MemoryKind::Device).value(), page = memory.base();
  EXPECT_TRUE(memory.mapped(a + 1000, 4));
  EXPECT_TRUE(memory.mapped(page + kPage - 8, 8));
  EXPECT_FALSE(memory.mapped(page + kPage - 4, 8));  // the next page
  EXPECT_FALSE(memory.mapped(page + kPage, 4));
  EXPECT_FALSE(memory.mapped(page - 4, 4));
  EXPECT_FALSE(memory.mapped(8, 4));
  const uint64_t b = memory.allocate(3 * kPage, MemoryKind::Device).value();
  EXPECT_TRUE(memory.mapped(page + kPage - 4, 8));
  EXPECT_TRUE(memory.mapped(b + 3 * kPage, 4));
  ASSERT_TRUE(memory.free(a));
  EXPECT_TRUE(memory.mapped(a, 4));  // the second one begins in that page
  ASSERT_TRUE(memory.free(b));
  EXPECT_FALSE(memory.mapped(a, 4));
  // Host memory is mapped in the host's pages.
  alignas(4096) static char buffer[8192];
  memory.adopt(reinterpret_cast<uint64_t>(buffer), 100, MemoryKind::PinnedHost);
  EXPECT_TRUE(memory.mapped(reinterpret_cast<uint64_t>(buffer) + 4092, 4));
  EXPECT_FALSE(memory.mapped(reinterpret_cast<uint64_t>(buffer) + 4096, 4));
}

TEST(DeviceMemory, ConstantsLieInPagesOfTheirOwn) {
  constexpr uint64_t kPage = DeviceMemory::kMappedPage;
  DeviceMemory memory(64 << 20);
  const uint64_t first = memory.allocate(2000, MemoryKind::ModuleConstant).value(),
                 data = memory.allocate(720, MemoryKind::Device).value(),
                 second = memory.allocate(64 << 10, MemoryKind::ModuleConstant).value();
  for (const uint64_t constant : {first, second}) {
    EXPECT_GE(std::max(constant, data) - std::min(constant, data), kPage);
    EXPECT_EQ(constant % 512, 0u);
  }
  EXPECT_TRUE(first + 2000 <= second || second + (64 << 10) <= first);
  // An overrun of the data goes as far as its page.
  EXPECT_TRUE(memory.mapped(data + 720, kPage - 4096));
  EXPECT_FALSE(memory.find(data + 8192).has_value());
  EXPECT_TRUE(memory.free(first));
  EXPECT_EQ(memory.allocate(2000, MemoryKind::ModuleConstant), first);
}

TEST(DeviceMemory, ClearsWhatKernelsHaveWrittenOutside) {
  DeviceMemory memory(1 << 20);
  const uint64_t a = memory.allocate(100, MemoryKind::Device).value();
  memory.note_stray_write();
  std::memset(reinterpret_cast<void*>(a + 100), 1, 20000);
  const uint64_t b = memory.allocate(8000, MemoryKind::Device).value();
  ASSERT_LT(b, a + 20000);
  EXPECT_EQ(*reinterpret_cast<char*>(b), 0);
}

TEST(DeviceMemory, ApartAllocationsKeepTheirDistance) {
  DeviceMemory memory(uint64_t{1} << 26, Placement::Apart);
  const uint64_t a = memory.allocate(20000, MemoryKind::Device).value();
  const uint64_t b = memory.allocate(4, MemoryKind::Device).value();
  EXPECT_GE(b - (a + 20000), 20000);
  EXPECT_GE(memory.allocate(4, MemoryKind::Device).value() - b, 8192);
  // Freed addresses come back late, but before memory is used up.
  ASSERT_TRUE(memory.free(a));
  EXPECT_NE(memory.allocate(20000, MemoryKind::Device), a);
  EXPECT_EQ(memory.nearest(a + 4)->id, 1);
  for (int i = 0; i < 1000; ++i) {
    const auto c = memory.allocate(uint64_t{1} << 25, MemoryKind::Device);
    ASSERT_TRUE(c) << i;
    ASSERT_TRUE(memory.free(*c));
  }
}

TEST(DeviceMemory, ArenasHandOutParts) {
  DeviceMemory memory(1 << 20, Placement::Apart);
  const uint64_t arena = memory.allocate(4096, MemoryKind::Device).value();
  EXPECT_EQ(memory.accessible(arena + 50)->base, arena);
  ASSERT_TRUE(memory.hand_out(arena + 64, 100));
  EXPECT_FALSE(memory.hand_out(arena + 100, 100));   // overlaps
  EXPECT_FALSE(memory.hand_out(arena + 4000, 100));  // past the end
  EXPECT_EQ(memory.accessible(arena + 163)->size, 100);
  EXPECT_FALSE(memory.accessible(arena + 164));
  EXPECT_FALSE(memory.accessible(arena + 50));
  EXPECT_EQ(memory.find(arena + 50)->size, 4096);  // the host's view
  EXPECT_EQ(memory.nearest(arena + 170)->kind, MemoryKind::ArenaPart);
  EXPECT_FALSE(memory.take_back(arena + 65));
  ASSERT_TRUE(memory.take_back(arena + 64));
  EXPECT_FALSE(memory.take_back(arena + 64));
  EXPECT_FALSE(memory.accessible(arena + 64));
  EXPECT_FALSE(memory.nearest(arena + 64)->live);
  EXPECT_TRUE(memory.hand_out(arena + 100, 100));
  EXPECT_TRUE(memory.free(arena));
  EXPECT_FALSE(memory.take_back(arena + 100));
}

TEST(DeviceMemory, AHeapMayBeAPartOfAnAllocation) {
  DeviceMemory memory(1 << 20, Placement::Apart);
  const uint64_t whole = memory.allocate(4096, MemoryKind::Device).value(), heap = whole + 1024;
  EXPECT_FALSE(memory.make_heap(whole + 4000, 100, true, ""));  // leaves the allocation
  ASSERT_TRUE(memory.make_heap(heap, 1024, true, "a part of 'it'"));
  EXPECT_FALSE(memory.make_heap(heap + 512, 1024, true, ""));  // overlaps
  // What is open ends at the heap.
  EXPECT_EQ(memory.accessible(whole + 8)->size, 1024);
  EXPECT_EQ(memory.accessible(heap + 1024)->base, heap + 1024);
  EXPECT_EQ(memory.accessible(heap + 1024)->size, 2048);
  EXPECT_FALSE(memory.accessible(heap));
  EXPECT_FALSE(memory.add_region(heap + 1000, 100));  // leaves the heap
  EXPECT_FALSE(memory.add_region(whole + 1000, 100));
  ASSERT_TRUE(memory.add_region(heap, 64));
  EXPECT_EQ(memory.accessible(heap + 63)->size, 64);
  EXPECT_EQ(*memory.nearest(heap + 70)->label, "a part of 'it'");
  ASSERT_TRUE(memory.label(heap, "one"));
  EXPECT_FALSE(memory.label(heap + 1, "two"));
  EXPECT_EQ(*memory.nearest(heap + 70)->label, "region 'one'");
  ASSERT_TRUE(memory.reset_heap(heap));
  EXPECT_FALSE(memory.accessible(heap));
  ASSERT_TRUE(memory.remove_heap(heap));
  EXPECT_FALSE(memory.remove_heap(heap));
  EXPECT_EQ(memory.accessible(heap)->size, 4096);
}

TEST(DeviceMemory, AllocationsHaveNames) {
  DeviceMemory memory(1 << 20, Placement::Apart);
  const uint64_t whole = memory.reserve_addresses(4096, MemoryKind::Device).value();
  EXPECT_FALSE(memory.label(whole, "nothing yet"));
  ASSERT_TRUE(memory.commit(whole));
  ASSERT_TRUE(memory.label(whole, "weights"));
  EXPECT_FALSE(memory.label(whole + 8, "inside"));
  ASSERT_TRUE(memory.permit(whole, kMayRead));
  EXPECT_EQ(*memory.accessible(whole + 8)->label, "allocation 'weights'");
  // What is allocated at the same place later has neither the name nor the permissions.
  ASSERT_TRUE(memory.free(whole));
  ASSERT_TRUE(memory.commit(whole));
  EXPECT_FALSE(memory.accessible(whole)->label);
  EXPECT_EQ(memory.accessible(whole)->may, kMayAll);
}

TEST(DeviceMemory, RegionsRestrictWhatKernelsMayDo) {
  DeviceMemory memory(1 << 20, Placement::Apart);
  const uint64_t whole = memory.allocate(4096, MemoryKind::Device).value();
  ASSERT_TRUE(memory.add_region(whole + 256, 256));
  ASSERT_TRUE(memory.add_region(whole + 1024, 256));
  // A region without restrictions does not part the allocation.
  ASSERT_TRUE(memory.permit(whole + 1024, kMayRead));
  EXPECT_EQ(memory.accessible(whole + 300)->size, 1024);
  EXPECT_EQ(memory.accessible(whole + 1030)->may, kMayRead);
  EXPECT_EQ(memory.accessible(whole + 1030)->size, 256);
  EXPECT_EQ(memory.accessible(whole + 2000)->base, whole + 1280);
  EXPECT_EQ(memory.accessible(whole + 2000)->may, kMayAll);
  EXPECT_FALSE(memory.permit(whole + 8, kMayRead));
  ASSERT_TRUE(memory.permit(whole, kMayWrite));
  EXPECT_EQ(memory.accessible(whole + 2000)->may, kMayWrite);
  memory.permit_all();
  EXPECT_EQ(memory.accessible(whole + 1030)->size, 4096);
  EXPECT_EQ(memory.accessible(whole + 1030)->may, kMayAll);
}

}  // namespace
}  // namespace drywarp::exec
