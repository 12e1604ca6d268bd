// The only place that prints diagnostics.
#pragma once

#include <string>

#include "base/support/result.h"

namespace drywarp::cli {

// "drywarp: error: ..." on standard error; returns `code`, for `return fail(...)`.
int fail(const Diagnostic& problem, int code);
void warn(const std::string& text);
void say(const std::string& text);  // to standard error, as it is

bool errors_on_terminal();

// Whether a stream is a terminal that shows colours, and nobody asked for none (NO_COLOR).
bool takes_colour(int stream);

}  // namespace drywarp::cli
