// --cubin and --ptxas-info: what a real compiler said of the program's kernels, in the place of estimates.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "cuda/fatbin/compiled_kernels.h"
#include "faces/cli/targets/child.h"

namespace drywarp::cli {

struct CompiledOptions {
  std::vector<std::string> cubins, ptxas_infos;
};
void add_compiled_options(CLI::App& app, CompiledOptions& options);

// Errors: a file that cannot be read or is neither.
Result<fatbin::CompiledTable> read_compiled(const CompiledOptions& options);
// Hands the files on to the program's session.
void pass_compiled(ChildRequest& request, const CompiledOptions& options);

}  // namespace drywarp::cli
