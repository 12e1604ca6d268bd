#include "profile/checks/suppressions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "profile/checks/report.h"
#include "profile/report/golden.h"

namespace drywarp::checks {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<Suppression> comments(const std::string& source) {
  auto parsed = parse_comments(source, "a.cu");
  EXPECT_TRUE(parsed.ok()) << parsed.problem().to_string();
  return parsed ? *parsed : std::vector<Suppression>();
}
std::string wrong_comment(const std::string& source) {
  auto parsed = parse_comments(source, "a.cu");
  EXPECT_FALSE(parsed.ok()) << source;
  return parsed ? "" : parsed.problem().to_string();
}

Finding finding(FindingKind kind, const std::string& kernel, const CodeLine& where) {
  Finding f;
  f.kind = kind, f.kernel = kernel, f.where = where;
  f.what = "what happened";
  f.thread = ThreadPlace{{1, 0, 0}, {3, 0, 0}};
  return f;
}
Finding race() {
  Finding f = finding(FindingKind::ReadWrite, "void demo::sum<4>(int*)", {"/src/app/sum.cu", 12, 40, "st.shared"});
  f.other =
      OtherAccess{"read of shared memory", {"/src/app/sum.cu", 14, 44, "ld.shared"}, ThreadPlace{{1, 0, 0}, {4, 0, 0}}};
  return f;
}
Finding leak() {
  Finding f;
  f.kind = FindingKind::Leak;
  f.what = "a device allocation of 8 bytes is never freed";
  f.allocation = FoundAllocation{1, 8, "a device allocation", "/src/app/main.cu:7 in main"};
  return f;
}

// Whether it takes the finding out.
bool takes(const Suppression& s, const Finding& f) {
  CheckReport report;
  report.tools = {CheckTool::Memcheck, CheckTool::Racecheck, CheckTool::Initcheck, CheckTool::Synccheck,
                  CheckTool::Leakcheck};
  report.findings = {f};
  SourceLines lines;
  suppress(report, std::vector{s}, lines);
  EXPECT_EQ(report.unused.size(), report.findings.size());
  return report.findings.empty();
}

TEST(Comments, AreAboutTheirLineOrTheNextWithCode) {
  const auto all = comments(
      "int a;  // drywarp: allow read-write one\n"
      "// drywarp: allow racecheck,leak two words\n"
      "\n"
      "/* drywarp: allow all three */\n"
      "// another comment\n"
      "int b; /* drywarp: allow same-value four */ int c;\n");
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].line, 1u);
  EXPECT_EQ(all[0].where.column, 9u);
  EXPECT_EQ(all[1].line, 6u);
  EXPECT_EQ(all[1].reason, "two words");
  EXPECT_THAT(all[1].tools, ElementsAre(CheckTool::Racecheck));
  EXPECT_THAT(all[1].kinds, ElementsAre(FindingKind::Leak));
  EXPECT_EQ(all[2].line, 6u);
  EXPECT_TRUE(all[2].kinds.empty() && all[2].tools.empty());
  EXPECT_EQ(all[3].line, 6u);
}

TEST(Comments, AreNotInStrings) {
  EXPECT_TRUE(comments("auto s = \"// drywarp: allow nonsense\"; char c = '\"'; // \"\n").empty());
  EXPECT_TRUE(comments("auto s = R\"x(\n// drywarp: allow nonsense\n)x\";\n").empty());
  EXPECT_TRUE(comments("auto s = \"\\\"// drywarp: allow nonsense\";\n").empty());
  EXPECT_EQ(comments("int n = 1'000'000; // drywarp: allow leak why\n").size(), 1u);
  EXPECT_EQ(comments("// drywarp: allow leak why").size(), 1u);  // no newline at the end
}

TEST(Comments, SayWhatIsWrongAndWhere) {
  EXPECT_THAT(wrong_comment("\n  // drywarp: allow read-wrte why\n"),
              HasSubstr("a.cu:2:3: error: there is no kind of finding or tool 'read-wrte'"));
  EXPECT_THAT(wrong_comment("// drywarp: allow read-write\n"), HasSubstr("gives no reason"));
  EXPECT_THAT(wrong_comment("// drywarp: allow\n"), HasSubstr("does not say which kind"));
  EXPECT_THAT(wrong_comment("// drywarp: alow leak why\n"), HasSubstr("knows no comment 'alow'"));
}

TEST(Suppressions, MatchByKindToolKernelAndFile) {
  Suppression s;
  s.kinds = {FindingKind::ReadWrite};
  EXPECT_TRUE(takes(s, race()));
  EXPECT_FALSE(takes(s, leak()));
  s.kinds.clear(), s.tools = {CheckTool::Racecheck};
  EXPECT_TRUE(takes(s, race()));
  s.tools.clear(), s.kernel = "sum";
  EXPECT_TRUE(takes(s, race()));
  s.kernel = "void demo::sum<*";
  EXPECT_TRUE(takes(s, race()));
  s.kernel = "su";
  EXPECT_FALSE(takes(s, race()));
  s.kernel.clear(), s.file = "app/*.cu";
  EXPECT_TRUE(takes(s, race()));
  s.file = "um.cu";
  EXPECT_FALSE(takes(s, race()));
}

TEST(Suppressions, MatchEitherLineOfARaceAndTheCallOfALeak) {
  Suppression s;
  s.file = "sum.cu", s.line = 12;
  EXPECT_TRUE(takes(s, race()));
  s.line = 14;
  EXPECT_TRUE(takes(s, race()));
  s.line = 13;
  EXPECT_FALSE(takes(s, race()));
  s.file = "main.cu", s.line = 7;
  EXPECT_TRUE(takes(s, leak()));
  s.line = 0, s.text = "its text";
  EXPECT_FALSE(takes(s, leak())) << "there is no such file";
}

TEST(Suppressions, OfToolsThatDidNotLookAreNotUnused) {
  CheckReport report;
  report.tools = {CheckTool::Racecheck};
  Suppression race, leak;
  race.kinds = {FindingKind::ReadWrite}, leak.kinds = {FindingKind::Leak};
  SourceLines lines;
  suppress(report, std::vector{race, leak}, lines);
  ASSERT_EQ(report.unused.size(), 1u);
  EXPECT_EQ(report.unused[0].kinds, race.kinds);
}

TEST(Suppressions, AreWrittenAsTheyAreRead) {
  CheckReport report;
  report.root = "/src";
  report.findings = {race(), leak(), finding(FindingKind::OutOfBounds, "k(\"a\\b\")", {})};
  SourceLines lines;
  std::ostringstream text;
  Suppression kept;
  kept.tools = {CheckTool::Memcheck, CheckTool::Initcheck}, kept.file = "x/*", kept.reason = "kept";
  write_suppressions(text, std::vector{kept}, report, lines);
  const auto read = parse_suppressions(text.str(), "s.toml");
  ASSERT_TRUE(read.ok()) << text.str() << read.problem().to_string();
  ASSERT_EQ(read->size(), 4u);
  EXPECT_EQ((*read)[0].tools, kept.tools);
  EXPECT_EQ((*read)[0].reason, "kept");
  EXPECT_EQ((*read)[1].file, "app/sum.cu");
  EXPECT_EQ((*read)[1].line, 12u) << "the file cannot be read: there is no text";
  for (size_t i = 0; i < report.findings.size(); ++i) EXPECT_TRUE(takes((*read)[i + 1], report.findings[i])) << i;
}

// ---- the formats of a report, with what is suppressed

CheckReport sample_report() {
  CheckReport report;
  report.program = "./app", report.version = "1.2.3", report.root = "/src";
  report.tools = {CheckTool::Memcheck, CheckTool::Racecheck};
  report.launches.checked = 2;
  Finding past =
      finding(FindingKind::OutOfBounds, "past(int*)", {"/src/app/past.cu", 3, 9, "st.global.u32 [%rd1], 1;"});
  past.bytes = 4, past.address = 256, past.times = 64;
  past.allocation = FoundAllocation{2, 256, "a device allocation", "/src/app/past.cu:9 in main"};
  past.launched = {{"run(int*)", "/src/app/past.cu", 14}, {"plugin", "", 0}, {"main", "/src/app/main.cu", 5}};
  Finding note = finding(FindingKind::SameValue, "sum(int*)", {"/src/app/sum.cu", 2, 8, "st.shared"});
  report.findings = {past, note};
  Suppression comment, file;
  comment.in_source = true, comment.reason = "as meant", comment.where = {"/src/app/sum.cu", 12, 3};
  file.reason = "an older <tool> needs it", file.where = {"/src/drywarp-suppressions.toml", 4, 1};
  report.suppressed = {{race(), comment}, {finding(FindingKind::Misaligned, "m()", {}), file}};
  report.unused = {file};
  return report;
}

// The log without the rules, which every kind of finding adds to; the results have theirs.
std::string without_rules(const std::string& sarif) {
  auto log = nlohmann::ordered_json::parse(sarif);
  auto& run = log["runs"][0];
  auto& rules = run["tool"]["driver"]["rules"];
  for (auto& result : run["results"]) {
    EXPECT_EQ(rules.at(result["ruleIndex"].get<size_t>())["id"], result["ruleId"]);
    result.erase("ruleIndex");
  }
  rules.clear();
  return log.dump(2) + '\n';
}

TEST(CheckReport, HasWhatIsSuppressedInEveryFormat) {
  for (const CheckFormat& format : check_formats()) {
    CheckReport report = sample_report();
    std::ostringstream out;
    format.write(out, report);
    if (format.terminal) {
      report.lists_suppressed = true;
      out << "---- with what is suppressed\n";
      format.write(out, report);
    }
    const std::string name = format.name;
    expect_golden("tests/golden/report/checks." + name, name == "sarif" ? without_rules(out.str()) : out.str());
  }
}

}  // namespace
}  // namespace drywarp::checks
