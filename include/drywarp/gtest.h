// GoogleTest assertions about the kernels of a CUDA program, without a GPU:
//
//   TEST(Transpose, WritesWholeSectors) {
//     DRYWARP_EXPECT("./app 1024", "kernel:transpose* gst_efficiency >= 90");
//   }
//
// The program is a command as drywarp profile takes it: a program that was built, or "app.cu -- 1024". The macro runs
// `drywarp profile --expect`, so an expectation has the same form and meaning as on the command line (docs/gates.md). The
// drywarp that runs is the environment variable DRYWARP, else the one that CMake found, else the one on PATH.
#pragma once

#include <gtest/gtest.h>
#include <stdio.h>
#include <sys/wait.h>

#include <cstdlib>
#include <string>

#ifndef DRYWARP_EXECUTABLE
#define DRYWARP_EXECUTABLE "drywarp"
#endif

namespace drywarp {

inline std::string quoted_for_shell(const std::string& word) {
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// Success, or the verdict that `drywarp profile` printed.
inline ::testing::AssertionResult meets(const std::string& program, const std::string& expectation) {
  const char* chosen = std::getenv("DRYWARP");
  const std::string drywarp = chosen != nullptr && *chosen != '\0' ? chosen : DRYWARP_EXECUTABLE;
  const std::string command = quoted_for_shell(drywarp) + " profile --output /dev/null --expect " +
                              quoted_for_shell(expectation) + " " + program + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return ::testing::AssertionFailure() << "cannot run " << command;
  std::string output;
  char piece[4096];
  for (size_t n = 0; (n = fread(piece, 1, sizeof piece, pipe)) > 0;) output.append(piece, n);
  const int status = pclose(pipe);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return ::testing::AssertionSuccess();
  ::testing::AssertionResult failure = ::testing::AssertionFailure();
  failure << program << ": " << expectation << '\n' << output;
  if (WIFEXITED(status))
    failure << "(exit code " << WEXITSTATUS(status) << ")";
  else
    failure << "(signal " << WTERMSIG(status) << ")";
  return failure;
}

}  // namespace drywarp

#define DRYWARP_EXPECT(program, expectation) EXPECT_TRUE(::drywarp::meets(program, expectation))
#define DRYWARP_ASSERT(program, expectation) ASSERT_TRUE(::drywarp::meets(program, expectation))
