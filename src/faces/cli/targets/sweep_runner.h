// Where the rows of `drywarp sweep` run: on this machine, or in a Slurm cluster.
#pragma once

#include <CLI/App.hpp>
#include <memory>
#include <string>

#include "sweep/runs/runner.h"
#include "sweep/store/sweep_file.h"

namespace drywarp::cli {

struct SweepRunOptions {
  unsigned jobs = 0;
  std::string memory;
  double limit = 0;
  // Slurm; `slurm` empty: this machine.
  std::string slurm, slurm_options, slurm_results, slurm_fetch;
  unsigned slurm_rows = 1;
  bool slurm_script = false;
};
void add_sweep_run_options(CLI::App& app, SweepRunOptions& options);

struct SweepRunner {
  std::unique_ptr<sweep::Runner> runner;
  unsigned workers = 0;  // threads of a row
};
// `file`: that of the sweep; `scratch`: a folder that lives as long as the runner.
Result<SweepRunner> sweep_runner(const SweepRunOptions& options, const std::string& file, const std::string& scratch);

// The script of the first round's job, with all rows of the sweep.
Result<std::string> slurm_script(const SweepRunOptions& options, const std::string& file,
                                 const sweep::Description& description);

// Scripts and results of an earlier sweep of that file, which is replaced.
void remove_slurm_files(const std::string& file);

}  // namespace drywarp::cli
