#include "sweep/runs/row_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "base/support/readable.h"
#include "base/support/whole_file.h"

namespace drywarp::sweep {

std::string last_words(const std::string& log) {
  constexpr size_t kMost = 400;
  std::string text = read_whole(log).value_or("");
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (text.size() > kMost) text = text.substr(text.size() - kMost);
  return text;
}

namespace {

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

}  // namespace

std::string RowProcesses::file_of(size_t row, const char* suffix) const {
  return fmt::format("{}/{}.{}", folder_, row + 1, suffix);
}

Status RowProcesses::start(const RowRequest& row) {
  const std::string request = file_of(row.row, "request"), result = file_of(row.row, "result");
  if (!write_whole(request, text(to_json(row.request))))
    return error(fmt::format("cannot write '{}': {}", request, std::strerror(errno)));
  std::error_code ignored;
  std::filesystem::remove(result, ignored);
  std::vector<std::string> arguments = command_;
  arguments.insert(arguments.end(), {"--request", request, "--result", result});
  stages_.emplace_back(row.row, row.request.stage);
  return pool_.start(row.row, arguments, file_of(row.row, "log"));
}

std::vector<RowResult> RowProcesses::ended() {
  std::vector<RowResult> all;
  for (const Ended& end : pool_.ended()) {
    const std::string file = file_of(end.row, "result"), log = file_of(end.row, "log");
    const auto started = std::ranges::find(stages_, end.row, &std::pair<size_t, Stage>::first);
    const auto result = read_whole(file);
    auto parsed =
        result && end.signal == 0 ? parse_measurement(*result, file) : Result<Measurement>(error("there is no result"));
    Measurement measurement = parsed ? std::move(*parsed) : without_result(end, limits_, started->second, log);
    measurement.host_seconds = end.seconds;
    if (measurement.outcome != Outcome::Ok && measurement.reason.empty()) measurement.reason = first_error(log);
    all.push_back({end.row, std::move(measurement)});
    stages_.erase(started);
    std::error_code ignored;
    for (const char* suffix : {"request", "result", "log"}) std::filesystem::remove(file_of(end.row, suffix), ignored);
  }
  return all;
}

}  // namespace drywarp::sweep
