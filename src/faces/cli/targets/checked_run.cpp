#include "faces/cli/targets/checked_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>

#include "cuda/launch/launch_checks.h"
#include "cuda/launch/options.h"
#include "faces/cli/targets/call_lines.h"
#include "faces/compile/nvcc_options/installation.h"

namespace drywarp::cli {
namespace {

// Calls of the program's host code get their lines; findings of one line become one.
void name_calls(std::vector<Finding>& findings) {
  std::vector<std::string*> places;
  const auto take = [&](CodeLine& code) {
    if (code.line == 0 && code.ptx_line == 0 && !code.file.empty()) places.push_back(&code.file);
  };
  for (Finding& f : findings) {
    if (f.allocation) places.push_back(&f.allocation->made);
    take(f.where);
    if (f.other) take(f.other->where);
  }
  std::vector<std::string> callers;
  for (const std::string* place : places) callers.push_back(*place);
  const Result<compile::Installation> installation = compile::find_installation(false);
  const std::vector<std::string> lines = call_lines(callers, installation ? installation->include : std::string());
  for (size_t i = 0; i < places.size(); ++i) *places[i] = lines[i];
  const auto split = [](CodeLine& code) {
    // "app.cu:12 in main"
    const std::string place = code.file.substr(0, code.file.find(" in "));
    const size_t colon = place.rfind(':');
    uint32_t line = 0;
    if (code.line != 0 || code.ptx_line != 0 || colon == place.npos) return;
    const auto [end, problem] = std::from_chars(place.data() + colon + 1, place.data() + place.size(), line);
    if (problem == std::errc() && end == place.data() + place.size())
      code.file = place.substr(0, colon), code.line = line;
  };
  std::vector<Finding> merged;
  for (Finding& f : findings) {
    split(f.where);
    if (f.other) split(f.other->where);
    add(merged, std::vector{std::move(f)});
  }
  findings = std::move(merged);
}

}  // namespace

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
    if (line.starts_with(cuda::kLaunchesLine)) {
      found.launches += std::strtoull(line.c_str() + cuda::kLaunchesLine.size(), nullptr, 10);
      continue;
    }
    const Result<Finding> finding = parse_finding(line);
    if (!finding) return finding.problem();
    add(found.all, std::vector{*finding});
  }
  name_calls(found.all);
  sort(found.all);
  return found;
}

}  // namespace drywarp::cli
