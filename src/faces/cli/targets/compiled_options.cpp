#include "faces/cli/targets/compiled_options.h"
#include "cuda/launch/options.h"

#include <CLI/CLI.hpp>
#include <filesystem>

namespace drywarp::cli {
namespace {

std::vector<std::string> files(const CompiledOptions& options) {
  std::vector<std::string> all = options.cubins;
  all.insert(all.end(), options.ptxas_infos.begin(), options.ptxas_infos.end());
  return all;
}

}  // namespace

void add_compiled_options(CLI::App& app, CompiledOptions& options) {
  app.add_option("--cubin", options.cubins, "take registers, shared and local memory from this machine code")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("--ptxas-info", options.ptxas_infos, "take them from the output of `ptxas -v` or `nvcc -Xptxas -v`")
      ->type_name("FILE")
      ->allow_extra_args(false);
}

Result<fatbin::CompiledTable> read_compiled(const CompiledOptions& options) {
  fatbin::CompiledTable table;
  for (const std::string& path : files(options))
    if (Status status = table.add_file(path); !status) return status.problem();
  return table;
}

void pass_compiled(ChildRequest& request, const CompiledOptions& options) {
  std::string paths;
  for (const std::string& path : files(options)) {
    std::error_code code;
    // Absolute, since the program may change its folder before the session reads the files.
    const std::string whole = std::filesystem::absolute(path, code).string();
    paths += (paths.empty() ? "" : ":") + (code ? path : whole);
  }
  if (!paths.empty()) request.environment.emplace_back(cuda::variable::compiled, paths);
}

}  // namespace drywarp::cli
