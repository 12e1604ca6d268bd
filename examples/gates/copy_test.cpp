// Expectations of a CUDA program's kernels in GoogleTest.
#include <drywarp/gtest.h>

TEST(Copy, LoadsWholeSectors) { DRYWARP_EXPECT("--time off " COPY_SOURCE, "kernel:copy* gld_efficiency == 100"); }

TEST(Copy, WithAStrideOfTwoLoadsTwiceTheSectors) {
  DRYWARP_EXPECT("--time off " COPY_SOURCE " -- 2", "kernel:copy* gld_transactions_per_request == 8");
}
