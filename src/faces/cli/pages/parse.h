// The part of reading a command line that every subcommand shares.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Validators.hpp>
#include <cstdint>
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

// Checks of numbers that name what is allowed: CLI11's have every limit in a message, and let NaN and -1 pass.
CLI::Validator not_negative();  // a finite number of 0 or more
CLI::Validator positive();      // ... above 0
CLI::Validator percentage();    // ... above 0, at most 100
CLI::Validator whole_number(uint64_t least);

}  // namespace drywarp::cli
