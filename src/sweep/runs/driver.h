// Runs a sweep: the rounds of its search, row by row; results are kept as they come.
#pragma once

#include <functional>
#include <string>

#include "sweep/runs/runner.h"
#include "sweep/store/sweep_file.h"

namespace drywarp::sweep {

struct SweepProgress {
  Stage stage{};
  size_t done = 0, total = 0;  // rows of this stage; those that were there before count as done
  size_t run = 0;              // in this process, in this stage
  double seconds = 0;          // since this stage began
  const Row* best = nullptr;   // by the last stage's score; null: none yet
};

struct Driving {
  std::function<void(const SweepProgress&)> progress;  // after each row, and every few milliseconds
  std::function<void(const Row&)> ended;               // a row has new results
  std::function<bool()> stop;                          // true: no more rows; those that run are killed
};

// Runs what `sweep` lacks, and completes it. False: it was stopped. A row whose run failed is a row; errors are those
// of the file and of the runner. `workers`: threads of a row; 0: one a core.
Result<bool> drive(Sweep& sweep, SweepFile& file, Runner& runner, unsigned workers, const Driving& told);

}  // namespace drywarp::sweep
