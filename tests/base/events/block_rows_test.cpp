#include "base/events/block_rows.h"

#include <gtest/gtest.h>

#include "base/events/trace_rows.h"

#include <vector>

namespace drywarp {
namespace {

TEST(BlockRows, holdsTheFirstOfEachRow) {
  const BlockRows rows{10, 3};
  std::vector<uint64_t> held;
  for (uint64_t block = rows.next(0); block < 35; block = rows.next(block + 1)) {
    EXPECT_EQ(rows.count(block), held.size());
    EXPECT_GT(rows.end(block), block);
    held.push_back(block);
  }
  EXPECT_EQ(held, (std::vector<uint64_t>{0, 1, 2, 10, 11, 12, 20, 21, 22, 30, 31, 32}));
  EXPECT_EQ(rows.count(35), held.size());
  EXPECT_EQ(rows.end(11), 13);
  EXPECT_FALSE(rows.all());
}

TEST(BlockRows, holdsAllWithoutRows) {
  const BlockRows rows;
  EXPECT_TRUE(rows.all());
  EXPECT_EQ(rows.next(7), 7);
  EXPECT_EQ(rows.count(7), 7);
  EXPECT_GT(rows.end(7), uint64_t{1} << 60);
}

TEST(BlockRows, selectFromATrace) {
  const auto whole = std::make_shared<LaunchTrace>();
  LaunchTrace& trace = *whole;
  trace.rows = {10, 8}, trace.blocks_in_grid = 25;
  for (uint64_t block = 0; block < 25; ++block)
    if (trace.rows.hold(block)) trace.blocks.emplace_back().block = block;
  trace.sample_blocks = {{2, 2, {}}, {5, 5, {}}, {19, BlockLines::kOther, {}}, {21, 17, {}}};
  EXPECT_EQ(select(whole, trace.rows), whole);
  const auto selected = select(whole, {10, 3});
  const LaunchTrace& part = *selected;
  std::vector<uint64_t> blocks, places;
  for (const BlockTrace& block : part.blocks) blocks.push_back(block.block);
  for (const BlockLines& sample : part.sample_blocks) places.push_back(sample.place);
  EXPECT_EQ(blocks, (std::vector<uint64_t>{0, 1, 2, 10, 11, 12, 20, 21, 22}));
  EXPECT_EQ(places, (std::vector<uint64_t>{2, BlockLines::kOther, BlockLines::kOther, 7}));
  EXPECT_EQ(part.blocks_in_grid, 25);
}

}  // namespace
}  // namespace drywarp
