#include "base/events/warp_trace.h"

#include <gtest/gtest.h>

namespace drywarp {
namespace {

// Two loads of one instruction by a warp, `apart` lines apart, in a buffer that begins at line `buffer`.
LaunchTrace trace(uint64_t buffer, uint64_t apart, AddressSpace space = AddressSpace::Global) {
  WarpTrace warp;
  warp.steps = {{0, ~0u, 2}};
  for (uint32_t i = 0; i < 2; ++i) {
    warp.accesses.push_back({i, 3, i, 1, space, 32, 1, 1});
    warp.lines.push_back(TraceLine::of((buffer + i * apart) * kLineBytes, 15));
  }
  LaunchTrace launch;
  launch.blocks = {{0, {warp}}};
  launch.blocks_in_grid = 1;
  return launch;
}

TEST(WarpTrace, digestIsRelativeToTheFirstAddressOfAnInstruction) {
  EXPECT_EQ(digest_of_addresses(trace(100, 8)), digest_of_addresses(trace(7000, 8)));
  EXPECT_NE(digest_of_addresses(trace(100, 8)), digest_of_addresses(trace(100, 32)));
}

// A thread's own memory is no buffer that may lie elsewhere.
TEST(WarpTrace, digestHasTheWordsOfLocalMemory) {
  const AddressSpace local = AddressSpace::Local;
  EXPECT_EQ(digest_of_addresses(trace(100, 8, local)), digest_of_addresses(trace(100, 8, local)));
  EXPECT_NE(digest_of_addresses(trace(100, 8, local)), digest_of_addresses(trace(100, 9, local)));
  EXPECT_NE(digest_of_addresses(trace(100, 8, local)), digest_of_addresses(trace(101, 8, local)));
}

}  // namespace
}  // namespace drywarp
