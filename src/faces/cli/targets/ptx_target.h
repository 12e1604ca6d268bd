// `drywarp profile k.ptx`: the options that replace the program that would launch the kernel.
#pragma once

#include <string>
#include <vector>

#include "faces/cli/targets/target.h"

namespace drywarp::cli {

struct PtxOptions {
  std::string entry, grid, block;
  uint32_t shared = 0;
  std::vector<std::string> arguments;
  unsigned dump = 0;
  [[nodiscard]] bool given() const {
    return !entry.empty() || !grid.empty() || !block.empty() || shared != 0 || !arguments.empty() || dump != 0;
  }
};

void add_ptx_options(CLI::App& app, PtxOptions& options);
std::variant<Target, TargetError> prepare_ptx_target(const SplitArguments& split, const PtxOptions& options,
                                                     const RunOptions& run_options);

}  // namespace drywarp::cli
