// The names that the limiter asks for are names of metrics: else the model's figures would never reach it.
#include <gtest/gtest.h>

#include "profile/advice/limiter.h"
#include "profile/metrics/evaluate.h"

namespace drywarp::advice {
namespace {

TEST(Facts, EveryNameIsAMetricThatHasAValue) {
  unsigned asked = 0;
  (void)read_facts([&](const std::string& name) -> std::optional<double> {
    ++asked;
    const metrics::Metric* metric = metrics::find_metric(name);
    EXPECT_NE(metric, nullptr) << name;
    if (metric) EXPECT_NE(metric->formula, nullptr) << name;
    return std::nullopt;
  });
  EXPECT_GT(asked, sm::kStalls + 15);
}

}  // namespace
}  // namespace drywarp::advice
