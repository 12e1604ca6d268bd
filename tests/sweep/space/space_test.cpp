// Values, conditions and constraints of a sweep, and its TOML file: what is read, and where errors are.
#include "sweep/space/space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sweep/space/description.h"

namespace drywarp::sweep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> texts(const std::string& list) {
  const auto values = parse_values(list);
  if (!values) return {values.problem().message};
  std::vector<std::string> all;
  for (const Value& v : *values) all.push_back(v.text);
  return all;
}

TEST(Values, areListsAndRanges) {
  EXPECT_THAT(texts("32, 64,none"), ElementsAre("32", "64", "none"));
  EXPECT_THAT(texts("1..3,16..64*2,0..100+50"), ElementsAre("1", "2", "3", "16", "32", "64", "0", "50", "100"));
  EXPECT_THAT(texts("-2..0"), ElementsAre("-2", "-1", "0"));
  EXPECT_THAT(texts("9223372036854775806..9223372036854775807"),
              ElementsAre("9223372036854775806", "9223372036854775807"));
}

TEST(Values, saysWhatIsWrong) {
  EXPECT_THAT(texts("1,,2"), ElementsAre(HasSubstr("empty value")));
  EXPECT_THAT(texts("8..1"), ElementsAre(HasSubstr("empty range")));
  EXPECT_THAT(texts("0..8*2"), ElementsAre(HasSubstr("empty range")));
  EXPECT_THAT(texts("1..8+0"), ElementsAre(HasSubstr("empty range")));
  EXPECT_THAT(texts("1..100000"), ElementsAre(HasSubstr("more than")));
}

TEST(Space, leavesWhatConstraintsAndConditionsAllow) {
  Space space;
  ASSERT_TRUE(space.add("T", Kind::Macro, *parse_values("0,1")));
  ASSERT_TRUE(space.add("BM", Kind::Macro, *parse_values("32,64,128"), "T == 1"));
  ASSERT_TRUE(space.add("device", Kind::Device, *parse_values("h200,a100")));
  ASSERT_TRUE(space.constrain("BM * (T + 1) <= 128"));
  const auto all = space.all();
  ASSERT_TRUE(all.ok());
  std::vector<std::string> names;
  for (const Configuration& c : *all) names.push_back(space.text(c));
  EXPECT_THAT(names, ElementsAre("T=0 BM=32 device=h200", "T=0 BM=32 device=a100", "T=1 BM=32 device=h200",
                                 "T=1 BM=32 device=a100", "T=1 BM=64 device=h200", "T=1 BM=64 device=a100"));
}

TEST(Space, refusesNamesAndExpressions) {
  Space space;
  ASSERT_TRUE(space.add("BM", Kind::Macro, *parse_values("0,1")));
  EXPECT_THAT(space.add("BM", Kind::Macro, *parse_values("1")).problem().message, HasSubstr("twice"));
  EXPECT_THAT(space.add("B M", Kind::Macro, *parse_values("1")).problem().message, HasSubstr("no name"));
  EXPECT_THAT(space.add("C", Kind::Macro, *parse_values("1,1")).problem().message, HasSubstr("twice"));
  ASSERT_TRUE(space.add("device", Kind::Device, *parse_values("h200")));
  EXPECT_THAT(space.constrain("device == 1").problem().hint, HasSubstr("not all integers"));
  EXPECT_THAT(space.constrain("BN == 1").problem().hint, HasSubstr("BM"));
  ASSERT_TRUE(space.constrain("1 / BM"));
  EXPECT_THAT(space.all().problem().message, HasSubstr("division by zero"));
}

TEST(Space, refusesMoreThanCanBeRun) {
  Space space;
  for (const char* name : {"a", "b", "c", "d"}) ASSERT_TRUE(space.add(name, Kind::Macro, *parse_values("1..1000")));
  EXPECT_THAT(space.all().problem().message, HasSubstr("combinations"));
}

TEST(Description, readsItsFile) {
  const auto d = parse_description(R"(
program = ["mm.cu", "-O3"]
arguments = ["{N}", "{mode=fast,exact}"]
search = "halving"
per = ["N"]
constraints = ["BM <= N"]
[[parameter]]
name = "N"
kind = "argument"
values = [128, 256]
[[parameter]]
name = "BM"
kind = "macro"
values = ["16..64*2"]
names = ["s", "m", "l"]
when = "N == 128"
)",
                                   "s.toml");
  ASSERT_TRUE(d.ok()) << d.problem().to_string();
  EXPECT_EQ(d->search, Search::Halving);
  EXPECT_THAT(d->program.arguments, ElementsAre("{N}", "{mode}"));
  ASSERT_EQ(d->space.parameters().size(), 3u);
  EXPECT_EQ(d->space.parameters()[1].values[2].label, "l");
  EXPECT_EQ(d->space.parameters()[2].kind, Kind::Argument);
}

TEST(Description, saysWhereItIsWrong) {
  const auto problem = [](const std::string& text) { return parse_description(text, "s.toml").problem().to_string(); };
  EXPECT_THAT(problem("programme = 1"), HasSubstr("s.toml:1:13: error: a sweep has no 'programme'"));
  EXPECT_THAT(problem("program = [1]"), HasSubstr("s.toml:1:12"));
  EXPECT_THAT(problem("search = \"best\""), HasSubstr("no such search"));
  EXPECT_THAT(problem("[[parameter]]\nname = \"A\"\nkind = \"macro\"\n"), HasSubstr("needs name, kind and values"));
  EXPECT_THAT(problem("[[parameter]]\nname=\"A\"\nkind=\"macro\"\nvalues=[1,2]\nnames=[\"x\"]"),
              HasSubstr("2 values and 1 names"));
  EXPECT_THAT(problem("constraints = [\"A > 1\"]"), HasSubstr("'A' has no value"));
  EXPECT_THAT(problem("arguments = [\"{A}\"]"), HasSubstr("names no parameter"));
  EXPECT_THAT(problem("per = [\"A\"]"), HasSubstr("no parameter 'A'"));
  EXPECT_THAT(problem("runs = 0"), HasSubstr("above 0"));
  EXPECT_THAT(problem("a = "), HasSubstr("s.toml:1:"));
}

}  // namespace
}  // namespace drywarp::sweep
