#include "sweep/runs/driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>

#include "base/support/readable.h"
#include "base/support/whole_file.h"
#include "sweep/plan/search.h"

namespace drywarp::sweep {
namespace {

using Clock = std::chrono::steady_clock;

// The last lines of what a run said.
std::string last_words(const std::string& log) {
  constexpr size_t kMost = 400;
  std::string text = read_whole(log).value_or("");
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (text.size() > kMost) text = text.substr(text.size() - kMost);
  return text;
}

// The first line that says "error", as compilers and drywarp write it; else the last words.
std::string first_error(const std::string& log) {
  const std::string text = read_whole(log).value_or("");
  const size_t at = text.find("error:");
  if (at == std::string::npos) return last_words(log);
  const size_t begin = text.rfind('\n', at) + 1;  // npos + 1 is 0
  return text.substr(begin, text.find('\n', at) - begin);
}

Measurement without_result(const Ended& end, const Limits& limits, Stage stage, const std::string& log) {
  Measurement m;
  m.stage = stage, m.host_seconds = end.seconds;
  if (end.timed_out) {
    m.outcome = Outcome::TimedOut;
    m.reason = fmt::format("it ran longer than {} s", limits.seconds);
  } else if (end.over_memory) {
    m.outcome = Outcome::OutOfMemory;
    m.reason = fmt::format("it used more than {}", readable_bytes(static_cast<double>(limits.bytes)));
  } else {
    m.reason = end.signal != 0 ? fmt::format("signal {} ended drywarp", end.signal)
                               : fmt::format("drywarp ended with exit code {}", end.exit_code);
    if (const std::string said = last_words(log); !said.empty()) m.reason += ": " + said;
  }
  return m;
}

class Driver {
 public:
  Driver(Sweep& sweep, SweepFile& file, const DriverOptions& options, const Driving& told)
      : sweep_(sweep), file_(file), options_(options), told_(told) {}

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
    std::vector<size_t> missing;
    for (const size_t row : rows)
      if (!has(sweep_.rows[row], stage)) missing.push_back(row);
    progress_ = {stage, rows.size() - missing.size(), rows.size(), 0, 0, nullptr};
    for (const size_t row : rows) consider(sweep_.rows[row]);
    const Clock::time_point begin = Clock::now();
    Pool pool(options_.limits);
    for (size_t next = 0; next < missing.size() || pool.running() != 0;) {
      if (told_.stop && told_.stop()) return false;
      while (next < missing.size() && pool.running() < options_.jobs)
        if (Status status = start(pool, missing[next++], stage); !status) return status.problem();
      for (const Ended& end : pool.ended()) {
        if (Status status = take(end, stage); !status) return status.problem();
        ++progress_.done, ++progress_.run;
      }
      progress_.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
      if (told_.progress) told_.progress(progress_);
    }
    return true;
  }

  [[nodiscard]] std::string file_of(size_t row, const char* suffix) const {
    return fmt::format("{}/{}.{}", options_.folder, sweep_.rows[row].number, suffix);
  }

  Status start(Pool& pool, size_t row, Stage stage) {
    Request request = request_for(sweep_.description.program, sweep_.description.space, sweep_.rows[row].configuration);
    request.stage = stage;
    request.workers = options_.workers;
    if (!write_whole(file_of(row, "request"), text(to_json(request))))
      return error(fmt::format("cannot write '{}': {}", file_of(row, "request"), std::strerror(errno)));
    std::error_code ignored;
    std::filesystem::remove(file_of(row, "result"), ignored);
    std::vector<std::string> arguments = options_.command;
    arguments.insert(arguments.end(), {"--request", file_of(row, "request"), "--result", file_of(row, "result")});
    return pool.start(row, arguments, file_of(row, "log"));
  }

  Status take(const Ended& end, Stage stage) {
    Row& row = sweep_.rows[end.row];
    const auto result = read_whole(file_of(end.row, "result"));
    auto parsed = result && end.signal == 0 ? parse_measurement(*result, file_of(end.row, "result"))
                                            : Result<Measurement>(error("there is no result"));
    row.measurement =
        parsed ? std::move(*parsed) : without_result(end, options_.limits, stage, file_of(end.row, "log"));
    row.measurement->host_seconds = end.seconds;
    if (row.measurement->outcome != Outcome::Ok && row.measurement->reason.empty())
      row.measurement->reason = first_error(file_of(end.row, "log"));
    consider(row);
    if (told_.ended) told_.ended(row);
    std::error_code ignored;
    for (const char* suffix : {"request", "result", "log"}) std::filesystem::remove(file_of(end.row, suffix), ignored);
    return file_.keep(row);
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
  const DriverOptions& options_;
  const Driving& told_;
  SweepProgress progress_;
};

}  // namespace

Result<bool> drive(Sweep& sweep, SweepFile& file, const DriverOptions& options, const Driving& told) {
  return Driver(sweep, file, options, told).run();
}

}  // namespace drywarp::sweep
