// Expected outputs in files: DRYWARP_ACCEPT=1 in the environment writes the actual output as the new expectation.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace drywarp {

// `path` is from the root of the source tree.
inline void expect_golden(const std::string& path, const std::string& actual) {
  const std::filesystem::path file = std::filesystem::path(DRYWARP_SOURCE_DIR) / path;
  if (std::getenv("DRYWARP_ACCEPT") != nullptr) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << actual;
    return;
  }
  std::ifstream in(file);
  ASSERT_TRUE(in.good()) << path << " is missing; run with DRYWARP_ACCEPT=1 to make it";
  std::stringstream expected;
  expected << in.rdbuf();
  EXPECT_EQ(actual, expected.str()) << "differs from " << path << "; run with DRYWARP_ACCEPT=1 if that is right";
}

}  // namespace drywarp
