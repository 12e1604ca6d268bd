#include "cuda/device/error.h"

#include <gtest/gtest.h>

namespace drywarp::cuda {
namespace {

TEST(Error, NamesAndTextsAreCudas) {
  EXPECT_STREQ(error_name(0), "cudaSuccess");
  EXPECT_STREQ(error_text(0), "no error");
  EXPECT_STREQ(error_name(700), "cudaErrorIllegalAddress");
  EXPECT_STREQ(error_text(700), "an illegal memory access was encountered");
  EXPECT_STREQ(error_name(static_cast<int>(Error::LaunchOutOfResources)), "cudaErrorLaunchOutOfResources");
  EXPECT_EQ(static_cast<int>(Error::LaunchOutOfResources), 701);
  EXPECT_EQ(static_cast<int>(Error::CooperativeLaunchTooLarge), 720);
}

TEST(Error, UnknownNumbersSaySo) {
  EXPECT_STREQ(error_name(12345), "unrecognized error code");
  EXPECT_STREQ(error_text(-1), "unrecognized error code");
}

TEST(Error, OnlyErrorsOfAContextAreSticky) {
  EXPECT_TRUE(is_sticky(Error::IllegalAddress));
  EXPECT_TRUE(is_sticky(Error::LaunchTimeout));
  EXPECT_FALSE(is_sticky(Error::InvalidConfiguration));
  EXPECT_FALSE(is_sticky(Error::MemoryAllocation));
}

}  // namespace
}  // namespace drywarp::cuda
