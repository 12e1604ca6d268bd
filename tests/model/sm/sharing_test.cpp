#include "model/sm/sharing.h"

#include <gtest/gtest.h>

#include "program.h"

namespace drywarp::sm {
namespace {

constexpr uint64_t kSide = 16;  // blocks of a row, and rows

// A grid of blocks. Each loads the lines that `lines` adds for its column and row.
template <class Lines>
LaunchTrace grid(uint64_t recorded, Lines lines) {
  LaunchTrace trace;
  trace.blocks_in_grid = kSide * kSide;
  trace.loads = {true, false};
  const auto block = [&](uint64_t number) {
    WarpTrace warp;
    lines(warp, number % kSide, number / kSide);
    for (uint32_t i = 0; i < warp.lines.size(); ++i) warp.accesses.push_back({0, 0, i, 1});
    return BlockTrace{number, {warp}};
  };
  for (uint64_t b = 0; b < recorded; ++b) trace.blocks.push_back(block(b));
  const TraceRequest request{recorded, 0, 0, 24};
  for (uint32_t w = 0; w < request.sample_blocks; ++w)
    trace.sample_blocks.push_back(lines_of(block(request.sample_block(w, trace.blocks_in_grid)), trace.loads));
  return trace;
}

void add(WarpTrace& warp, uint64_t first, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) warp.lines.push_back(TraceLine::of((first + i) * kLineBytes, 15));
}

TEST(FirstFetchShare, IsOneForUnsharedLines) {
  const auto own = grid(64, [](WarpTrace& w, uint64_t x, uint64_t y) { add(w, 1000 * (kSide * y + x), 200); });
  EXPECT_EQ(first_fetch_share(own, 64), 1);
}

TEST(FirstFetchShare, IsTheShareOfTheGridForLinesThatAllLoad) {
  const auto all = grid(64, [](WarpTrace& w, uint64_t, uint64_t) { add(w, 0, 2000); });
  EXPECT_NEAR(first_fetch_share(all, 64), 0.25, 0.01);
  EXPECT_EQ(first_fetch_share(all, kSide * kSide), 1);  // nobody is left out
}

// A product of matrices: a row of blocks loads the same lines of one factor, a column those of the other.
TEST(FirstFetchShare, TellsRowsFromColumns) {
  const auto product = grid(64, [](WarpTrace& w, uint64_t x, uint64_t y) {
    add(w, 100'000 * (y + 1), 1000);
    add(w, 10'000'000 * (x + 1), 1000);
  });
  // It loads four of sixteen rows alone, and fetches a quarter of the columns' lines first.
  EXPECT_NEAR(first_fetch_share(product, 64), (4 * 1.0 + 16 * 0.25) / 20, 0.06);
}

TEST(FirstFetchShare, LeavesStoresOut) {
  auto stores = grid(64, [](WarpTrace& w, uint64_t, uint64_t) { add(w, 0, 2000); });
  stores.loads = {false, false};
  EXPECT_EQ(first_fetch_share(stores, 64), 1);
}

TEST(ShareLines, AllocatesSharedLinesOnceAndIgnoresGpusWithoutL2) {
  const machine::MachineModel whole = round_machine();
  machine::MachineModel part = slice(whole, 1);
  EXPECT_EQ(part.memory.l2.bytes, 1u << 19);
  machine::share_lines(part, whole, 0.75);
  EXPECT_EQ(part.memory.l2.first_fetch_share, 0.75);
  EXPECT_NEAR(static_cast<double>(part.memory.l2.bytes), (1 << 19) / 0.75, 1);
  machine::share_lines(part, whole, 0.01);
  EXPECT_EQ(part.memory.l2.bytes, whole.memory.l2.bytes);
  part.memory.l2.bytes = 0, part.memory.l2.first_fetch_share = 1;
  machine::share_lines(part, whole, 0.5);
  EXPECT_EQ(part.memory.l2.first_fetch_share, 1);
}

}  // namespace
}  // namespace drywarp::sm
