#include "sweep/cluster/slurm.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/support/whole_file.h"
#include "sweep/runs/pool.h"

namespace drywarp::sweep {
namespace {

// An element that a node could not start, or that was requeued too often, waits until a person releases it.
bool is_held_for_good(std::string_view reason) {
  constexpr std::string_view kReasons[] = {"launch failed requeued held", "launch_failed_requeued_held",
                                           "JobHoldMaxRequeue"};
  return std::ranges::find(kReasons, reason) != std::end(kReasons);
}

}  // namespace

Slurm::Said Slurm::run(std::vector<std::string> words) {
  words.insert(words.begin(), "/usr/bin/env");  // finds it in PATH
  const std::string log = scratch_ + "/slurm.log";
  Pool pool({60, 0});
  if (const Status status = pool.start(0, words, log); !status) return {127, status.problem().message};
  std::vector<Ended> ended;
  while (ended.empty()) ended = pool.ended();
  Said said{ended[0].signal != 0 ? 128 + ended[0].signal : ended[0].exit_code, read_whole(log).value_or("")};
  while (!said.text.empty() && said.text.back() == '\n') said.text.pop_back();
  return said;
}

Result<std::string> Slurm::submit(const std::string& script) {
  const Said said = run({"sbatch", "--parsable", script});
  if (said.exit_code != 0)
    return error(fmt::format("sbatch {}: {}", script, said.text.empty() ? "failed" : said.text),
                 said.exit_code == 127 ? "--slurm needs Slurm's commands on this machine" : "");
  const size_t line = said.text.rfind('\n') + 1;  // what sbatch warns of comes before
  return said.text.substr(line, said.text.find(';', line) - line);
}

Result<std::set<std::string>> Slurm::active(const std::vector<std::string>& jobs) {
  // %F is the number of the whole array, behind which %r may have blanks. Elements that wait are one line.
  const Said said = run({"squeue", "--noheader", fmt::format("--jobs={}", fmt::join(jobs, ",")), "--format=%F %r"});
  // Only a question for a single job fails if it ended long ago.
  if (said.exit_code != 0 && said.text.find("Invalid job id") == std::string::npos)
    return error(fmt::format("squeue: {}", said.text));
  std::set<std::string> active, held;
  std::istringstream lines(said.exit_code == 0 ? said.text : "");
  for (std::string line; std::getline(lines, line);) {
    const size_t blank = std::min(line.find(' '), line.size());
    (is_held_for_good(std::string_view(line).substr(std::min(blank + 1, line.size()))) ? held : active)
        .insert(line.substr(0, blank));
  }
  for (const std::string& job : held)
    if (!active.contains(job)) cancel(job);
  return active;
}

std::vector<std::string> Slurm::nodes_of(const std::string& job) {
  const Said said = run({"squeue", "--noheader", "--array", "--states=all", "--jobs=" + job, "--format=%N"});
  std::set<std::string> nodes;
  std::istringstream words(said.exit_code == 0 ? said.text : "");
  for (std::string word; words >> word;) nodes.insert(word);
  return {nodes.begin(), nodes.end()};
}

void Slurm::cancel(const std::string& job) { run({"scancel", job}); }

size_t Slurm::most_elements() {
  constexpr size_t kDefault = 1001;  // slurm.conf's MaxArraySize, one more than the largest index
  std::istringstream lines(run({"scontrol", "show", "config"}).text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("MaxArraySize")) {
      const size_t digits = line.find_first_of("0123456789");
      if (digits != std::string::npos) return std::max<size_t>(2, std::stoul(line.substr(digits))) - 1;
    }
  return kDefault - 1;
}

}  // namespace drywarp::sweep
