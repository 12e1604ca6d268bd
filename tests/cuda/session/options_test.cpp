#include "cuda/launch/options.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace drywarp::cuda {
namespace {

Options read(const std::map<std::string, std::string>& variables, std::vector<std::string>* complaints = nullptr) {
  return read_options(
      [&](const char* name) {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
      },
      [&](const std::string& text) {
        if (complaints) complaints->push_back(text);
      });
}

TEST(Options, DefaultsCountEverything) {
  const Options o = read({});
  EXPECT_TRUE(o.counters);
  EXPECT_TRUE(o.profile.empty());
  EXPECT_EQ(o.launch_skip, 0u);
  EXPECT_EQ(o.launch_count, ~0ull);
}

TEST(Options, ReadsEveryVariable) {
  const Options o = read({{"DRYWARP_PROFILE", "p.db"},
                          {"DRYWARP_COUNTERS", "0"},
                          {"DRYWARP_SAMPLES", "s.txt"},
                          {"DRYWARP_KEEP_SAMPLES", "1"},
                          {"DRYWARP_TIME", "all"},
                          {"DRYWARP_KERNEL", "^k"},
                          {"DRYWARP_LAUNCH_SKIP", "3"},
                          {"DRYWARP_LAUNCH_COUNT", "2"},
                          {"DRYWARP_TIMEOUT", "1.5"},
                          {"DRYWARP_DIVERGENT_BARRIERS", "1"},
                          {"DRYWARP_WORKERS", "2"},
                          {"DRYWARP_CPU", "avx2"},
                          {"DRYWARP_CACHE", "/c"},
                          {"DRYWARP_PROGRESS", "1"},
                          {"DRYWARP_DEVICE", "h200"}});
  EXPECT_EQ(o.profile, "p.db");
  EXPECT_FALSE(o.counters);
  EXPECT_EQ(o.samples, "s.txt");
  EXPECT_TRUE(o.keep_samples);
  EXPECT_EQ(o.time, TimeMode::All);
  EXPECT_EQ(o.kernel_filter, "^k");
  EXPECT_EQ(o.launch_skip, 3u);
  EXPECT_EQ(o.launch_count, 2u);
  EXPECT_DOUBLE_EQ(o.timeout_seconds, 1.5);
  EXPECT_TRUE(o.divergent_barriers);
  EXPECT_EQ(o.workers, 2u);
  EXPECT_EQ(o.cpu, "avx2");
  EXPECT_EQ(o.code_cache, "/c");
  EXPECT_TRUE(o.progress);
  EXPECT_EQ(o.device, "h200");
}

TEST(Options, NamesWhatItCannotReadAndKeepsTheDefault) {
  std::vector<std::string> complaints;
  const Options o = read({{"DRYWARP_TIMEOUT", "soon"}, {"DRYWARP_COUNTERS", "yes"}}, &complaints);
  EXPECT_DOUBLE_EQ(o.timeout_seconds, 0);
  EXPECT_FALSE(o.divergent_barriers);
  EXPECT_TRUE(o.counters);
  ASSERT_EQ(complaints.size(), 2u);
  EXPECT_NE(complaints[0].find("DRYWARP_COUNTERS=yes"), std::string::npos);
  EXPECT_NE(complaints[1].find("DRYWARP_TIMEOUT=soon"), std::string::npos);
}

}  // namespace
}  // namespace drywarp::cuda
