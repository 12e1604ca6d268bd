#include "base/support/plural.h"

#include <gtest/gtest.h>

namespace drywarp {
namespace {

TEST(Plural, OneHasTheNounAndOthersItsPlural) {
  EXPECT_EQ(plural(1, "block"), "1 block");
  EXPECT_EQ(plural(0, "block"), "0 blocks");
  EXPECT_EQ(plural(2, "launch"), "2 launches");
  EXPECT_EQ(plural(3, "pass"), "3 passes");
  EXPECT_EQ(plural_real(1, "second"), "1 second");
  EXPECT_EQ(plural_real(2.5, "sector"), "2.5 sectors");
  EXPECT_EQ(noun_for(0.5, "wave"), "waves");
}

}  // namespace
}  // namespace drywarp
