#include "engine/exec/blocks/progress.h"

#include <gtest/gtest.h>

#include <future>
#include <vector>

namespace drywarp::exec {
namespace {

TEST(Progress, IsToldUntilTheEnd) {
  std::vector<Progress> told;
  std::promise<void> three;
  {
    const TellProgress tell = [&](const Progress& now) {
      told.push_back(now);
      if (told.size() == 3) three.set_value();
    };
    const ProgressTeller teller(tell, [&] { return Progress{Progress::Phase::Running, "k", told.size(), 9}; });
    three.get_future().wait();
  }
  const size_t count = told.size();
  ASSERT_GE(count, 3u);
  for (size_t i = 0; i < count; ++i) {
    EXPECT_EQ(told[i].kernel, "k");
    EXPECT_EQ(told[i].blocks_done, i);
    EXPECT_EQ(told[i].blocks_total, 9u);
    EXPECT_GT(told[i].seconds, i == 0 ? 0 : told[i - 1].seconds);
  }
}

TEST(Progress, NothingIsToldToNobody) {
  bool looked = false;
  {
    const TellProgress nobody;
    const ProgressTeller teller(nobody, [&] {
      looked = true;
      return Progress{};
    });
  }
  EXPECT_FALSE(looked);
}

}  // namespace
}  // namespace drywarp::exec
