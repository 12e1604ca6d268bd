// Command line parsing that the subcommands share.
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

// Parses drywarp's options only, for subcommands that take neither sources nor a program. An exit code: help was
// printed, or an error.
std::optional<int> parse_own(CLI::App& app, Words words);

// Validators of numbers. CLI11's let NaN and -1 pass, and their messages list every limit of the type.
CLI::Validator not_negative();  // finite, at least 0
CLI::Validator positive();      // finite, above 0
CLI::Validator percentage();    // above 0, at most 100
CLI::Validator integer(uint64_t least);

}  // namespace drywarp::cli
