#include "base/support/progress.h"

#include <gtest/gtest.h>

#include <future>
#include <vector>

namespace drywarp {
namespace {

TEST(Progress, IsReportedUntilTheEnd) {
  std::vector<Progress> told;
  std::promise<void> three;
  {
    const ReportProgress tell = [&](const Progress& now) {
      told.push_back(now);
      if (told.size() == 3) three.set_value();
    };
    const ProgressReporter reporter(tell, [&] { return Progress{"running", "k", "", told.size(), 9, "blocks"}; });
    three.get_future().wait();
  }
  const size_t count = told.size();
  ASSERT_GE(count, 3u);
  EXPECT_GE(told[0].seconds, 1);  // nothing for short operations
  for (size_t i = 0; i < count; ++i) {
    EXPECT_EQ(told[i].what, "k");
    EXPECT_EQ(told[i].done, i);
    EXPECT_EQ(told[i].total, 9u);
    EXPECT_GT(told[i].seconds, i == 0 ? 0 : told[i - 1].seconds);
  }
}

TEST(Progress, NothingIsReportedWithoutAListener) {
  bool looked = false;
  {
    const ReportProgress nobody;
    const ProgressReporter reporter(nobody, [&] {
      looked = true;
      return Progress{};
    });
  }
  EXPECT_FALSE(looked);
}

TEST(Progress, SaysWhatAndHowFar) {
  EXPECT_EQ(progress_text({"compiling", "k.cu", "", 0, 0, "", 3}, 80), "compiling k.cu, 3 s so far");
  EXPECT_EQ(progress_text({"compiling kernel", "matmul", "for 16x16 blocks", 0, 0, "", 3}, 80),
            "compiling kernel matmul for 16x16 blocks, 3 s so far");
  EXPECT_EQ(progress_text({"compiling kernel", "matmul", "for 16x16 blocks", 2, 7, "functions", 10}, 80),
            "compiling kernel matmul for 16x16 blocks: 2 of 7 functions, 25 s left");
  EXPECT_EQ(progress_text({"running", "matmul", "", 1200, 6400, "blocks", 12}, 80),
            "running matmul: 1,200 of 6,400 blocks, 52 s left");
  EXPECT_EQ(progress_text({"running", "matmul", "", 0, 1234567, "blocks", 200}, 80),
            "running matmul: 0 of 1,234,567 blocks, 3 min so far");
  EXPECT_EQ(progress_text({"timing", "matmul", "", 2, 5, "", 4}, 80), "timing matmul: 40 %, 6 s left");
}

TEST(Progress, ANarrowLineShortensTheName) {
  const Progress long_name = {"timing", std::string(100, 'k'), "", 2, 5, "", 4};
  EXPECT_EQ(progress_text(long_name, 40), "timing kkkkkkkkkkkkkk...: 40 %, 6 s left");
  EXPECT_EQ(progress_text(long_name, 10).size(), 10u);
}

}  // namespace
}  // namespace drywarp
