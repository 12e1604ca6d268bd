#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <sstream>

#include "profile/gates/check.h"
#include "profile/gates/contract.h"
#include "profile/gates/writers.h"
#include "profile/report/sample_profile.h"
#include "profile/results/results.h"

namespace drywarp::gates {
namespace {

using ::testing::HasSubstr;

// 32 wavefronts a request in line 7 of the transpose, 31 of them in excess; the reduction loads 32 sectors, 16 ideal.
const record::Profile& sample() {
  static const record::Profile profile = report::sample_profile("/src/a \"b\".cu");
  return profile;
}
record::Profile whole_sample() {
  record::Profile profile = sample();
  profile.launches.pop_back();  // the one that failed
  return profile;
}

Expectation parsed(const std::string& text) {
  auto e = parse_expectation(text, {});
  EXPECT_TRUE(e.ok()) << text << ": " << e.problem().message;
  return e ? *e : Expectation{};
}
Diagnostic problem_of(const std::string& text) {
  auto e = parse_expectation(text, {});
  EXPECT_FALSE(e.ok()) << text;
  return e.ok() ? Diagnostic{} : e.problem();
}
Result<std::vector<Outcome>> checked(const std::vector<std::string>& texts, const record::Profile& profile,
                                     const record::Profile* baseline = nullptr) {
  std::vector<Expectation> all;
  for (const std::string& text : texts) all.push_back(parsed(text));
  return check(all, profile, baseline);
}
Outcome only(const std::string& text, const record::Profile& profile, const record::Profile* baseline = nullptr) {
  auto outcomes = checked({text}, profile, baseline);
  EXPECT_TRUE(outcomes.ok()) << outcomes.problem().message;
  return outcomes.ok() ? outcomes->front() : Outcome{};
}
std::string refusal(const std::string& text, const record::Profile& profile) {
  auto outcomes = checked({text}, profile);
  EXPECT_FALSE(outcomes.ok()) << text;
  return outcomes.ok() ? "" : outcomes.problem().message + " | " + outcomes.problem().hint;
}

TEST(Expectation, HasSelectorsAMetricAndABound) {
  const Expectation e = parsed("kernel:\"void reduce<4>*\" line:a.cu:7-9 gld_efficiency>=90 %");
  EXPECT_EQ(e.kernel, "void reduce<4>*");
  EXPECT_EQ(e.line_text(), "a.cu:7-9");
  EXPECT_EQ(e.metric->name, "gld_efficiency");
  EXPECT_EQ(e.comparison, Comparison::AtLeast);
  EXPECT_EQ(e.bound.value, 90);
  EXPECT_FALSE(e.bound.baseline);
  EXPECT_EQ(e.full_text(), "kernel:\"void reduce<4>*\" line:a.cu:7-9 gld_efficiency>=90 %");
  EXPECT_EQ(parsed("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 sectors").metric->name, "gld_transactions");
}

TEST(Expectation, ConvertsUnits) {
  EXPECT_EQ(parsed("modelled:time <= 12 us").bound.value, 12000);
  EXPECT_EQ(parsed("modelled:time_us <= 12").bound.value, 12);
  EXPECT_EQ(parsed("gld_moved_bytes < 4 KB").bound.value, 4000);
  EXPECT_THAT(problem_of("gld_transactions <= 4 ms").message, HasSubstr("'ms' is no unit of gld_transactions"));
}

TEST(Expectation, ComparesWithABaseline) {
  const Bound more = parsed("gld_transactions <= baseline + 2%").bound;
  EXPECT_TRUE(more.baseline && more.percent);
  EXPECT_EQ(more.resolve(200), 204);
  EXPECT_EQ(parsed("gld_transactions >= baseline - 5").bound.resolve(200), 195);
  EXPECT_EQ(parsed("gld_transactions == baseline").bound.resolve(200), 200);
}

TEST(Expectation, RefusesWhatItCannotRead) {
  for (const auto& [text, message, column] : std::vector<std::tuple<const char*, const char*, uint32_t>>{
           {"", "a metric's name is missing", 1},
           {"gld_eficiency >= 90", "there is no metric 'gld_eficiency'", 1},
           {"gld_efficiency", "a comparison is missing", 15},
           {"gld_efficiency >= ", "a number is missing", 19},
           {"gld_efficiency >= x", "this is no number", 19},
           {"gld_efficiency >= nan", "this is no number", 19},
           {"gld_efficiency >= 1e999", "this is no number", 19},
           {"gld_efficiency >= 90 % x", "'x' is too much", 24},
           {"gld_* >= 90", "is not the name of one metric", 1},
           {"kernel: gld_efficiency >= 90", "names nothing", 8},
           {"kernel:\"a gld_efficiency >= 90", "not closed", 8},
           {"kernel:a kernel:b gld_efficiency >= 90", "two of kernel:", 17},
           {"launch:0 gld_efficiency >= 90", "no number of a launch", 8},
           {"launch:3- gld_efficiency >= 90", "no number of a launch", 8},
           {"launch:5-3 gld_efficiency >= 90", "no number of a launch", 8},
           {"launch:99999999999999999999 gld_efficiency >= 90", "no number of a launch", 8},
           {"launch:1 launch:2 gld_efficiency >= 90", "two of launch:", 17},
           {"line:a.cu gld_efficiency >= 90", "no line of a file", 6},
           {"line:a.cu:3 modelled:time >= 90", "whole launches", 22},
           {"time <= 5", "time is modelled, not counted", 1},
           {"modelled:gld_efficiency >= 90", "is counted, not modelled", 10},
           {"inst_fp_32 > 3", "not available", 1},
           {"gld_transactions <= baseline * 2", "only a tolerance", 30},
           {"gld_transactions <= baseline + -2", "not negative", 32}}) {
    const Diagnostic problem = problem_of(text);
    EXPECT_THAT(problem.message, HasSubstr(message)) << text;
    EXPECT_EQ(problem.location.column, column) << text;
  }
  EXPECT_THAT(problem_of("gld_eficiency >= 90").hint, HasSubstr("gld_efficiency"));
  EXPECT_THAT(problem_of("time <= 5").hint, HasSubstr("modelled:time"));
}

TEST(Holds, RoundingIsNoDifference) {
  EXPECT_TRUE(holds(0.1 + 0.2, Comparison::Equal, 0.3));
  EXPECT_TRUE(holds(0.1 + 0.2, Comparison::AtMost, 0.3));
  EXPECT_FALSE(holds(0.1 + 0.2, Comparison::Greater, 0.3));
  EXPECT_TRUE(holds(1, Comparison::NotEqual, 2));
  EXPECT_FALSE(holds(2, Comparison::Less, 2));
}

TEST(Check, FindsTheKernelTheLaunchAndTheLine) {
  const Outcome o = only("kernel:trans* excessive_shared_wavefronts == 0", whole_sample());
  EXPECT_FALSE(o.holds());
  ASSERT_EQ(o.findings.size(), 2u);
  EXPECT_EQ(o.findings[0].kernel, "transpose(float const*, float*, int)");
  EXPECT_THAT(o.findings[0].launches, ::testing::ElementsAre(1));
  EXPECT_EQ(o.findings[0].found, 32768 * 31);
  EXPECT_EQ(o.findings[1].found, 8192 * 31);
  ASSERT_EQ(o.findings[0].places.size(), 1u);
  EXPECT_EQ(o.findings[0].places[0].line, 7u);
  EXPECT_EQ(o.findings[0].places[0].value, 32768 * 31);
}

TEST(Check, HoldsForEveryLaunchAndSkipsWhereTheMetricDoesNotApply) {
  const Outcome loads = only("gld_efficiency >= 50", whole_sample());
  EXPECT_TRUE(loads.holds());
  EXPECT_EQ(loads.launches(), 3u);
  EXPECT_FALSE(only("gld_efficiency >= 51", whole_sample()).holds());
  EXPECT_EQ(only("gst_efficiency >= 50", whole_sample()).launches(), 2u);  // the reduction stores nothing
}

TEST(Check, TakesALine) {
  EXPECT_TRUE(only("line:'a \"b\".cu:5' shared_wavefronts_excess == 0", whole_sample()).holds());
  EXPECT_FALSE(only("line:'a \"b\".cu:6-7' shared_wavefronts_excess == 0", whole_sample()).holds());
}

TEST(Check, TakesALaunchOfEachKernel) {
  const Outcome second = only("kernel:transpose launch:2 excessive_shared_wavefronts == 0", whole_sample());
  ASSERT_EQ(second.findings.size(), 1u);
  EXPECT_THAT(second.findings[0].launches, ::testing::ElementsAre(2));
  EXPECT_EQ(second.findings[0].found, 8192 * 31);
  EXPECT_EQ(second.expectation.full_text(), "kernel:transpose launch:2 excessive_shared_wavefronts == 0");
  EXPECT_EQ(only("launch:1 gld_transactions > 0", whole_sample()).launches(), 2u);  // of two kernels
  EXPECT_EQ(only("launch:2-9 gld_transactions > 0", whole_sample()).launches(), 1u);
  EXPECT_THAT(refusal("launch:3 gld_transactions > 0", whole_sample()),
              HasSubstr("matches no launch | transpose has 2 launches, counted from 1"));
}

TEST(Check, WhatMatchesNothingIsAnError) {
  const record::Profile profile = whole_sample();
  EXPECT_THAT(refusal("kernel:transpos gld_efficiency > 1", profile),
              HasSubstr("matches no kernel | launched: transpose"));
  EXPECT_THAT(refusal("line:'a \"b\".cu:99' gld_transactions > 1", profile), HasSubstr("matches no line"));
  EXPECT_THAT(refusal("kernel:reduce gst_efficiency > 1", profile), HasSubstr("has no value in any launch"));
  EXPECT_THAT(refusal("gld_transactions <= baseline", profile), HasSubstr("needs a baseline"));
  EXPECT_THAT(refusal("launch__registers_per_thread <= 40", profile), HasSubstr("no compiler reported it"));
  record::Profile uncounted = profile;
  for (auto& launch : uncounted.launches) launch.counted = false;
  EXPECT_THAT(refusal("gld_transactions > 1", uncounted), HasSubstr("no counted launch"));
}

TEST(Check, ALaunchThatFailedOrHasNoTimeMeetsNothing) {
  const Outcome failed = only("kernel:reduce gld_transactions == 32", sample());
  EXPECT_FALSE(failed.holds());
  EXPECT_THAT(failed.findings.back().problem, HasSubstr("illegal address"));
  record::Profile timed = report::timed_profile("a.cu");
  timed.launches.pop_back();
  const Outcome time = only("modelled:time_us <= 20", timed);
  ASSERT_EQ(time.findings.size(), 2u);
  EXPECT_TRUE(time.findings[0].holds);
  EXPECT_THAT(time.findings[0].launches, ::testing::ElementsAre(1, 2));
  EXPECT_THAT(time.findings[1].problem, HasSubstr("it would take too long to model"));
  EXPECT_FALSE(only("kernel:transpose modelled:time <= 19.9 us", timed).holds());
}

TEST(Check, ComparesWithTheSameLaunchOfTheBaseline) {
  const record::Profile before = whole_sample();
  record::Profile now = before;
  EXPECT_TRUE(only("gld_transactions == baseline", now, &before).holds());
  now.launches[1].counts.accesses[0].units = 8192 * 4 * 103 / 100;
  const Outcome worse = only("kernel:transpose gld_transactions <= baseline + 2%", now, &before);
  ASSERT_EQ(worse.findings.size(), 2u);
  EXPECT_TRUE(worse.findings[0].holds);
  EXPECT_FALSE(worse.findings[1].holds);
  EXPECT_EQ(worse.findings[1].baseline, 8192 * 4);
  EXPECT_TRUE(only("gld_transactions <= baseline + 3%", now, &before).holds());
  now.launches.push_back(now.launches[0]);
  EXPECT_THAT(only("kernel:transpose gld_transactions > baseline - 3", now, &before).findings.back().problem,
              HasSubstr("only 2 launches"));
}

TEST(Contract, HasExpectationsOfEverythingOfKernelsAndOfLines) {
  const auto contract = parse_contract(R"(
baseline = "main.dwprof"
expect = "gld_efficiency >= 50"
[[kernel]]
name = "transpose*"
launch = "1-2"
title = "no conflicts"
expect = ["excessive_shared_wavefronts == 0", "gst_efficiency == 100"]
[[line]]
at = "a.cu:5"
kernel = "transpose*"
launch = 2
expect = "shared_wavefronts_excess == 0"
)",
                                       "ci/gates.toml");
  ASSERT_TRUE(contract.ok()) << contract.problem().to_string();
  EXPECT_EQ(contract->baseline, "ci/main.dwprof");
  std::vector<std::string> texts;
  for (const Expectation& e : contract->expectations) texts.push_back(e.full_text());
  EXPECT_THAT(texts, ::testing::UnorderedElementsAre(
                         "gld_efficiency >= 50", "kernel:transpose* launch:1-2 excessive_shared_wavefronts == 0",
                         "kernel:transpose* launch:1-2 gst_efficiency == 100",
                         "kernel:transpose* launch:2 line:a.cu:5 shared_wavefronts_excess == 0"));
}

TEST(Contract, ProblemsHaveAPlace) {
  for (const auto& [text, message, place] : std::vector<std::tuple<const char*, const char*, const char*>>{
           {"", "expects nothing", "c.toml"},
           {"expect = [", "", "c.toml:1:"},
           {"expect = [\"gld_efficiency >= 9\",\n  \"gld_eff >= 9\"]", "no metric 'gld_eff'", "c.toml:2:4"},
           {"expect = 3", "must be a text", "c.toml:1:10"},
           {"expects = 'x'", "has no 'expects'", "c.toml:1:11"},
           {"baseline = 1\nexpect = 'gld_transactions == 1'", "'baseline' must be a text", "c.toml:1:12"},
           {"[[kernel]]\nexpect = 'gld_transactions == 1'", "needs 'name'", "c.toml:1:"},
           {"[[kernel]]\nname = 'a'", "expects nothing", "c.toml:1:"},
           {"[[line]]\nat = 'a.cu'\nexpect = 'gld_transactions == 1'", "no line of a file", "c.toml:2:6"},
           {"[[kernel]]\nname = 'a'\nlaunch = 0\nexpect = 'gld_transactions == 1'", "number of a launch",
            "c.toml:3:10"},
           {"[[kernel]]\nname = 'a'\nlaunch = [1]\nexpect = 'gld_transactions == 1'", "number of a launch",
            "c.toml:3:"},
           {"kernel = 'a'", "must be tables", "c.toml:1:"}}) {
    const auto contract = parse_contract(text, "c.toml");
    ASSERT_FALSE(contract.ok()) << text;
    EXPECT_THAT(contract.problem().message, HasSubstr(message)) << text;
    EXPECT_THAT(contract.problem().location.to_string(), ::testing::StartsWith(place)) << text;
  }
}

std::vector<Outcome> outcomes() {
  auto all = checked({"gld_efficiency >= 50", "kernel:transpose excessive_shared_wavefronts == 0"}, whole_sample());
  EXPECT_TRUE(all.ok());
  return all.ok() ? *all : std::vector<Outcome>{};
}

TEST(Writers, Text) {
  std::ostringstream out;
  write_text(out, outcomes());
  EXPECT_EQ(out.str(), R"(Expectations: 1 of 2 hold
  holds   gld_efficiency >= 50  (3 launches)
  BROKEN  kernel:transpose excessive_shared_wavefronts == 0
    transpose(float const*, float*, int), launch 1 (grid 1024, block 32x32)
      excessive_shared_wavefronts is 1015808 wavefronts, expected == 0 wavefronts
      /src/a "b".cu:7: 1015808 wavefronts
    transpose(float const*, float*, int), launch 2 (grid 256, block 32x32)
      excessive_shared_wavefronts is 253952 wavefronts, expected == 0 wavefronts
      /src/a "b".cu:7: 253952 wavefronts
)");
}

TEST(Writers, JUnitHasACaseForEachExpectationAndKernel) {
  std::ostringstream out;
  write_junit(out, outcomes(), "./app <1>");
  EXPECT_THAT(out.str(), HasSubstr("<testsuite name=\"drywarp: ./app &lt;1&gt;\" tests=\"3\" failures=\"1\""));
  EXPECT_THAT(out.str(), HasSubstr("<testcase classname=\"reduce(int*, int)\" name=\"gld_efficiency &gt;= 50\"/>"));
  EXPECT_THAT(out.str(), HasSubstr("<failure message=\"excessive_shared_wavefronts is 1015808 wavefronts"));
}

TEST(Writers, SarifNamesTheLineBelowTheRoot) {
  std::ostringstream out;
  write_sarif(out, outcomes(), "0.1.0", "/src");
  const auto log = nlohmann::json::parse(out.str());
  EXPECT_EQ(log["version"], "2.1.0");
  const auto& run = log["runs"][0];
  EXPECT_EQ(run["tool"]["driver"]["rules"].size(), 2u);
  ASSERT_EQ(run["results"].size(), 2u);
  const auto& result = run["results"][0];
  EXPECT_EQ(result["ruleId"], run["tool"]["driver"]["rules"][size_t(result["ruleIndex"])]["id"]);
  const auto& place = result["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "a%20%22b%22.cu");
  EXPECT_EQ(place["region"]["startLine"], 7);
}

// What the schema of SARIF 2.1.0 requires of the objects that we write, and the properties that it allows them.
void expect_sarif(const nlohmann::json& log) {
  const auto has_only = [](const nlohmann::json& object, std::vector<std::string> allowed) {
    ASSERT_TRUE(object.is_object()) << object;
    for (const auto& [key, value] : object.items()) EXPECT_THAT(allowed, ::testing::Contains(key)) << object;
  };
  const auto has_text = [&](const nlohmann::json& message) {
    has_only(message, {"text"});
    EXPECT_TRUE(message.at("text").is_string());
  };
  const auto is_location = [&](const nlohmann::json& location) {
    has_only(location, {"physicalLocation", "message"});
    if (location.contains("message")) has_text(location["message"]);
    const auto& physical = location.at("physicalLocation");
    has_only(physical, {"artifactLocation", "region"});
    has_only(physical.at("artifactLocation"), {"uri"});
    const auto uri = physical.at("artifactLocation").at("uri").get<std::string>();
    EXPECT_FALSE(uri.empty());
    EXPECT_EQ(uri.find_first_of(" \"<>\\^`{|}\n"), std::string::npos) << uri;
    has_only(physical.at("region"), {"startLine", "snippet"});
    EXPECT_GE(physical.at("region").at("startLine").get<int64_t>(), 1);
    if (physical["region"].contains("snippet")) has_text(physical["region"]["snippet"]);
  };
  has_only(log, {"$schema", "version", "runs"});
  EXPECT_EQ(log.at("version"), "2.1.0");
  ASSERT_EQ(log.at("runs").size(), 1u);
  const auto& run = log["runs"][0];
  has_only(run, {"tool", "results"});
  has_only(run.at("tool"), {"driver"});
  const auto& driver = run["tool"]["driver"];
  has_only(driver, {"name", "version", "rules"});
  EXPECT_EQ(driver.at("name"), "drywarp");
  std::set<std::string> ids;
  for (const auto& rule : driver.at("rules")) {
    has_only(rule, {"id", "shortDescription", "fullDescription"});
    has_text(rule.at("shortDescription")), has_text(rule.at("fullDescription"));
    EXPECT_TRUE(ids.insert(rule.at("id")).second) << "two rules " << rule["id"];
  }
  ASSERT_TRUE(run.at("results").is_array());  // also of nothing: null means that the tool did not run
  for (const auto& result : run["results"]) {
    has_only(result, {"ruleId", "ruleIndex", "level", "message", "locations", "relatedLocations"});
    has_text(result.at("message"));
    EXPECT_THAT((std::set<std::string>{"none", "note", "warning", "error"}), ::testing::Contains(result.at("level")));
    EXPECT_EQ(driver["rules"].at(result.at("ruleIndex").get<size_t>()).at("id"), result.at("ruleId"));
    for (const auto& location : result.at("locations")) is_location(location);
    if (result.contains("relatedLocations"))
      for (const auto& location : result["relatedLocations"]) is_location(location);
  }
}

std::string sarif_of(std::span<const Outcome> all) {
  std::ostringstream out;
  write_sarif(out, all, "0.1.0", "/src");
  return out.str();
}

// What the schema could trip over: a place without a line, three lines, texts with every odd byte, a rule twice.
std::vector<Outcome> odd_outcomes() {
  std::vector<Outcome> all = outcomes();
  Outcome& o = all.back();
  o.findings[0].places = {
      {"/elsewhere/100% of, a: b\r\n.cu", 3, 1.0, "\xff\t\"x\""}, {"/src/b.cu", 9, {}, {}}, {"/src/c.cu", 0, {}, {}}};
  o.findings[1].places = {{"", 0, {}, {}}};
  o.expectation.title = "50% less,\r\nsays: me";
  all.push_back(o);
  return all;
}

TEST(Writers, SarifKeepsToItsSchema) {
  expect_sarif(nlohmann::json::parse(sarif_of(outcomes())));
  expect_sarif(nlohmann::json::parse(sarif_of({})));
  const auto odd = nlohmann::json::parse(sarif_of(odd_outcomes()));
  expect_sarif(odd);
  EXPECT_EQ(odd["runs"][0]["results"][0]["locations"].size(), 1u);
  EXPECT_EQ(odd["runs"][0]["results"][0]["relatedLocations"].size(), 1u);
  EXPECT_TRUE(odd["runs"][0]["results"][1]["locations"].empty());
}

// A line break ends a workflow command; a comma or a colon ends a property. A percent sign begins an escape.
TEST(Writers, GithubEscapesWhatSeparates) {
  std::ostringstream out;
  write_github(out, odd_outcomes(), "/src");
  const std::string text = out.str();
  EXPECT_THAT(text, ::testing::StartsWith("::error file=/elsewhere/100%25 of%2C a%3A b%0D%0A.cu,line=3,"
                                          "title=50%25 less%2C%0D%0Asays%3A me::transpose(float const*, float*, int), "
                                          "launch 1: excessive_shared_wavefronts is "));
  EXPECT_THAT(text, HasSubstr("\n::error title=50%25"));  // no line is known
  EXPECT_EQ(std::ranges::count(text, '\n'), 4);
  EXPECT_EQ(text.find('\r'), std::string::npos);
  Outcome failed = outcomes().back();
  failed.findings.resize(1);
  failed.findings[0].problem = "100%\r\n::error::injected";
  std::ostringstream message;
  write_github(message, std::span(&failed, 1), "/src");
  EXPECT_THAT(message.str(), ::testing::EndsWith("100%25%0D%0A::error::injected\n"));
}

TEST(Writers, GithubAnnotatesTheLine) {
  std::ostringstream out;
  write_github(out, outcomes(), "/src");
  EXPECT_THAT(out.str(),
              HasSubstr("::error file=a \"b\".cu,line=7,title=kernel%3Atranspose excessive_shared_wavefronts "
                        "== 0::transpose(float const*, float*, int), launch 1: excessive"));
}

TEST(Writers, OnlyFilesBelowTheRootAreRelative) {
  EXPECT_EQ(results::relative_to("/a/b/c.cu", "/a"), "b/c.cu");
  EXPECT_EQ(results::relative_to("/ab/c.cu", "/a"), "/ab/c.cu");
  EXPECT_EQ(results::relative_to("./c.cu", "/a"), "c.cu");
}

TEST(Check, DivergentBarriersOfAKernelAndOfALine) {
  record::Profile profile = whole_sample();
  EXPECT_TRUE(only("divergent_barriers == 0", profile).holds());
  profile.launches[0].counts.barrier_notes = {{BarrierNote::Kind::DivergentWarp, 0, 6, {0, 0, 0}, 0, 16, 16}};
  EXPECT_FALSE(only("kernel:transpose* divergent_barriers == 0", profile).holds());
  EXPECT_TRUE(only("kernel:reduce* divergent_barriers == 0", profile).holds());
  EXPECT_FALSE(only("line:'a \"b\".cu:6' divergent_barriers == 0", profile).holds());
  EXPECT_TRUE(only("line:'a \"b\".cu:7' divergent_barriers == 0", profile).holds());
  const auto outcomes = checked({"divergent_barriers == 0"}, profile);
  ASSERT_TRUE(outcomes.ok());
  std::ostringstream out;
  write_sarif(out, *outcomes, "0.1.0", "/src");
  const auto result = nlohmann::json::parse(out.str())["runs"][0]["results"][0];
  EXPECT_THAT(result["message"]["text"].get<std::string>(),
              HasSubstr("divergent_barriers is 6 barriers, expected == 0 barriers"));
  EXPECT_EQ(result["locations"][0]["physicalLocation"]["region"]["startLine"], 6);
}

}  // namespace
}  // namespace drywarp::gates
