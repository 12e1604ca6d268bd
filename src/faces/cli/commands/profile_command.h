// How `drywarp profile` runs a program, for commands that run a recorded profile's program again.
#pragma once

#include <optional>

#include "faces/cli/targets/counted_run.h"

namespace drywarp::cli {

struct CountedProgram {
  SplitArguments split;
  CountedOptions options;
};

// Of the words after "drywarp profile"; nothing if they are wrong, which has been printed.
std::optional<CountedProgram> counted_program(const Words& words);

}  // namespace drywarp::cli
