// How far a sweep is: a bar on a terminal, or a JSON object a row on standard output.
#pragma once

#include <chrono>
#include <string>

#include "sweep/runs/driver.h"

namespace drywarp::cli {

// "[##........] 12/64 whole, 3.1 rows/s, 17 s left, best 12.3 us: BM=64", no longer than `columns`.
[[nodiscard]] std::string sweep_progress_text(const sweep::SweepProgress& progress, const sweep::Space& space,
                                              size_t columns);

class SweepProgressLine {
 public:
  explicit SweepProgressLine(const sweep::Space& space);
  ~SweepProgressLine();
  SweepProgressLine(const SweepProgressLine&) = delete;
  SweepProgressLine& operator=(const SweepProgressLine&) = delete;
  void show(const sweep::SweepProgress& progress);

 private:
  const sweep::Space& space_;
  bool terminal_ = false, shown_ = false;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace drywarp::cli
