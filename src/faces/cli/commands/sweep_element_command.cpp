// `drywarp sweep element`: what an element of a sweep's array job runs on its node.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <cstring>

#include "base/support/whole_file.h"
#include "faces/cli/options/command.h"
#include "faces/cli/options/console.h"
#include "faces/cli/pages/parse.h"
#include "faces/cli/targets/ptx_arguments.h"
#include "faces/compile/nvcc_options/process.h"
#include "sweep/cluster/element.h"

namespace drywarp::cli {
namespace {

struct ElementCommandOptions {
  std::string script, results, memory;
  double limit = 0;
  size_t element = 0;
};

void add_element_options(CLI::App& app, ElementCommandOptions& o) {
  app.add_option("script", o.script, "the job's script")->type_name("FILE")->required();
  app.add_option("--results", o.results, "a folder for the results")->type_name("FOLDER")->required();
  app.add_option("--limit", o.limit, "seconds that a row may take")->type_name("SECONDS")->check(not_negative());
  app.add_option("--memory", o.memory, "memory that a row may use")->type_name("BYTES");
  app.add_option("--element", o.element, "which one, from 1 (default: that of SLURM_ARRAY_TASK_ID)")->type_name("N");
}

size_t number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  return text ? std::strtoul(text, nullptr, 10) : 0;
}

int run_sweep_element(CLI::App& app, ElementCommandOptions& o, const Words& words) {
  if (const auto code = parse_own(app, words)) return *code;
  const size_t element = o.element != 0 ? o.element : number_in("SLURM_ARRAY_TASK_ID");
  if (element == 0) return fail(error("no element", "Slurm sets SLURM_ARRAY_TASK_ID; --element N names one"), kFailed);
  const auto memory = o.memory.empty() ? Result<uint64_t>(uint64_t{0}) : parse_size(o.memory);
  if (!memory) return fail(memory.problem(), kFailed);
  const auto script = read_whole(o.script);
  if (!script) return fail(error(fmt::format("cannot read '{}': {}", o.script, std::strerror(errno))), kFailed);
  auto rows = sweep::rows_of_script(*script, element, o.script);
  if (!rows) return fail(rows.problem(), kFailed);
  const auto scratch = compile::TemporaryFolder::create();
  if (!scratch) return fail(scratch.problem(), kFailed);
  const Status ran = sweep::run_element(std::move(*rows), {{compile::this_program(), "measure"},
                                                           scratch->path(),
                                                           o.results,
                                                           static_cast<unsigned>(number_in("SLURM_CPUS_PER_TASK")),
                                                           {o.limit, *memory}});
  return ran ? kSuccess : fail(ran.problem(), kFailed);
}

}  // namespace

Command sweep_element_command() {
  return make_command<ElementCommandOptions>(
      {"sweep element",
       "drywarp sweep element SCRIPT --results FOLDER\n\n"
       "Runs a part of a sweep, as the jobs of `drywarp sweep --slurm` call it: the rows of an element, one after the "
       "other. A row whose result is there is not run again.",
       ""},
      add_element_options, run_sweep_element);
}

}  // namespace drywarp::cli
