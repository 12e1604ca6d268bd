#include "sweep/cluster/array_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace drywarp::sweep {
namespace {

constexpr std::string_view kRows = "__ROWS__";

// For a shell: 'it'\''s'.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) c == '\'' ? out += "'\\''" : out += c;
  return out + "'";
}

// sbatch reads "--name=value" up to a blank; a value with blanks has quotes.
std::string directive(const std::string& name, const std::string& value) {
  if (value.empty()) return fmt::format("#SBATCH --{}\n", name);
  const bool blanks = value.find_first_of(" \t") != std::string::npos;
  return blanks ? fmt::format("#SBATCH --{}=\"{}\"\n", name, value) : fmt::format("#SBATCH --{}={}\n", name, value);
}

// Ours, where the user says nothing else of them.
std::vector<std::pair<std::string, std::string>> all_options(const ArrayJob& job, size_t elements) {
  std::string array = fmt::format("1-{}", elements);
  if (job.at_a_time != 0) array += fmt::format("%{}", job.at_a_time);
  std::vector<std::pair<std::string, std::string>> all = {
      {"job-name", "drywarp-sweep"}, {"array", array}, {"chdir", job.folder},
      {"output", "/dev/null"},       {"requeue", ""},  {"ntasks", "1"},
      {"cpus-per-task", "1"}};
  if (job.limits.bytes != 0) all.emplace_back("mem", fmt::format("{}M", job.limits.bytes >> 20));
  for (const auto& [name, value] : job.options) {
    const auto there = std::ranges::find(all, name, &std::pair<std::string, std::string>::first);
    if (there != all.end())
      there->second = value;
    else
      all.emplace_back(name, value);
  }
  return all;
}

}  // namespace

std::string result_name(size_t row, Stage stage) { return fmt::format("{}.{}.result", row + 1, key(stage)); }

std::optional<size_t> row_of_result(std::string_view name) {
  size_t number = 0;
  const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (problem != std::errc() || number == 0 || !name.ends_with(".result")) return std::nullopt;
  return number - 1;
}

std::string array_script(const ArrayJob& job, const std::vector<RowRequest>& rows) {
  const size_t each = std::max<size_t>(1, job.rows_an_element), elements = (rows.size() + each - 1) / each;
  std::string script = "#!/bin/bash\n# A part of a sweep: element N of the array runs the rows of line N behind " +
                       std::string(kRows) + " and writes their results.\n";
  for (const auto& [name, value] : all_options(job, elements)) script += directive(name, value);
  for (const std::string& option : job.more_options) script += fmt::format("#SBATCH {}\n", option);
  // Slurm would not create the folder of --output.
  script += fmt::format("results={}\nmkdir -p \"$results/logs\"\n", quoted(job.results));
  script += "exec >> \"$results/logs/${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID.log\" 2>&1\n";
  script += fmt::format("exec {} sweep element \"$0\" --results \"$results\"", quoted(job.drywarp));
  if (job.limits.seconds > 0) script += fmt::format(" --limit {}", job.limits.seconds);
  if (job.limits.bytes != 0) script += fmt::format(" --memory {}M", job.limits.bytes >> 20);
  script += fmt::format("\n{}\n", kRows);
  for (size_t first = 0; first < rows.size(); first += each) {
    Json line = Json::array();
    for (size_t i = first; i < std::min(first + each, rows.size()); ++i)
      line.push_back({{"row", rows[i].row}, {"request", to_json(rows[i].request)}});
    script += text(line) + "\n";
  }
  return script;
}

Result<std::vector<RowRequest>> rows_of_script(std::string_view script, size_t element, const std::string& where) {
  const auto no_rows = [&] { return error(fmt::format("{} is no job of a sweep", where)); };
  const size_t mark = script.find(fmt::format("\n{}\n", kRows));
  if (mark == std::string_view::npos) return no_rows();
  std::vector<RowRequest> rows;
  size_t number = 0;
  for (size_t at = mark + kRows.size() + 2; at < script.size();) {
    const size_t end = std::min(script.find('\n', at), script.size());
    const std::string_view line = script.substr(at, end - at);
    at = end + 1;
    if (++number != element && element != 0) continue;
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_array()) return no_rows();
    for (const Json& one : json) {
      if (!one.is_object() || !one.contains("row") || !one["row"].is_number_unsigned() || !one.contains("request"))
        return no_rows();
      auto request = parse_request(text(one["request"]), where);
      if (!request) return request.problem();
      rows.push_back({one["row"].get<size_t>(), std::move(*request)});
    }
  }
  if (rows.empty()) return error(fmt::format("{} has no element {}", where, element));
  return rows;
}

}  // namespace drywarp::sweep
