#include "engine/exec/memory/written_bytes.h"

#include <gtest/gtest.h>

namespace drywarp::exec {
namespace {

constexpr uint64_t kBase = uint64_t{1} << 40;

// Lanes `apart` bytes from each other.
LaneMask unwritten(const WrittenBytes& all, uint64_t first, uint64_t apart, uint64_t bytes) {
  uint64_t addresses[kWarpSize];
  for (uint32_t lane = 0; lane < kWarpSize; ++lane) addresses[lane] = first + lane * apart;
  return all.unwritten(addresses, ~0u, bytes);
}

TEST(WrittenBytes, OfLanesInRunsThatAreWrittenWhole) {
  WrittenBytes all(kBase, 1 << 20);
  EXPECT_EQ(unwritten(all, kBase, 1536, 4), ~0u);
  all.mark(kBase, 31 * 1536);
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(unwritten(all, kBase, 1536, 4), 0x80000000u);
    EXPECT_EQ(unwritten(all, kBase + 1022, 1536, 4), 0x80000000u);  // across two runs
  }
}

TEST(WrittenBytes, ForgottenBytesOfARunThatWasWhole) {
  WrittenBytes all(kBase, 1 << 20);
  all.mark(kBase, 1 << 20);
  EXPECT_EQ(unwritten(all, kBase, 4096, 16), 0u);
  all.forget(kBase + 4096 + 15, 1);
  EXPECT_EQ(unwritten(all, kBase, 4096, 16), 2u);
  EXPECT_EQ(unwritten(all, kBase, 4096, 15), 0u);
  all.mark(kBase + 4096 + 15, 1);
  EXPECT_EQ(unwritten(all, kBase, 4096, 16), 0u);
  all.forget(kBase, 1 << 20);  // pages go back to the system
  EXPECT_EQ(unwritten(all, kBase, 4096, 16), ~0u);
}

TEST(WrittenBytes, OutsideOfTheMemoryAllIsWritten) {
  const WrittenBytes all(kBase, 1 << 20);
  EXPECT_EQ(unwritten(all, kBase + (1 << 20), 4096, 4), 0u);
  EXPECT_EQ(unwritten(all, kBase - 32 * 4096, 4096, 4), 0u);
}

}  // namespace
}  // namespace drywarp::exec
