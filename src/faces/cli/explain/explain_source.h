// `drywarp explain access app.cu:LINE`.
#pragma once

#include "faces/cli/options/command.h"

namespace drywarp::cli {

// Whether the arguments of `explain access` name a source line, so that a program is run.
bool names_source(const Words& words);

}  // namespace drywarp::cli
