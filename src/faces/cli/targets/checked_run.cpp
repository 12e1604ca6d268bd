#include "faces/cli/targets/checked_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "cuda/launch/launch_checks.h"
#include "cuda/launch/options.h"
#include "faces/cli/targets/calls_of_findings.h"

namespace drywarp::cli {

std::string names_of(std::span<const CheckTool> tools, const char* between) {
  std::vector<std::string> names;
  for (const CheckTool tool : tools) names.emplace_back(name(tool));
  return fmt::format("{}", fmt::join(names, between));
}

std::vector<CheckTool> all_tools() {
  std::vector<CheckTool> tools(std::begin(kDefaultTools), std::end(kDefaultTools));
  for (unsigned i = 0; i < kCheckTools; ++i)
    if (const auto tool = static_cast<CheckTool>(i); std::ranges::find(tools, tool) == tools.end())
      tools.push_back(tool);
  return tools;
}

Result<std::vector<CheckTool>> parse_tools(std::span<const std::string> names, const char* option) {
  if (names.empty()) return std::vector<CheckTool>(std::begin(kDefaultTools), std::end(kDefaultTools));
  std::vector<CheckTool> tools;
  for (const std::string& name : names) {
    const auto tool = parse_check_tool(name);
    if (!tool)
      return error(fmt::format("{} {}: there is no such tool", option, name),
                   fmt::format("there are: {}", names_of(all_tools(), ", ")));
    if (std::ranges::find(tools, *tool) == tools.end()) tools.push_back(*tool);
  }
  std::ranges::sort(tools);
  return tools;
}

std::vector<std::pair<const char*, std::string>> check_settings(const CheckChoice& choice, const std::string& file) {
  std::vector<std::pair<const char*, std::string>> settings = {
      {cuda::variable::checks, names_of(choice.tools, ",")},
      {cuda::variable::findings, file},
  };
  settings.emplace_back(cuda::variable::api_errors, choice.api_errors);
  if (choice.track_unused) settings.emplace_back(cuda::variable::track_unused, "1");
  settings.emplace_back(cuda::variable::most_unused, fmt::format("{}", choice.most_unused));
  if (choice.keeps_context) settings.emplace_back(cuda::variable::keeps_context, "1");
  return settings;
}

Result<Findings> read_findings(const std::string& path) {
  Findings found;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line == cuda::kLaunchLine) {
      ++found.launches.checked;
      continue;
    }
    if (line == cuda::kCutLine) {
      ++found.launches.cut;
      continue;
    }
    if (line.starts_with(cuda::kLostLine)) {
      found.launches.lost = std::strtoull(line.c_str() + cuda::kLostLine.size(), nullptr, 10);
      continue;
    }
    const Result<Finding> finding = parse_finding(line);
    if (!finding) return finding.problem();
    add(found.all, std::vector{*finding});
  }
  name_calls(found.all);
  return found;
}

}  // namespace drywarp::cli
