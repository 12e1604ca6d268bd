#include "faces/cli/options/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

namespace drywarp::cli {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Arguments : public testing::Test {
 protected:
  Arguments() {
    app_.add_option("--metrics", text_);
    app_.add_option("--output", text_);
    app_.add_flag("--no-counters", flag_);
    app_.add_flag("--time{all}", text_)->check(CLI::IsMember({"auto", "all", "off"}));
  }
  SplitArguments split(const std::vector<std::string>& words) {
    Result<SplitArguments> result = split_arguments(app_, words);
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.problem().to_string());
    return result.ok() ? *result : SplitArguments();
  }
  std::string problem(const std::vector<std::string>& words) {
    Result<SplitArguments> result = split_arguments(app_, words);
    return result.ok() ? "" : result.problem().message;
  }

  CLI::App app_{"", "profile"};
  std::string text_;
  bool flag_ = false;
};

TEST_F(Arguments, SourcesTakeOptionsOnBothSides) {
  SplitArguments got = split(
      {"--metrics", "gld_*", "-Iinc", "app.cu", "-lm", "util.cpp", "--no-counters", "-o=x", "--", "-x", "--metrics"});
  EXPECT_THAT(got.own, ElementsAre("--metrics", "gld_*", "--no-counters"));
  EXPECT_THAT(got.compiler, ElementsAre("-Iinc", "app.cu", "-lm", "util.cpp", "-o=x"));
  EXPECT_THAT(got.arguments, ElementsAre("-x", "--metrics"));
  EXPECT_EQ(got.program, "");
}

TEST_F(Arguments, ArgumentsAfterAProgramAreThePrograms) {
  SplitArguments got = split({"--metrics=a,b", "./app", "--metrics", "x", "-v", "--", "y"});
  EXPECT_THAT(got.own, ElementsAre("--metrics=a,b"));
  EXPECT_EQ(got.program, "./app");
  EXPECT_THAT(got.arguments, ElementsAre("--metrics", "x", "-v", "--", "y"));
  EXPECT_THAT(split({"./app", "--", "-v"}).arguments, ElementsAre("-v"));
}

TEST_F(Arguments, OptionsFollowAPtxFile) {
  SplitArguments got = split({"k.ptx", "--metrics", "all"});
  EXPECT_EQ(got.program, "k.ptx");
  EXPECT_THAT(got.own, ElementsAre("--metrics", "all"));
  EXPECT_THAT(got.arguments, IsEmpty());
}

TEST_F(Arguments, CompilerOptionsKeepTheirValues) {
  EXPECT_THAT(split({"-I", "include", "-gencode", "arch=compute_90,code=sm_90", "a.cu"}).compiler,
              ElementsAre("-I", "include", "-gencode", "arch=compute_90,code=sm_90", "a.cu"));
}

TEST_F(Arguments, AFlagTakesTheNextWordIfItIsAValidValue) {
  for (const auto& [words, own, text] :
       {std::tuple{std::vector<std::string>{"--time", "off", "app.cu"}, "--time=off", "off"},
        {{"--time=auto", "app.cu"}, "--time=auto", "auto"},
        {{"--time", "app.cu"}, "--time", "all"}}) {
    SplitArguments got = split(words);
    EXPECT_THAT(got.own, ElementsAre(own));
    EXPECT_THAT(got.compiler, ElementsAre("app.cu"));
    app_.parse(got.own);
    EXPECT_EQ(text_, text);
    app_.clear();
  }
  EXPECT_EQ(split({"--time", "./off"}).program, "./off");
}

// nvcc's options before a program are errors. The hint has drywarp's option if another profiler's was meant.
TEST_F(Arguments, CompilerOptionsAreForSources) {
  const auto told = [&](const std::vector<std::string>& words) {
    Result<SplitArguments> result = split_arguments(app_, words);
    return result.ok() ? "" : result.problem().to_string();
  };
  EXPECT_THAT(
      told({"-o", "x", "./app"}),
      AllOf(HasSubstr("'-o' is an nvcc option for sources, and './app' is not a source"), HasSubstr("--output FILE")));
  app_.add_option("--launch-count", text_);
  EXPECT_THAT(
      told({"-c", "1", "./app"}),
      AllOf(HasSubstr("'-c' is an nvcc option for sources, and '1' is not a source"), HasSubstr("--launch-count N")));
  EXPECT_THAT(told({"a.cu", "-c", "1"}), HasSubstr("--launch-count N"));
  EXPECT_THAT(told({"-O2", "./app"}), AllOf(HasSubstr("'-O2' is an nvcc option"), HasSubstr("profile --help")));
  EXPECT_THAT(told({"a.cu", "-O2", "7"}), HasSubstr("after --"));
  EXPECT_THAT(told({"--log-file", "x", "./app"}), HasSubstr("drywarp's is --output FILE"));
  EXPECT_THAT(told({"--kernel-name", "x", "./app"}),
              HasSubstr("`drywarp profile --help`"));  // this table has no --kernel
  EXPECT_THAT(told({"--metrixs", "a.cu"}), HasSubstr("did you mean --metrics?"));
  // What another command is for.
  EXPECT_THAT(told({"--print-gpu-trace", "a.cu"}), HasSubstr("`drywarp nvprof` takes nvprof's options"));
  EXPECT_THAT(told({"--set=full", "a.cu"}), HasSubstr("`drywarp ncu` takes Nsight Compute's options"));
  EXPECT_THAT(told({"--list-chips"}), HasSubstr("`drywarp devices` lists the GPUs"));
}

TEST_F(Arguments, AfterItsLanguageAnyFileIsASource) {
  EXPECT_THAT(split({"-x", "cu", "plain.txt", "--", "1"}).compiler, ElementsAre("-x", "cu", "plain.txt"));
}

TEST_F(Arguments, UnknownWordsAreErrors) {
  EXPECT_THAT(problem({"--metrixs", "a.cu"}), HasSubstr("--metrixs"));
  EXPECT_THAT(problem({"a.cu", "8192"}), HasSubstr("8192"));
}

}  // namespace
}  // namespace drywarp::cli
