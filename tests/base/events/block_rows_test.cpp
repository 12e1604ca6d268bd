#include "base/events/block_rows.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace drywarp
