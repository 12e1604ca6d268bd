#include "faces/profilers/kernel_filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>

namespace drywarp::profilers {
namespace {

constexpr std::string_view kRegex = "regex:";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::vector<std::string> split_ranges(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, '/');)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

}  // namespace

Result<NamePattern> NamePattern::parse(const std::string& text) {
  NamePattern made;
  made.expression_ = text.starts_with(kRegex) ? text.substr(kRegex.size()) : "^" + escaped(text) + "$";
  try {
    made.pattern_ = std::regex(made.expression_, std::regex::ECMAScript | std::regex::optimize);
  } catch (const std::regex_error& problem) {
    return error(fmt::format("'{}' is not a regular expression: {}", text, problem.what()),
                 ".* matches anything, and \\( a parenthesis");
  }
  return made;
}

bool NamePattern::matches(const std::string& name) const { return std::regex_search(name, pattern_); }

Result<RangePattern> RangePattern::parse(const std::string& text) {
  RangePattern made;
  std::string ranges = text.substr(text.find('@') == std::string::npos ? 0 : text.find('@') + 1);
  made.outermost_ = ranges.starts_with('[');
  made.innermost_ = ranges.ends_with(']');
  if (made.outermost_) ranges.erase(0, 1);
  if (made.innermost_ && !ranges.empty()) ranges.pop_back();
  for (const std::string& part : split_ranges(ranges)) {
    Result<NamePattern> pattern = NamePattern::parse(part);
    if (!pattern) return pattern.problem();
    made.parts_.push_back(std::move(*pattern));
  }
  if (made.parts_.empty()) return error(fmt::format("'{}' names no NVTX range", text), "\"Range A\", \"Range A/\"");
  return made;
}

bool RangePattern::matches(const std::string& open_ranges) const {
  const std::vector<std::string> open = split_ranges(open_ranges);
  if (open.empty() || (outermost_ && !parts_.front().matches(open.front())) ||
      (innermost_ && !parts_.back().matches(open.back())))
    return false;
  auto at = open.begin();
  for (const NamePattern& part : parts_) {
    at = std::find_if(at, open.end(), [&](const std::string& name) { return part.matches(name); });
    if (at == open.end()) return false;
    ++at;
  }
  return true;
}

std::vector<size_t> KernelFilter::choose(const record::Profile& profile) const {
  std::optional<NamePattern> wanted;
  if (!name.empty())
    if (auto pattern = NamePattern::parse(name)) wanted = std::move(*pattern);
  std::vector<size_t> chosen;
  uint64_t seen = 0, matching = 0;
  for (size_t i = 0; i < profile.launches.size(); ++i) {
    const record::LaunchRecord& launch = profile.launches[i];
    if (!launch.counted || seen++ < skip_before_match) continue;
    if (wanted && !wanted->matches(name_by(base, *profile.kernels[launch.kernel]))) continue;
    const auto open = [&](const RangePattern& p) { return p.matches(launch.range); };
    if (!include.empty() && std::ranges::none_of(include, open)) continue;
    if (std::ranges::any_of(exclude, open)) continue;
    const uint64_t index = matching++;
    if (index >= skip && index - skip < count) chosen.push_back(i);
  }
  return chosen;
}

}  // namespace drywarp::profilers
