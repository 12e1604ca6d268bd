// The only place that prints diagnostics, and drywarp's exit codes.
#pragma once

#include <unistd.h>

#include <string>

#include "base/support/progress.h"
#include "base/support/result.h"

namespace drywarp::cli {

// `run` and `profile` exit with the program's code if it ran. The codes for a program that did not run are those of
// env(1), which programs seldom use.
inline constexpr int kSuccess = 0;
inline constexpr int kBroken =
    123;  // `profile`: an expectation is broken; `grade`: points are missing; 124 is timeout(1)'s
inline constexpr int kFailed = 125;  // drywarp itself: wrong options, no compiler, compile errors, unreadable profile
inline constexpr int kCannotRun = 126;  // the program cannot run under drywarp: static runtime, no PTX, not CUDA
inline constexpr int kNotFound = 127;   // no such program
inline constexpr int kCompiler = 1;     // `drywarp nvcc`, like nvcc: 1 for wrong options, else the compiler's exit code

// "drywarp: error: ..." on standard error; returns `code`, for `return fail(...)`.
int fail(const Diagnostic& problem, int code);
void warn(const std::string& text);
void say(const std::string& text);  // to standard error, unchanged

// Whether the stream is a terminal with colours and NO_COLOR is not set.
bool takes_colour(int stream);

// Runs `work` and returns its result. After a second a terminal shows what is in progress.
template <class Work>
auto with_progress(const Progress& progress, Work work) {
  ProgressLine line(STDERR_FILENO);
  ReportProgress tell;
  if (ProgressLine::can_show(STDERR_FILENO)) tell = [&line](const Progress& now) { line.show(now); };
  auto result = [&] {
    const ProgressReporter reporter(tell, [&] { return progress; });
    return work();
  }();
  line.clear();
  return result;
}

}  // namespace drywarp::cli
