// Rows as elements of Slurm array jobs.
//
// A job's script and the results of its rows lie in a folder beside the sweep's file. A driver that is killed leaves
// its jobs running; the next one finds their scripts there, takes their results, and waits for the rest.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>

#include "sweep/cluster/array_script.h"
#include "sweep/cluster/slurm.h"

namespace drywarp::sweep {

struct SlurmOptions {
  ArrayJob job;
  std::string folder;   // here: scripts and results; exists
  std::string scratch;  // here, for the rest
  // A shell command that brings results from nodes without a shared file system into the folder; empty: none is needed.
  // It sees DRYWARP_NODES, DRYWARP_RESULTS (on them) and DRYWARP_FOLDER (here).
  std::string fetch;
  unsigned tries = 3;  // of a row whose job ends without a result
};

class SlurmRunner final : public Runner {
 public:
  explicit SlurmRunner(SlurmOptions options);
  ~SlurmRunner() override;  // cancels what has not ended
  Status start(std::vector<RowRequest> rows) override;
  Result<std::vector<RowResult>> ended() override;
  [[nodiscard]] bool idle() const override { return waiting_.empty(); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Waiting {
    Request request;
    unsigned tries = 0;  // jobs that ended without its result
  };
  struct Job {
    std::string number;
    std::vector<size_t> rows;                // ascending
    std::optional<Clock::time_point> ended;  // none: it waits or runs, as far as is known
  };

  Status adopt_jobs(Stage stage);
  Status submit();
  Status submit_job(const std::vector<RowRequest>& rows);
  void take_results(std::vector<RowResult>& results);
  Status look_at_jobs(std::vector<RowResult>& results);
  Status ask_about_jobs();
  Status give_up(const Job& job, std::vector<RowResult>& results);
  void fetch(const Job& job);
  [[nodiscard]] std::string log_of(const Job& job, size_t row) const;
  [[nodiscard]] bool waits_for(const Job& job) const;
  [[nodiscard]] std::string script_of(const std::string& job) const { return options_.folder + "/" + job + ".sh"; }

  SlurmOptions options_;
  Slurm slurm_;
  size_t most_elements_ = 0;
  std::map<size_t, Waiting> waiting_;  // rows without a result
  std::set<size_t> unsubmitted_;       // those of them that no job has
  std::vector<Job> jobs_;
  std::vector<std::string> taken_;  // result files that the sweep has by now
  Clock::time_point looked_{}, answered_{}, fetched_{}, refused_{}, list_again_{};
};

}  // namespace drywarp::sweep
