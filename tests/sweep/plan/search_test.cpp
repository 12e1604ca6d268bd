// Which configurations a search takes, and what it drops with which reason.
#include "sweep/plan/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drywarp::sweep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Description description(const std::string& toml) {
  auto d = parse_description(toml, "s.toml");
  EXPECT_TRUE(d.ok());
  return std::move(*d);
}

TEST(Search, takesARandomChoiceThatItsSeedRepeats) {
  Description d =
      description("search = \"random\"\nruns = 5\n[[parameter]]\nname=\"A\"\nkind=\"macro\"\nvalues=[\"1..50\"]");
  const auto once = candidates(d), again = candidates(d);
  ASSERT_TRUE(once.ok());
  EXPECT_EQ(once->size(), 5u);
  EXPECT_EQ(*once, *again);
  EXPECT_TRUE(std::ranges::is_sorted(*once));
  d.seed = 2;
  EXPECT_NE(*once, *candidates(d));
  d.search = Search::Grid;
  EXPECT_EQ(candidates(d)->size(), 50u);
}

TEST(Search, takesARandomChoiceOfASpaceThatCannotBeListed) {
  std::string toml = "search = \"random\"\nruns = 200\nconstraints = [\"A * B <= 5000\", \"C % 2 == 0\"]\n";
  for (const char* name : {"A", "B", "C", "D"})  // 10^12 combinations, of which one in fifty is valid
    toml += std::string("[[parameter]]\nname=\"") + name + "\"\nkind=\"macro\"\nvalues=[\"1..1000\"]\n";
  Description d = description(toml);
  const auto once = candidates(d), again = candidates(d);
  ASSERT_TRUE(once.ok()) << once.problem().to_string();
  EXPECT_EQ(once->size(), 200u);
  EXPECT_EQ(*once, *again);
  EXPECT_TRUE(std::ranges::is_sorted(*once));
  EXPECT_EQ(std::ranges::adjacent_find(*once), once->end());
  for (const Configuration& c : *once) EXPECT_TRUE(*d.space.valid(c));
  d.seed = 2;
  EXPECT_NE(*once, *candidates(d));
  d.search = Search::Grid;
  EXPECT_THAT(candidates(d).problem().to_string(), HasSubstr("--search random"));
  d.search = Search::Random, d.runs = 1'000'000;
  EXPECT_THAT(candidates(d).problem().to_string(), HasSubstr("at most 100000"));
  d.runs = 1;
  ASSERT_TRUE(d.space.constrain("A == 1000 && B == 1000").ok());  // which the others forbid
  EXPECT_THAT(candidates(d).problem().to_string(), HasSubstr("only 0 meet the constraints"));
}

TEST(Search, takesARandomChoiceOfMoreThanASweepMayHave) {
  const Description d = description(
      "search = \"random\"\nruns = 3\n[[parameter]]\nname=\"A\"\nkind=\"macro\"\nvalues=[\"1..400\"]\n"
      "[[parameter]]\nname=\"B\"\nkind=\"macro\"\nvalues=[\"1..400\"]\n");
  ASSERT_TRUE(candidates(d).ok());
  EXPECT_EQ(candidates(d)->size(), 3u);
}

TEST(Search, keepsTheBetterHalfOfEachGroup) {
  const std::vector<Contender> contenders = {{0, "a", 4e3}, {1, "a", 1e3}, {2, "a", 3e3}, {3, "a", 2e3}, {4, "b", 9e3}};
  const Selection s = select(contenders, Stage::Counts);
  EXPECT_THAT(s.kept, ElementsAre(1u, 3u, 4u));
  ASSERT_EQ(s.dropped.size(), 2u);
  EXPECT_EQ(s.dropped[0].row, 0u);
  EXPECT_EQ(s.dropped[0].reason,
            "at least 4000 cycles by counts: 4 of 4; the best needs at least 1000 cycles by counts");
}

TEST(Search, keepsAQuarterAfterASliceAndWhatIsAsGood) {
  std::vector<Contender> contenders;
  for (size_t i = 0; i < 8; ++i) contenders.push_back({i, "", i < 3 ? 1e-6 : 2e-6});
  const Selection s = select(contenders, Stage::Slice);
  EXPECT_THAT(s.kept, ElementsAre(0u, 1u, 2u));
  EXPECT_THAT(s.dropped[0].reason, HasSubstr("2.00 us on a slice"));
  EXPECT_TRUE(select({}, Stage::Slice).kept.empty());
}

TEST(Search, groupsByDeviceAndSize) {
  const Description d = description(
      "per=[\"N\"]\n[[parameter]]\nname=\"N\"\nkind=\"argument\"\nvalues=[1,2]\n[[parameter]]\nname=\"B\"\nkind="
      "\"macro\"\n"
      "values=[1,2]\n[[parameter]]\nname=\"gpu\"\nkind=\"device\"\nvalues=[\"h200\"]");
  EXPECT_EQ(group_of(d, {1, 0, 0}), "N=2 gpu=h200");
  EXPECT_EQ(group_of(d, {1, 1, 0}), "N=2 gpu=h200");
}

TEST(Search, idealCostsDoNotCompeteWithWhatAProgramCanHave) {
  const Description d = description(
      "[[parameter]]\nname=\"B\"\nkind=\"macro\"\nvalues=[1,2]\n[[parameter]]\nname=\"w\"\nkind=\"what-if\"\n"
      "values=[\"none\", \"carveout=50\", \"no-bank-conflicts\"]");
  EXPECT_EQ(group_of(d, {0, 0}), "");
  EXPECT_EQ(group_of(d, {1, 1}), "");
  EXPECT_EQ(group_of(d, {1, 2}), "w=no-bank-conflicts");
  EXPECT_TRUE(is_ideal(d, {0, 2}));
  EXPECT_FALSE(is_ideal(d, {0, 1}));
}

TEST(Search, makesRequestsOfValues) {
  const Description d = description(
      "program=[\"a.cu\"]\narguments=[\"n={N}\"]\n[[parameter]]\nname=\"N\"\nkind=\"argument\"\nvalues=[7]\n"
      "[[parameter]]\nname=\"B\"\nkind=\"macro\"\nvalues=[1]\n[[parameter]]\nname=\"r\"\nkind=\"registers\"\nvalues=["
      "32]\n"
      "[[parameter]]\nname=\"o\"\nkind=\"options\"\nvalues=[\"-O3 -use_fast_math\"]\n"
      "[[parameter]]\nname=\"w\"\nkind=\"what-if\"\nvalues=[\"none\"]");
  const Request r = request_for(d.program, d.space, {0, 0, 0, 0, 0});
  EXPECT_THAT(r.program, ElementsAre("a.cu", "-DB=1", "-maxrregcount=32", "-O3", "-use_fast_math"));
  EXPECT_THAT(r.arguments, ElementsAre("n=7"));
  EXPECT_EQ(r.what_if, "");
  const auto again = parse_request(text(to_json(r)), "text");
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(to_json(*again), to_json(r));
}

TEST(Request, takesMacrosAndRefusesTheRest) {
  const auto r =
      parse_request(R"({"macros": {"BM": 32, "F": "x"}, "program": ["a.cu"], "arguments": [1, "y"]})", "text");
  ASSERT_TRUE(r.ok());
  EXPECT_THAT(r->program, testing::UnorderedElementsAre("a.cu", "-DBM=32", "-DF=x"));
  EXPECT_THAT(r->arguments, ElementsAre("1", "y"));
  for (const char* wrong : {"", "[]", "{}", R"({"program": "a.cu"})", R"({"program": ["a.cu"], "stage": "half"})",
                            R"({"program": ["a.cu"], "limit_seconds": -1})", R"({"program": ["a.cu"], "devcie": "x"})",
                            R"({"program": [[]]})"})
    EXPECT_FALSE(parse_request(wrong, "text").ok()) << wrong;
}

}  // namespace
}  // namespace drywarp::sweep
