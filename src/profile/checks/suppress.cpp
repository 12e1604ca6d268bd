#include <algorithm>
#include <filesystem>
#include <string_view>

#include "base/events/kernel_name.h"
#include "base/support/glob.h"
#include "base/support/whole_file.h"
#include "profile/checks/report.h"
#include "profile/checks/suppressions.h"
#include "profile/results/results.h"

namespace drywarp::checks {
namespace {

// The path, or what is behind one of its slashes.
bool matches_file(const Suppression& s, const std::string& file) {
  if (s.in_source) {
    std::error_code unknown;
    return std::filesystem::weakly_canonical(s.file, unknown) == std::filesystem::weakly_canonical(file, unknown);
  }
  std::string_view path = file;
  while (!matches_glob(s.file, path)) {
    const size_t slash = path.find('/');
    if (slash == std::string_view::npos) return false;
    path.remove_prefix(slash + 1);
  }
  return true;
}

bool matches_place(const Suppression& s, const CodeLine& place, SourceLines& sources) {
  if (s.file.empty() && s.line == 0 && s.text.empty()) return true;
  if (place.line == 0) return false;
  return (s.line == 0 || s.line == place.line) && (s.file.empty() || matches_file(s, place.file)) &&
         (s.text.empty() || s.text == sources.text(place.file, place.line));
}

bool matches_kind(const Suppression& s, const Finding& f) {
  return (s.kinds.empty() && s.tools.empty()) || std::ranges::find(s.kinds, f.kind) != s.kinds.end() ||
         std::ranges::find(s.tools, info(f.kind).tool) != s.tools.end();
}

bool matches(const Suppression& s, const Finding& f, SourceLines& sources) {
  if (!matches_kind(s, f)) return false;
  if (!s.kernel.empty() && !matches_glob(s.kernel, f.kernel) && !matches_glob(s.kernel, function_name(f.kernel)))
    return false;
  return std::ranges::any_of(places_of(f), [&](const CodeLine& place) { return matches_place(s, place, sources); });
}

// Whether the run would have found what it allows.
bool looked(const Suppression& s, const std::vector<CheckTool>& tools) {
  const auto there = [&](CheckTool tool) { return std::ranges::find(tools, tool) != tools.end(); };
  return std::ranges::all_of(s.kinds, [&](FindingKind kind) { return there(info(kind).tool); }) &&
         std::ranges::all_of(s.tools, there);
}

}  // namespace

const std::vector<std::string>* SourceLines::of(const std::string& file) {
  const auto [known, is_new] = files_.try_emplace(file);
  if (is_new)
    if (const auto text = read_whole(file)) {
      std::vector<std::string>& lines = known->second.emplace();
      for (size_t begin = 0; begin < text->size();) {
        const size_t end = std::min(text->size(), text->find('\n', begin));
        lines.push_back(text->substr(begin, end - begin));
        begin = end + 1;
      }
    }
  return known->second ? &*known->second : nullptr;
}

std::string SourceLines::text(const std::string& file, uint32_t line) {
  const std::vector<std::string>* lines = of(file);
  if (!lines || line == 0 || line > lines->size()) return {};
  const std::string& text = (*lines)[line - 1];
  const size_t first = text.find_first_not_of(" \t\r");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<CodeLine> places_of(const Finding& f) {
  std::vector<CodeLine> places{f.where};
  if (f.other) places.push_back(f.other->where);
  if (f.where.line == 0 && f.allocation) {  // "cudaMalloc at app.cu:40 in main"
    const std::string& made = f.allocation->made;
    const size_t digits = made.find_last_not_of("0123456789", made.find(" in ") - 1);
    if (digits != std::string::npos && made[digits] == ':') {
      const size_t at = made.find(" at ");
      const size_t begin = at == std::string::npos || at > digits ? 0 : at + 4;
      const auto line = static_cast<uint32_t>(std::strtoul(made.c_str() + digits + 1, nullptr, 10));
      places.push_back({made.substr(begin, digits - begin), line, 0, {}});
    }
  }
  return places;
}

void suppress(CheckReport& report, std::span<const Suppression> suppressions, SourceLines& sources) {
  std::vector<bool> used(suppressions.size());
  std::vector<Finding> left;
  for (Finding& f : report.findings) {
    const Suppression* by = nullptr;
    for (size_t i = 0; i < suppressions.size(); ++i)
      if (matches(suppressions[i], f, sources)) {
        used[i] = true;
        if (!by) by = &suppressions[i];
      }
    if (by)
      report.suppressed.push_back({std::move(f), *by});
    else
      left.push_back(std::move(f));
  }
  report.findings = std::move(left);
  for (size_t i = 0; i < suppressions.size(); ++i)
    if (!used[i] && looked(suppressions[i], report.tools)) report.unused.push_back(suppressions[i]);
}

}  // namespace drywarp::checks
