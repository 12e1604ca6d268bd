#include "faces/grade/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "faces/grade/output.h"
#include "faces/grade/writers.h"
#include "profile/report/sample_profile.h"

namespace drywarp::grade {
namespace {

using ::testing::HasSubstr;

// One check, worth three points: `keys` say what it looks at.
Exercise exercise(const std::string& keys) {
  auto e = parse_exercise(
      "title = \"T\"\nsolution = \"s.cu\"\n[[check]]\npoints = 3\nsays = \"S\"\nhint = \"H\"\n" + keys, "e.toml");
  EXPECT_TRUE(e.ok()) << e.problem().to_string();
  return *e;
}

// A transpose with bank conflicts in line 7, and a reduction whose second launch failed.
Attempt ran(const std::string& output = "", const std::string& source = "/none.cu") {
  Attempt a;
  a.output = output, a.profile = report::sample_profile(source);
  return a;
}

Verdict verdict(const std::string& keys, const Attempt& a, const Attempt* solution = nullptr) {
  return judge(exercise(keys), a, solution).verdicts.at(0);
}
std::string text(const std::string& keys, const Attempt& a) {
  const Exercise e = exercise(keys);
  std::ostringstream out;
  write_text(out, e, judge(e, a, nullptr));
  return out.str();
}

TEST(Output, IsShownSafely) {
  EXPECT_EQ(shown("a\tb\n"), "\"a\\x09b\\n\"");
  EXPECT_EQ(shown("über \xf0\x9f\x98\x80"), "\"über \xf0\x9f\x98\x80\"");
  EXPECT_EQ(shown("\xff\xc3"), "\"\\xff\\xc3\"");
  EXPECT_EQ(shown("\xc0\xaf\xed\xa0\x80"), "\"\\xc0\\xaf\\xed\\xa0\\x80\"");  // too long a form; a surrogate
  EXPECT_EQ(shown(std::string(100, 'x')), '"' + std::string(60, 'x') + "\"...");
}

TEST(Output, DiffersByLines) {
  EXPECT_FALSE(first_difference("a\nb\n", "a  \r\nb\n\n"));
  EXPECT_FALSE(first_difference("", "\n"));
  const auto changed = first_difference("a\nb", "a\nc");
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->line, 2);
  EXPECT_EQ(*changed->expected + *changed->found, "bc");
  EXPECT_FALSE(first_difference("a\nb", "a")->found);
  EXPECT_FALSE(first_difference("a", "a\nb")->expected);
}

TEST(Output, MatchesLineByLine) {
  EXPECT_TRUE(some_line_matches("x\nsum 12\n", "^sum [0-9]+$"));
  EXPECT_FALSE(some_line_matches("x\nsum\n12\n", "sum [0-9]+"));
  EXPECT_FALSE(some_line_matches(std::string(10 << 20, 'x'), "(x|y)*z"));  // std::regex would need the stack for it
}

TEST(Judge, LooksAtTheExitCode) {
  Attempt a = ran();
  EXPECT_TRUE(verdict("exit = 0", a).passed);
  a.exit_code = 2;
  EXPECT_EQ(verdict("exit = 0", a).found, "exit code 2");
  a.exit_code = 134, a.signal = 6;
  EXPECT_THAT(verdict("exit = 134", a).found, HasSubstr("signal 6"));
}

TEST(Judge, LooksAtTheOutput) {
  EXPECT_TRUE(verdict("output = \"sum 12\"", ran("sum 12\n")).passed);
  const Verdict wrong = verdict("output = \"sum 12\"", ran("sum 13\n"));
  EXPECT_EQ(wrong.expected, "line 1 of the output: \"sum 12\"");
  EXPECT_EQ(wrong.found, "\"sum 13\"");
  EXPECT_TRUE(verdict("output_contains = \"m 1\"", ran("sum 12\n")).passed);
  EXPECT_EQ(verdict("output_contains = \"m 1\"", ran()).found, "no output");
  EXPECT_TRUE(verdict("output_matches = \"^s.*2$\"", ran("sum 12\n")).passed);
  EXPECT_FALSE(verdict("output_matches = \"^s.*3$\"", ran("sum 12\n")).passed);
  Attempt endless = ran("sum 12\n");
  endless.output_cut = true;
  EXPECT_THAT(verdict("output = \"sum 12\"", endless).found, HasSubstr("more than 7 bytes"));
}

TEST(Judge, ComparesWithTheSolution) {
  const Attempt solution = ran("1\n2\n");
  EXPECT_TRUE(verdict("output_as_solution = true", ran("1\n2\n"), &solution).passed);
  EXPECT_EQ(verdict("output_as_solution = true", ran("1\n"), &solution).found, "the end of the output");
  const std::string same = "expect = \"kernel:transpose* gld_transactions <= baseline\"";
  EXPECT_TRUE(verdict(same, ran(), &solution).passed);
  Attempt worse = ran();
  worse.profile.launches[0].counts.accesses[0].units *= 2;
  EXPECT_THAT(verdict(same, worse, &solution).expected, HasSubstr("(the solution: 131072 sectors)"));
}

TEST(Judge, HoldsCountsOfKernels) {
  EXPECT_TRUE(verdict("expect = \"kernel:transpose* gld_efficiency == 100\"", ran()).passed);
  const Verdict wrong = verdict("kernel = \"transpose*\"\nexpect = \"excessive_shared_wavefronts == 0\"", ran());
  EXPECT_EQ(wrong.expected, "excessive_shared_wavefronts == 0 wavefronts");
  EXPECT_EQ(wrong.found, "1015808 wavefronts in transpose(float const*, float*, int), launch 1");
  ASSERT_FALSE(wrong.lines.empty());
  EXPECT_EQ(wrong.lines[0].number, 7);
  EXPECT_EQ(wrong.lines[0].value, "1015808 wavefronts");
  // What matches nothing, or failed, earns nothing.
  EXPECT_THAT(verdict("expect = \"kernel:transpos gld_efficiency > 1\"", ran()).found,
              HasSubstr("launched: transpose"));
  EXPECT_THAT(verdict("expect = \"kernel:reduce* gld_efficiency > 1\"", ran()).found, HasSubstr("illegal address"));
  EXPECT_THAT(verdict("expect = \"gld_efficiency > 1\"", Attempt{}).found, HasSubstr("launched none"));
}

TEST(Judge, NeedsAKernel) {
  EXPECT_TRUE(verdict("launches = \"transpose\"", ran()).passed);
  EXPECT_THAT(verdict("launches = \"reduce\"", ran()).found, HasSubstr("illegal address"));
  const Verdict none = verdict("launches = \"tiled*\"", ran());
  EXPECT_EQ(none.expected, "a launch of a kernel 'tiled*'");
  EXPECT_THAT(none.found, HasSubstr("matches no kernel"));
}

TEST(Judge, FindsALineByItsText) {
  const std::string source = std::filesystem::temp_directory_path() / "drywarp_judge_test.cu";
  std::ofstream(source) << "1\n2\n3\n4\nload  // in\n6\ntake  // out\ntwice\ntwice\n";
  const Attempt a = ran("", source);
  const auto on = [](const std::string& line) {
    return "kernel = \"transpose*\"\nline_with = \"" + line + "\"\nexpect = \"gst_transactions_per_request == 5\"";
  };
  const Verdict out = verdict(on("// out"), a);
  EXPECT_THAT(out.found, HasSubstr("4 sectors/request"));
  ASSERT_FALSE(out.lines.empty());
  EXPECT_EQ(out.lines[0].number, 7);
  EXPECT_THAT(verdict(on("// in"), a).found, HasSubstr("no value"));  // it stores nothing to global memory
  EXPECT_THAT(verdict(on("// gone"), a).found, HasSubstr("no line of the kernels' files contains \"// gone\""));
  EXPECT_THAT(verdict(on("twice"), a).found, HasSubstr("lines 8 and 9 both contain"));
  std::filesystem::remove(source);
}

TEST(Score, HasNoPointsForAProgramThatDoesNotEnd) {
  Attempt a = ran("sum 12\n");
  a.timed_out = true;
  EXPECT_EQ(judge(exercise("output = \"sum 12\""), a, nullptr).points, 0);
  EXPECT_THAT(text("output = \"sum 12\"", a), HasSubstr("The program ran longer than 60 seconds and was killed."));
  a = {}, a.compiled = false;
  EXPECT_EQ(judge(exercise("exit = 0"), a, nullptr).points, 0);
  EXPECT_THAT(text("exit = 0", a), HasSubstr("The program does not compile."));
}

TEST(Score, IsWrittenAsText) {
  EXPECT_EQ(text("output = \"sum 12\"", ran("sum 12\n")), "T\n\n  passed  3 of 3  S\n\nScore: 3 of 3 points\n");
  EXPECT_EQ(text("output = \"sum 12\"", ran("\x1b[2J")),
            "T\n\n  FAILED  0 of 3  S\n"
            "      expected  line 1 of the output: \"sum 12\"\n"
            "      found     \"\\x1b[2J\"\n"
            "      hint      H\n\nScore: 0 of 3 points\n");
  Attempt crashed = ran("sum 12\n");
  crashed.signal = 11;
  EXPECT_THAT(text("output = \"sum 12\"", crashed), HasSubstr("The program crashed: it was killed by signal 11"));
  EXPECT_THAT(text("output = \"sum 12\"", crashed), HasSubstr("Score: 3 of 3 points"));
}

TEST(Score, IsWrittenAsJson) {
  const Exercise e = exercise("kernel = \"transpose*\"\nexpect = \"excessive_shared_wavefronts == 0\"");
  std::ostringstream out;
  write_json(out, e, judge(e, ran("", "/\xff.cu"), nullptr), "a.cu");  // no UTF-8
  const auto json = nlohmann::json::parse(out.str());
  EXPECT_EQ(json["points"], 0);
  EXPECT_EQ(json["of"], 3);
  EXPECT_EQ(json["program"], "a.cu");
  EXPECT_EQ(json["checks"][0]["kind"], "expect");
  EXPECT_EQ(json["checks"][0]["passed"], false);
  EXPECT_EQ(json["checks"][0]["lines"][0]["line"], 7);
  EXPECT_EQ(json["checks"][0]["hint"], "H");
}

}  // namespace
}  // namespace drywarp::grade
