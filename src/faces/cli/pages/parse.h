// The part of reading a command line that every subcommand shares.
#pragma once

#include <CLI/App.hpp>
#include <optional>

#include "faces/cli/options/arguments.h"
#include "faces/cli/options/command.h"

namespace drywarp::cli {

struct ParsedWords {
  SplitArguments split;
  std::optional<int> exit_code;  // set: help was printed, or an error
};

ParsedWords parse_words(CLI::App& app, const Words& words);

// CLI11 alone, for subcommands without a compiler or a program behind; a code when it is all over.
std::optional<int> parse_own(CLI::App& app, Words words);

}  // namespace drywarp::cli
