// `drywarp explain access app.cu:LINE`.
#pragma once

#include "faces/cli/options/command.h"

namespace drywarp::cli {

// Whether the arguments of `explain access` name a source line, and so a program to run.
bool names_source(const Words& words);

}  // namespace drywarp::cli
