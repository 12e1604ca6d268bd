// Slurm's commands: sbatch, squeue, scancel. https://slurm.schedmd.com/sbatch.html
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/support/result.h"

namespace drywarp::sweep {

class Slurm {
 public:
  explicit Slurm(std::string scratch) : scratch_(std::move(scratch)) {}  // a folder for what the commands print

  // The number of the job. Fails with what sbatch says.
  Result<std::string> submit(const std::string& script);
  // Those of `jobs` that have an element that waits or runs, in one question. Elements that only a person could release
  // are cancelled once they are all that is left of a job. Fails where the controller does not answer, as while it
  // restarts.
  Result<std::set<std::string>> active(const std::vector<std::string>& jobs);
  // Those that have run an element lately; empty: not known.
  std::vector<std::string> nodes_of(const std::string& job);
  void cancel(const std::string& job);
  // The elements that an array may have.
  size_t most_elements();

 private:
  struct Said {
    int exit_code = 0;
    std::string text;
  };
  Said run(std::vector<std::string> words);

  std::string scratch_;
};

}  // namespace drywarp::sweep
