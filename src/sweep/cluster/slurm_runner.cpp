#include "sweep/cluster/slurm_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <thread>

#include "base/support/plural.h"
#include "base/support/whole_file.h"
#include "sweep/runs/row_process.h"

namespace drywarp::sweep {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr size_t kScriptBytes = 3 << 20;  // Slurm's max_script_size is 4 MiB
constexpr auto kLookInterval = 1s;        // between questions to the controller
constexpr auto kFetchInterval = 10s;
constexpr auto kRefusedInterval = 10s;  // before a job that the controller has no room for is tried again
constexpr auto kGrace = 3s;             // for a result to appear in a shared folder when its job has ended
constexpr auto kSilence = 600s;         // of a controller, before the sweep ends

}  // namespace

SlurmRunner::SlurmRunner(SlurmOptions options) : options_(std::move(options)), slurm_(options_.scratch) {}

SlurmRunner::~SlurmRunner() {
  std::error_code ignored;
  for (const Job& job : jobs_)
    if (waits_for(job)) {
      slurm_.cancel(job.number);
      fs::remove(script_of(job.number), ignored);  // nobody waits for it any more
    }
  for (const std::string& file : taken_) fs::remove(file, ignored);
}

bool SlurmRunner::waits_for(const Job& job) const {
  return std::ranges::any_of(job.rows, [&](size_t row) { return waiting_.contains(row); });
}

Status SlurmRunner::start(std::vector<RowRequest> rows) {
  if (most_elements_ == 0) most_elements_ = slurm_.most_elements();
  answered_ = Clock::now();
  if (rows.empty()) return {};
  const Stage stage = rows.front().request.stage;
  for (RowRequest& row : rows) {
    waiting_[row.row] = {std::move(row.request)};
    unsubmitted_.insert(row.row);
  }
  return adopt_jobs(stage);
}

// Jobs of a driver that was killed, by their scripts.
Status SlurmRunner::adopt_jobs(Stage stage) {
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(options_.folder, failed)) {
    const std::string path = entry.path().string(), number = entry.path().stem().string();
    const bool known = std::ranges::any_of(jobs_, [&](const Job& job) { return job.number == number; });
    const bool numbers = number.find_first_not_of("0123456789") == std::string::npos;
    if (entry.path().extension() != ".sh" || known || !numbers) continue;
    const auto script = read_whole(path);
    const auto rows = rows_of_script(script.value_or(""), 0, path);
    if (!rows) continue;
    Job job{number, {}, {}};
    if (rows->front().request.stage != stage) continue;
    for (const RowRequest& row : *rows) {
      job.rows.push_back(row.row);
      unsubmitted_.erase(row.row);
    }
    jobs_.push_back(std::move(job));
  }
  return failed ? error(fmt::format("cannot read '{}': {}", options_.folder, failed.message())) : Status{};
}

// As many jobs as the controller takes; the rest waits until others have ended.
Status SlurmRunner::submit() {
  if (unsubmitted_.empty() || Clock::now() - refused_ < kRefusedInterval) return {};
  std::vector<RowRequest> rows;
  for (const size_t row : unsubmitted_) rows.push_back({row, waiting_.at(row).request});
  for (size_t first = 0; first < rows.size();) {
    const size_t most =
        std::min(rows.size() - first, most_elements_ * std::max<size_t>(1, options_.job.rows_an_element));
    std::vector<RowRequest> part;
    size_t bytes = 0;
    for (; part.size() < most && (part.empty() || bytes < kScriptBytes); ++first) {
      part.push_back(rows[first]);
      bytes += text(to_json(rows[first].request)).size() + 32;
    }
    if (Status status = submit_job(part); !status) {
      refused_ = Clock::now();
      return jobs_.empty() ? status : Status{};
    }
  }
  return {};
}

Status SlurmRunner::submit_job(const std::vector<RowRequest>& rows) {
  const std::string script = options_.folder + "/next.sh";
  if (!write_whole(script, array_script(options_.job, rows)))
    return error(fmt::format("cannot write '{}': {}", script, std::strerror(errno)));
  auto number = slurm_.submit(script);
  if (!number) return number.problem();
  std::error_code failed;
  fs::rename(script, script_of(*number), failed);
  Job job{std::move(*number), {}, {}};
  for (const RowRequest& row : rows) job.rows.push_back(row.row), unsubmitted_.erase(row.row);
  jobs_.push_back(std::move(job));
  return {};
}

void SlurmRunner::take_results(std::vector<RowResult>& results) {
  const Clock::time_point begin = Clock::now();
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(options_.folder, failed)) {
    const std::string name = entry.path().filename().string();
    const auto row = row_of_result(name);
    const auto found = row ? waiting_.find(*row) : waiting_.end();
    if (found == waiting_.end() || result_name(*row, found->second.request.stage) != name) continue;
    auto measurement = parse_measurement(read_whole(entry.path().string()).value_or(""), name);
    if (!measurement) continue;  // a copy that is under way
    results.push_back({*row, std::move(*measurement)});
    taken_.push_back(entry.path().string());
    unsubmitted_.erase(*row);
    waiting_.erase(found);
  }
  // A folder of many files on a file system far away takes a tenth of this process' time at most.
  const Clock::time_point end = Clock::now();
  list_again_ = end + (end - begin) * 9;
}

void SlurmRunner::fetch(const Job& job) {
  if (options_.fetch.empty()) return;
  std::string nodes;
  for (const std::string& node : slurm_.nodes_of(job.number)) nodes += (nodes.empty() ? "" : " ") + node;
  Pool pool({300, 0});
  const std::vector<std::string> command = {"/usr/bin/env",
                                            "DRYWARP_NODES=" + nodes,
                                            "DRYWARP_RESULTS=" + options_.job.results,
                                            "DRYWARP_FOLDER=" + options_.folder,
                                            "/bin/sh",
                                            "-c",
                                            options_.fetch};
  if (!pool.start(0, command, options_.folder + "/fetch.log")) return;
  while (pool.ended().empty()) {
  }
}

// Elements have the job's rows in order.
std::string SlurmRunner::log_of(const Job& job, size_t row) const {
  const auto place = static_cast<size_t>(std::ranges::lower_bound(job.rows, row) - job.rows.begin());
  return fmt::format("{}/logs/{}_{}.log", options_.folder, job.number, place / options_.job.rows_an_element + 1);
}

// A job has ended, and results are missing.
Status SlurmRunner::give_up(const Job& job, std::vector<RowResult>& results) {
  if (options_.fetch.empty() && options_.job.results != options_.folder)
    return error(
        fmt::format("job {} has ended, and its results are in '{}' of its nodes", job.number, options_.job.results),
        fmt::format("copy them into '{}' and go on with --resume; to run what is missing again, remove {}",
                    options_.folder, script_of(job.number)));
  for (const size_t row : job.rows) {
    const auto found = waiting_.find(row);
    if (found == waiting_.end()) continue;
    if (++found->second.tries < options_.tries) {
      unsubmitted_.insert(row);
      continue;
    }
    Measurement lost;
    lost.stage = found->second.request.stage;
    lost.reason = fmt::format("Slurm ran it {}, without a result; the last job was {}, with its logs in {}",
                              plural(options_.tries, "time"), job.number, options_.job.results + "/logs");
    const std::string said = last_words(log_of(job, row));
    if (!said.empty()) lost.reason += ": " + said;
    results.push_back({row, std::move(lost)});
    waiting_.erase(found);
  }
  return {};
}

// Which of them have ended.
Status SlurmRunner::ask_about_jobs() {
  std::vector<std::string> numbers;
  for (const Job& job : jobs_)
    if (!job.ended) numbers.push_back(job.number);
  if (numbers.empty()) return {};
  const Clock::time_point now = Clock::now();
  const auto active = slurm_.active(numbers);
  if (!active) return now - answered_ > kSilence ? active.problem() : Status{};
  answered_ = now;
  for (Job& job : jobs_)
    if (!job.ended && !active->contains(job.number)) job.ended = now;
  return {};
}

Status SlurmRunner::look_at_jobs(std::vector<RowResult>& results) {
  const Clock::time_point now = Clock::now();
  if (now - looked_ < kLookInterval) return {};
  const bool fetching = !options_.fetch.empty() && now - fetched_ >= kFetchInterval;
  std::erase_if(jobs_, [&](const Job& job) { return !waits_for(job); });
  if (Status status = ask_about_jobs(); !status) return status;
  for (auto job = jobs_.begin(); job != jobs_.end();) {
    if (!job->ended || *job->ended >= now) {
      if (fetching || job->ended) fetch(*job);
    } else if (now - *job->ended > kGrace) {
      fetch(*job);
      take_results(results);
      if (Status status = give_up(*job, results); !status) return status;
      job = jobs_.erase(job);
      continue;
    }
    ++job;
  }
  if (fetching) fetched_ = Clock::now();
  looked_ = Clock::now();
  return {};
}

Result<std::vector<RowResult>> SlurmRunner::ended() {
  std::error_code ignored;
  for (const std::string& file : taken_) fs::remove(file, ignored);
  taken_.clear();
  std::vector<RowResult> results;
  if (Clock::now() >= list_again_) take_results(results);
  if (Status status = submit(); !status) return status.problem();
  if (Status status = look_at_jobs(results); !status) return status.problem();
  if (results.empty()) std::this_thread::sleep_for(100ms);
  return results;
}

}  // namespace drywarp::sweep
