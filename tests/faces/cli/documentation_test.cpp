#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <sstream>

#include "faces/cli/pages/command_page.h"
#include "faces/compile/nvcc_options/option_table.h"
#include "faces/compile/nvcc_options/process.h"

namespace drywarp::cli {
namespace {

constexpr const char *kBegin = "<!-- generated: ", *kEnd = "<!-- end -->\n";

std::map<std::string, std::string> generated_texts() {
  std::map<std::string, std::string> texts = {{"exit codes", rows_markdown(exit_code_rows(), "code")},
                                              {"environment", rows_markdown(environment_rows(), "variable")}};
  for (const CommandPage& page : all_pages()) texts["options of " + page.name] = options_markdown(page);
  return texts;
}

// DRYWARP_ACCEPT=1 rewrites the page.
TEST(Documentation, HasTheCommandsTables) {
  const std::string path = DRYWARP_SOURCE_DIR "/docs/cli.md";
  const Result<std::string> page = compile::read_file(path);
  ASSERT_TRUE(page.ok());
  std::map<std::string, std::string> texts = generated_texts();
  std::string wanted;
  size_t done = 0;
  for (size_t mark = 0; (mark = page->find(kBegin, done)) != std::string::npos;) {
    const size_t name = mark + std::string(kBegin).size(), close = page->find(" -->\n", name);
    const size_t end = page->find(kEnd, close);
    ASSERT_NE(end, std::string::npos);
    const auto text = texts.extract(page->substr(name, close - name));
    ASSERT_FALSE(text.empty()) << page->substr(mark, close - mark);
    wanted += page->substr(done, close + 5 - done) + '\n' + text.mapped();
    done = end;
  }
  for (const auto& [name, text] : texts) ADD_FAILURE() << "docs/cli.md has no place for the " << name;
  wanted += page->substr(done);
  if (std::getenv("DRYWARP_ACCEPT")) ASSERT_TRUE(compile::write_file(path, wanted).ok());
  EXPECT_EQ(*compile::read_file(path), wanted);
}

TEST(Documentation, HelpFitsATerminal) {
  for (const CommandPage& page : all_pages()) {
    std::istringstream lines(help_text(page));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << page.name << ": " << line;
  }
}

TEST(Documentation, NvccsPageNamesEveryOption) {
  const std::string help = help_text(nvcc_page()), markdown = options_markdown(nvcc_page());
  for (const compile::Option& option : compile::option_table()) {
    EXPECT_THAT(help, testing::HasSubstr(option.name));
    EXPECT_THAT(markdown, testing::HasSubstr(option.name));
  }
}

TEST(Documentation, AnOptionHasAValueKind) {
  PageOption time{{"--time"}, "auto|all", true, false, "models times", ""};
  EXPECT_EQ(time.spelling(), "--time[=auto|all]");
  EXPECT_THAT(time.choices(), testing::ElementsAre("auto", "all"));
  EXPECT_EQ((PageOption{{"-o", "--output"}, "FILE", false, false, "", ""}.spelling()), "-o, --output FILE");
  EXPECT_EQ((PageOption{{"--ascii"}, "", false, false, "", ""}.spelling()), "--ascii");
  EXPECT_EQ((PageOption{{}, "DEVICE", false, false, "", ""}.spelling()), "DEVICE");
}

TEST(Documentation, ManualPagesEscapeWhatTroffReads) {
  CommandPage page{
      "odd", "it's -x", {".odd"}, {{true, {".TH \\n", "'b"}}}, {}, {{{"-a"}, "", false, false, ".b `c|d`", ""}}};
  const std::string text = manual_page(page);
  for (const char* expected : {"\\&.odd\n", "\\&.TH \\en\n", "\\(aqb\n", "it\\(aqs \\-x", "\\&.b \\fBc|d\\fR\n"})
    EXPECT_THAT(text, testing::HasSubstr(expected));
}

}  // namespace
}  // namespace drywarp::cli
