// --cubin and --ptxas-info: a kernel's resources as a real compiler reported them, instead of estimates.
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

// Fails if a file cannot be read or has neither format.
Result<fatbin::CompiledTable> read_compiled(const CompiledOptions& options);
// Passes the files to the program's session.
void pass_compiled(ChildRequest& request, const CompiledOptions& options);

}  // namespace drywarp::cli
