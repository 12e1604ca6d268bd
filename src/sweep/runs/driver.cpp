#include "sweep/runs/driver.h"

#include <algorithm>
#include <chrono>

#include "sweep/plan/search.h"

namespace drywarp::sweep {
namespace {

using Clock = std::chrono::steady_clock;

class Driver {
 public:
  Driver(Sweep& sweep, SweepFile& file, Runner& runner, unsigned workers, const Driving& told)
      : sweep_(sweep), file_(file), runner_(runner), workers_(workers), told_(told) {}

  Result<bool> run() {
    const std::vector<Stage> all = stages(sweep_.description.search);
    std::vector<size_t> left(sweep_.rows.size());
    for (size_t i = 0; i < left.size(); ++i) left[i] = i;
    for (size_t s = 0; s < all.size(); ++s) {
      const auto whole = run_stage(all[s], left);
      if (!whole || !*whole) return whole;
      if (s + 1 < all.size())
        if (Status status = decide(s, all[s], left); !status) return status.problem();
    }
    return true;
  }

 private:
  // A row that has been further needs no run of this stage.
  [[nodiscard]] bool has(const Row& row, Stage stage) const {
    return row.measurement && (row.measurement->outcome != Outcome::Ok || row.measurement->stage >= stage);
  }

  Result<bool> run_stage(Stage stage, const std::vector<size_t>& rows) {
    std::vector<RowRequest> missing;
    for (const size_t row : rows)
      if (!has(sweep_.rows[row], stage)) missing.push_back(request_of(row, stage));
    progress_ = {stage, rows.size() - missing.size(), rows.size(), 0, 0, nullptr};
    for (const size_t row : rows) consider(sweep_.rows[row]);
    const Clock::time_point begin = Clock::now();
    if (missing.empty()) return true;
    if (Status status = runner_.start(std::move(missing)); !status) return status.problem();
    while (!runner_.idle()) {
      if (told_.stop && told_.stop()) return false;
      auto ended = runner_.ended();
      if (!ended) return ended.problem();
      for (RowResult& result : *ended) {
        if (Status status = take(std::move(result)); !status) return status.problem();
        ++progress_.done, ++progress_.run;
      }
      progress_.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
      if (told_.progress) told_.progress(progress_);
    }
    return true;
  }

  [[nodiscard]] RowRequest request_of(size_t row, Stage stage) const {
    Request request = request_for(sweep_.description.program, sweep_.description.space, sweep_.rows[row].configuration);
    request.stage = stage;
    request.workers = workers_;
    return {row, std::move(request)};
  }

  Status take(RowResult result) {
    Row& row = sweep_.rows[result.row];
    row.measurement = std::move(result.measurement);
    consider(row);
    // Kept first: whoever hears of a row finds it in the file, even if this process is killed then.
    if (Status status = file_.keep(row); !status) return status;
    if (told_.ended) told_.ended(row);
    return {};
  }

  void consider(const Row& row) {
    if (!row.measurement || row.measurement->outcome != Outcome::Ok || !row.measurement->seconds) return;
    if (!progress_.best || *row.measurement->seconds < *progress_.best->measurement->seconds) progress_.best = &row;
  }

  // Decides who goes on. Rounds that were decided before stay so: later scores have replaced those that they ranked.
  Status decide(size_t round, Stage stage, std::vector<size_t>& left) {
    std::vector<Row*> dropped;
    if (round >= sweep_.decided_rounds) {
      std::vector<Contender> contenders;
      for (const size_t row : left)
        if (const auto found = score(*sweep_.rows[row].measurement, stage))
          contenders.push_back({row, group_of(sweep_.description, sweep_.rows[row].configuration), *found});
      for (Dropped& one : select(contenders, stage).dropped) {
        sweep_.rows[one.row].dropped = std::move(one.reason);
        dropped.push_back(&sweep_.rows[one.row]);
      }
      sweep_.decided_rounds = round + 1;
      if (Status status = file_.keep_decision(dropped, sweep_.decided_rounds); !status) return status;
    }
    std::erase_if(left, [&](size_t row) {
      const Row& r = sweep_.rows[row];
      return !r.dropped.empty() || !r.measurement || r.measurement->outcome != Outcome::Ok;
    });
    return {};
  }

  Sweep& sweep_;
  SweepFile& file_;
  Runner& runner_;
  unsigned workers_;
  const Driving& told_;
  SweepProgress progress_;
};

}  // namespace

Result<bool> drive(Sweep& sweep, SweepFile& file, Runner& runner, unsigned workers, const Driving& told) {
  return Driver(sweep, file, runner, workers, told).run();
}

}  // namespace drywarp::sweep
