#include "faces/cli/targets/filters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <regex>
#include <utility>

#include "base/support/near_names.h"
#include "base/support/plural.h"
#include "cuda/launch/options.h"
#include "faces/cli/pages/parse.h"
#include "profile/report/model/numbers.h"
#include "profile/report/writers/layout.h"

namespace drywarp::cli {
namespace {

std::string listed(const std::vector<std::string>& names) {
  constexpr size_t kShown = 5, kWidest = 60;
  std::vector<std::string> shown;
  for (size_t i = 0; i < std::min(kShown, names.size()); ++i) shown.push_back(report::cut(names[i], kWidest));
  std::string text = fmt::format("{}", fmt::join(shown, ", "));
  return names.size() > kShown ? text + fmt::format(" and {} more", names.size() - kShown) : text;
}

Status check_region(const LineRange& region, const record::Profile& profile) {
  std::map<std::string, std::pair<uint32_t, uint32_t>> code;  // first and last line by file
  for (const record::LaunchRecord& launch : profile.launches) {
    if (!launch.counted) continue;
    const KernelInfo& kernel = *profile.kernels[launch.kernel];
    for (const InstructionInfo& at : kernel.instructions) {
      if (at.line == 0 || at.file >= kernel.files.size()) continue;
      if (region.contains(kernel.files[at.file], at.line)) return {};
      auto& [first, last] = code.try_emplace(kernel.files[at.file], at.line, at.line).first->second;
      first = std::min(first, at.line), last = std::max(last, at.line);
    }
  }
  std::vector<std::string> places;
  for (const auto& [file, lines] : code) places.push_back(fmt::format("{}:{}-{}", file, lines.first, lines.second));
  return error(
      fmt::format("--region {}:{}-{}: no counted kernel has code there", region.file, region.first, region.last),
      places.empty() ? "no counted kernel has line information" : fmt::format("there is code in {}", listed(places)));
}

}  // namespace

void add_filter_options(CLI::App& app, Filters& filters) {
  app.add_option(
         "--kernel", filters.kernel,
         "count and show only kernels whose demangled name matches (ECMAScript, anywhere in the name); it is an error "
         "if none does")
      ->type_name("REGEX");
  app.add_option("--launch-skip", filters.launch_skip,
                 "skip the first N of the matching launches; it is an error to skip all")
      ->type_name("N")
      ->check(integer(0));
  app.add_option("--launch-count", filters.launch_count, "then take N launches")->type_name("N")->check(integer(1));
}

void pass_filters(ChildRequest& request, const Filters& filters) {
  auto& environment = request.environment;
  if (!filters.kernel.empty()) environment.emplace_back(cuda::variable::kernel_filter, filters.kernel);
  if (filters.launch_skip > 0)
    environment.emplace_back(cuda::variable::launch_skip, std::to_string(filters.launch_skip));
  if (filters.launch_count > 0)
    environment.emplace_back(cuda::variable::launch_count, std::to_string(filters.launch_count));
}

Status check_pattern(const std::string& pattern) {
  try {
    const std::regex unused(pattern, std::regex::ECMAScript);
  } catch (const std::regex_error& problem) {
    return error(fmt::format("'{}' is not a regular expression: {}", pattern, problem.what()),
                 ".* matches anything, and \\( a parenthesis");
  }
  return {};
}

Status check_kernel_filter(const std::string& pattern, std::span<const std::string> kernels, const char* what) {
  if (pattern.empty()) return {};
  const std::regex filter(pattern, std::regex::ECMAScript);
  std::vector<std::string> names;
  for (const std::string& kernel : kernels) {
    if (std::regex_search(kernel, filter)) return {};
    std::string name = report::short_name(kernel);
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  std::ranges::sort(names);
  const std::string problem = fmt::format("--kernel {}: no kernel of that name was {}", pattern, what);
  if (names.empty()) return error(problem, fmt::format("no kernel at all was {}", what));
  return error(problem, fmt::format("{}: {}", what, listed(nearest_first(pattern, std::move(names)))));
}

Status check_filters(const Filters& filters, const record::Profile& profile) {
  std::vector<std::string> names;
  uint64_t matching = 0, counted = 0;
  const std::regex wanted(filters.kernel, std::regex::ECMAScript);
  for (const record::LaunchRecord& launch : profile.launches) {
    names.push_back(profile.kernels[launch.kernel]->display_name);
    matching += std::regex_search(names.back(), wanted);
    counted += launch.counted;
  }
  if (Status status = check_kernel_filter(filters.kernel, names, "launched"); !status) return status;
  // Without a filter this is no error: the program may have switched counting off (cudaProfilerStop()).
  if (counted == 0 && filters.launch_skip > 0)
    return error(
        fmt::format("--launch-skip {} leaves no launch to count", filters.launch_skip),
        fmt::format("the program has {}", plural(matching, filters.kernel.empty() ? "launch" : "matching launch")));
  for (const LineRange& region : filters.regions)
    if (Status status = check_region(region, profile); !status) return status;
  return {};
}

void keep_launches(record::Profile& profile, const Filters& filters) {
  const std::regex wanted(filters.kernel, std::regex::ECMAScript);
  uint64_t matching = 0;
  std::vector<record::LaunchRecord> kept;
  std::map<uint64_t, uint64_t> places;  // of a kept launch, by its place before
  for (size_t i = 0; i < profile.launches.size(); ++i) {
    record::LaunchRecord& launch = profile.launches[i];
    if (!std::regex_search(profile.kernels[launch.kernel]->display_name, wanted)) continue;
    const uint64_t index = matching++;
    if (index < filters.launch_skip ||
        (filters.launch_count != 0 && index - filters.launch_skip >= filters.launch_count))
      continue;
    places.emplace(i, kept.size());
    kept.push_back(std::move(launch));
  }
  profile.launches = std::move(kept);
  const auto move = [&](auto& parts) {
    std::erase_if(parts, [&](const auto& part) { return !places.contains(part.launch); });
    for (auto& part : parts) part.launch = places.at(part.launch);
  };
  move(profile.samples), move(profile.drawn);
}

}  // namespace drywarp::cli
