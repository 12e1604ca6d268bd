// What a command line of `drywarp sweep` asks for.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "faces/cli/options/arguments.h"
#include "sweep/space/description.h"

namespace drywarp::cli {

struct SweepSpaceOptions {
  std::string file;  // TOML; empty: none
  std::string devices, registers, carveout, search, verify, kernel;
  std::vector<std::string> options, what_if, constraints, per;
  uint64_t runs = 0, seed = 0;
};
void add_sweep_space_options(CLI::App& app, SweepSpaceOptions& options);

// The file's description with what the command line adds. Fails also for devices and changes that there are not.
Result<sweep::Description> sweep_description(const SweepSpaceOptions& options, const SplitArguments& split);

}  // namespace drywarp::cli
