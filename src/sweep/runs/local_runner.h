// Rows on this machine, some at a time.
#pragma once

#include <deque>

#include "sweep/runs/row_process.h"

namespace drywarp::sweep {

class LocalRunner final : public Runner {
 public:
  // As RowProcesses has them; `jobs` rows at a time.
  LocalRunner(std::vector<std::string> command, std::string folder, Limits limits, unsigned jobs)
      : jobs_(jobs), processes_(std::move(command), std::move(folder), limits) {}

  Status start(std::vector<RowRequest> rows) override {
    waiting_.assign(std::make_move_iterator(rows.begin()), std::make_move_iterator(rows.end()));
    return {};
  }

  Result<std::vector<RowResult>> ended() override {
    for (; !waiting_.empty() && processes_.running() < jobs_; waiting_.pop_front())
      if (Status status = processes_.start(waiting_.front()); !status) return status.problem();
    return processes_.ended();
  }

  [[nodiscard]] bool idle() const override { return waiting_.empty() && processes_.running() == 0; }

 private:
  unsigned jobs_;
  std::deque<RowRequest> waiting_;
  RowProcesses processes_;
};

}  // namespace drywarp::sweep
