// The only place that prints diagnostics.
#pragma once

#include <unistd.h>

#include <string>

#include "base/support/progress.h"
#include "base/support/result.h"

namespace drywarp::cli {

// "drywarp: error: ..." on standard error; returns `code`, for `return fail(...)`.
int fail(const Diagnostic& problem, int code);
void warn(const std::string& text);
void say(const std::string& text);  // to standard error, as it is

bool errors_on_terminal();

// Whether a stream is a terminal that shows colours, and nobody asked for none (NO_COLOR).
bool takes_colour(int stream);

// What `work` gives. If it takes long, a terminal says meanwhile what is under way.
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
