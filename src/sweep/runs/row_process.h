// A row as a process of its own, `drywarp measure`: its files in a folder, and what its end says.
#pragma once

#include <string>
#include <vector>

#include "sweep/runs/pool.h"
#include "sweep/runs/runner.h"

namespace drywarp::sweep {

// The end of what a run said, at most 400 bytes; empty: nothing.
[[nodiscard]] std::string last_words(const std::string& log);

class RowProcesses {
 public:
  // `command` starts a run, before "--request FILE --result FILE": {"/usr/bin/drywarp", "measure"}. `folder` exists.
  RowProcesses(std::vector<std::string> command, std::string folder, Limits limits)
      : command_(std::move(command)), folder_(std::move(folder)), limits_(limits), pool_(limits) {}

  Status start(const RowRequest& row);
  [[nodiscard]] size_t running() const { return pool_.running(); }
  // Waits a few milliseconds for one.
  [[nodiscard]] std::vector<RowResult> ended();

 private:
  [[nodiscard]] std::string file_of(size_t row, const char* suffix) const;

  std::vector<std::string> command_;
  std::string folder_;
  Limits limits_;
  std::vector<std::pair<size_t, Stage>> stages_;  // of the rows that run
  Pool pool_;
};

}  // namespace drywarp::sweep
