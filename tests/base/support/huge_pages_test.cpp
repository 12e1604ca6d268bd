#include "base/support/huge_pages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace drywarp {
namespace {

TEST(HugePages, serveSmallAndLargeAllocations) {
  for (const size_t count : {size_t{10}, size_t{1} << 20}) {
    std::pmr::vector<uint64_t> values(huge_pages());
    for (size_t i = 0; i < count; ++i) values.push_back(i);
    const std::pmr::vector<uint64_t> copy(values, huge_pages());
    EXPECT_EQ(values, copy);
    EXPECT_EQ(copy.back(), count - 1);
  }
}

TEST(ZeroedArena, piecesAreZeroAlignedAndApart) {
  ZeroedArena arena;
  std::vector<std::pair<uint8_t*, size_t>> pieces;
  for (const size_t bytes : {1ul, 100ul, 3ul << 20, 5ul << 20, 20ul << 20, 0ul, 64ul}) {
    auto* const piece = arena.take<uint8_t>(bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(piece) % 64, 0u);
    EXPECT_TRUE(std::all_of(piece, piece + bytes, [](uint8_t b) { return b == 0; }));
    std::fill_n(piece, bytes, static_cast<uint8_t>(pieces.size() + 1));
    pieces.emplace_back(piece, bytes);
  }
  for (size_t p = 0; p < pieces.size(); ++p)
    EXPECT_EQ(std::count(pieces[p].first, pieces[p].first + pieces[p].second, p + 1), pieces[p].second) << p;
}

}  // namespace
}  // namespace drywarp
