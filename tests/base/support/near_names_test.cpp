#include "base/support/near_names.h"

#include <gmock/gmock.h>

namespace drywarp {
namespace {

using ::testing::ElementsAre;

TEST(NearNames, CountsLettersThatDiffer) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("reduce", "reduced"), 1u);
}

TEST(NearNames, ALimitEndsTheSearchAndChangesNoSmallerDistance) {
  EXPECT_EQ(edit_distance("kitten", "sitting", 3), 3u);
  EXPECT_GT(edit_distance("kitten", "sitting", 2), 2u);
  EXPECT_GT(edit_distance("abcdef", "uvwxyz", 2), 2u);
  EXPECT_GT(edit_distance("a", "abcdef", 2), 2u);
  EXPECT_EQ(edit_distance("abc", "", 3), 3u);
}

TEST(NearNames, TheNearestComeFirst) {
  EXPECT_THAT(nearest_first("redu", {"scan", "reduce_last", "read", "map"}),
              ElementsAre("reduce_last", "read", "map", "scan"));
  EXPECT_THAT(nearest_first("x", {}), ElementsAre());
}

}  // namespace
}  // namespace drywarp
