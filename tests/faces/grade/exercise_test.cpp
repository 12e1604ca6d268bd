#include "faces/grade/exercise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drywarp::grade {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Exercise, HasEveryKey) {
  const auto e = parse_exercise(R"(title = "T"
lesson = "1"
task = "Do it."
device = "gtx970"
time_limit = 2.5
arguments = ["64", ""]
solution = "s.cu"
[[check]]
points = 2
says = "Ends."
exit = 3
[[check]]
points = 3
says = "Counts."
hint = "Think."
kernel = "k*"
line_with = "// here"
expect = "gld_transactions <= baseline"
)",
                                "lesson/e.toml");
  ASSERT_TRUE(e.ok()) << e.problem().to_string();
  EXPECT_EQ(e->title + e->lesson + e->task + e->device, "T1Do it.gtx970");
  EXPECT_EQ(e->time_limit, 2.5);
  EXPECT_THAT(e->arguments, ElementsAre("64", ""));
  EXPECT_EQ(e->solution, "lesson/s.cu");  // beside the exercise
  EXPECT_EQ(e->points(), 5);
  EXPECT_FALSE(e->needs_time());
  EXPECT_TRUE(e->needs_solution());
  ASSERT_EQ(e->checks.size(), 2);
  EXPECT_EQ(e->checks[0].kind, Kind::Exit);
  EXPECT_EQ(e->checks[0].exit_code, 3);
  EXPECT_EQ(e->checks[1].kind, Kind::Expect);
  EXPECT_EQ(e->checks[1].hint + e->checks[1].line_with, "Think.// here");
  EXPECT_EQ(e->checks[1].expectation->full_text(), "kernel:k* gld_transactions <= baseline");
}

TEST(Exercise, NeedsTimesOnlyForAModelledTime) {
  const auto with = [](const std::string& expect) {
    return parse_exercise("title = \"T\"\n[[check]]\npoints = 1\nsays = \"S\"\nexpect = \"" + expect + "\"\n",
                          "e.toml");
  };
  EXPECT_TRUE(with("modelled:time_us <= 5")->needs_time());
  EXPECT_FALSE(with("modelled:branch_efficiency > 5")->needs_time());
  EXPECT_FALSE(with("gld_efficiency > 5")->needs_solution());
}

// Each problem is named with its line.
TEST(Exercise, RefusesWhatIsWrong) {
  const struct {
    const char *text, *place, *message;
  } kWrong[] = {
      {"title = \"T\"\npoint = 1\n", "e.toml:2:", "an exercise has no 'point'"},
      {"title = 3\n", "e.toml:1:", "'title' must be a text"},
      {"title = \"T\"\n", "e.toml:1:", "the exercise checks nothing"},
      {"title = \"T\"\ncheck = 1\n", "e.toml:2:", "'check' must be tables"},
      {"title = \"T\"\ncheck = [1]\n", "e.toml:2:", "'check' must be tables"},
      {"title = \"T\"\ntime_limit = 0\n", "e.toml:2:", "'time_limit' must be a number"},
      {"title = \"T\"\ntime_limit = nan\n", "e.toml:2:", "'time_limit' must be a number"},
      {"title = \"T\"\ntime_limit = 1e300\n", "e.toml:2:", "'time_limit' must be a number"},
      {"title = \"T\"\narguments = [1]\n", "e.toml:2:", "'arguments' must be a list of texts"},
      {"title = \"T\"\n[[check]]\nsays = \"S\"\nexit = 0\n", "e.toml:2:", "has no 'points'"},
      {"title = \"T\"\n[[check]]\npoints = 1\nexit = 0\n", "e.toml:2:", "has no 'says'"},
      {"title = \"T\"\n[[check]]\npoints = 1\nsays = \"S\"\n", "e.toml:2:", "checks nothing"},
      {"title = \"T\"\n[[check]]\npoints = 0\n", "e.toml:3:", "from 1 to 1000"},
      {"title = \"T\"\n[[check]]\npoints = 99999999999\n", "e.toml:3:", "from 1 to 1000"},
      {"title = \"T\"\n[[check]]\nexit = 0\noutput = \"x\"\n", "e.toml:", "a check has either"},
      {"title = \"T\"\n[[check]]\npoints = 1\nsays = \"S\"\nexit = 256\n", "e.toml:5:", "from 0 to 255"},
      {"title = \"T\"\n[[check]]\npoints = 1\nsays = \"S\"\nexits = 0\n", "e.toml:5:", "[[check]] has no 'exits'"},
      {"title = \"T\"\n[[check]]\npoints = 1\nsays = \"S\"\noutput_matches = \"(\"\n", "e.toml:5:", "no regular expr"},
      {"title = \"T\"\n[[check]]\npoints = 1\nsays = \"S\"\nkernel = \"k\"\nexit = 0\n", "e.toml:5:", "belong to"},
      {"title = \"T\"\n[[check]]\npoints = 1\nsays = \"S\"\nexpect = \"gld > 1\"\n", "e.toml:5:11", "no metric 'gld'"},
      {"title = \"T\"\n[[check]]\npoints = 1\nsays = \"S\"\nexpect = \"time > 1\"\n", "e.toml:5:", "is modelled"},
      {"title = \"T\"\n[[check]]\npoints = 1\nsays = \"S\"\nline_with = \"x\"\nexpect = \"modelled:time > 1\"\n",
       "e.toml:6:", "whole launches"},
      {"title = \"T\"\n[[check]]\npoints = 1\nsays = \"S\"\noutput_as_solution = true\n",
       "e.toml:2:", "needs a solution"},
      {"title = \"T\"\n[[check]]\npoints = 1\nsays = \"S\"\nexpect = \"gld_efficiency > baseline\"\n",
       "e.toml:2:", "needs a solution"},
      {"title = \"T\nT\"\n", "e.toml:1:", ""},
      {"", "e.toml:1:", "no title"},
  };
  for (const auto& wrong : kWrong) {
    const auto e = parse_exercise(wrong.text, "e.toml");
    ASSERT_FALSE(e.ok()) << wrong.text;
    EXPECT_THAT(e.problem().to_string(), HasSubstr(wrong.place)) << wrong.text;
    EXPECT_THAT(e.problem().message, HasSubstr(wrong.message)) << wrong.text;
  }
}

}  // namespace
}  // namespace drywarp::grade
