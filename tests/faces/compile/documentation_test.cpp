#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "faces/compile/nvcc_options/option_table.h"
#include "faces/compile/nvcc_options/process.h"

namespace drywarp::frontend {
namespace {

constexpr const char* kMark =
    "<!-- generated from src/faces/compile/nvcc_options/option_table.cpp: see CONTRIBUTING.md -->\n";

// DRYWARP_ACCEPT=1 rewrites the page.
TEST(Documentation, ListsTheTableOfOptions) {
  const std::string path = DRYWARP_SOURCE_DIR "/docs/cli.md";
  Result<std::string> page = read_file(path);
  ASSERT_TRUE(page.ok());
  size_t mark = page->find(kMark);
  ASSERT_NE(mark, std::string::npos);
  std::string wanted = page->substr(0, mark) + kMark + "\n" + options_markdown();
  if (std::getenv("DRYWARP_ACCEPT")) ASSERT_TRUE(write_file(path, wanted).ok());
  EXPECT_EQ(*read_file(path), wanted);
}

}  // namespace
}  // namespace drywarp::frontend
