// Which launch of a kernel is drawn.
#include "cuda/launch/drawings.h"

#include <gtest/gtest.h>

namespace drywarp::cuda {
namespace {

TEST(Drawings, TheFirstLaunchAndThenClearlyLongerOnes) {
  Drawings drawings(true);
  const KernelInfo a, b;
  EXPECT_TRUE(drawings.take(a, 100));
  EXPECT_FALSE(drawings.take(a, 100));
  EXPECT_FALSE(drawings.take(a, 120));
  EXPECT_TRUE(drawings.take(b, 10));
  EXPECT_TRUE(drawings.take(a, 130));
  EXPECT_FALSE(drawings.take(a, 150));
  EXPECT_FALSE(drawings.take(b, 9));
}

TEST(Drawings, NoneIfNotWanted) { EXPECT_FALSE(Drawings(false).take(KernelInfo(), 100)); }

}  // namespace
}  // namespace drywarp::cuda
