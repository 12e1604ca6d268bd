#include "faces/cli/targets/known_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "base/support/whole_file.h"

namespace drywarp::cli {
namespace {

namespace fs = std::filesystem;

std::string canonical(const std::string& path) {
  std::error_code unknown;
  return fs::weakly_canonical(path, unknown).string();
}

bool there(const std::string& path) {
  std::error_code unknown;
  return fs::exists(path, unknown);
}

// False: it was there before.
bool insert(std::vector<std::string>& set, std::string path) {
  if (std::ranges::find(set, path) != set.end()) return false;
  set.push_back(std::move(path));
  return true;
}

bool is_source(const std::string& word) {
  constexpr std::string_view kEndings[] = {".cu", ".cuh", ".cpp", ".cc", ".cxx", ".c", ".h", ".hpp"};
  return !word.starts_with('-') && there(word) &&
         std::ranges::find(kEndings, fs::path(word).extension().string()) != std::end(kEndings);
}

}  // namespace

void add_suppression_options(CLI::App& app, SuppressionOptions& o) {
  app.add_option(
         "--suppressions", o.files,
         fmt::format("a file of findings that are known and accepted; may be repeated. {} in the current folder "
                     "and beside the sources is read by itself",
                     kSuppressionsFile))
      ->type_name("FILE")
      ->take_all()
      ->expected(1);
  app.add_option("--write-suppressions", o.write,
                 "write a suppression for each finding to this file, and keep those in it that were of use")
      ->type_name("FILE");
  app.add_flag("--show-suppressed", o.show, "in the text report, list what is suppressed, with the reasons");
}

Result<KnownFindings> KnownFindings::read(const SuppressionOptions& options, std::span<const std::string> compiler) {
  KnownFindings known;
  known.options_ = options;
  for (const std::string& file : options.files)
    if (Status status = known.add_file(file); !status) return status.problem();
  std::vector<std::string> sources, expected = {kSuppressionsFile};
  for (const std::string& word : compiler)
    if (is_source(word)) {
      sources.push_back(word);
      expected.push_back((fs::path(word).parent_path() / kSuppressionsFile).string());
    }
  if (!options.write.empty()) expected.push_back(options.write);
  for (const std::string& file : expected)
    if (there(file))
      if (Status status = known.add_file(file); !status) return status.problem();
  for (const std::string& source : sources)
    if (Status status = known.add_comments(source); !status) return status.problem();
  return known;
}

Status KnownFindings::add_file(const std::string& path) {
  if (!insert(files_, canonical(path))) return {};
  const auto text = read_whole(path);
  if (!text) return error(fmt::format("--suppressions {}: {}", path, std::strerror(errno)));
  auto parsed = checks::parse_suppressions(*text, path);
  if (!parsed) return parsed.problem();
  std::ranges::move(*parsed, std::back_inserter(all_));
  return {};
}

Status KnownFindings::add_comments(const std::string& path) {
  if (!insert(sources_, canonical(path))) return {};
  const auto text = read_whole(path);
  if (!text) return {};  // a source that is not on this machine has no comments here
  auto parsed = checks::parse_comments(*text, path);
  if (!parsed) return parsed.problem();
  std::ranges::move(*parsed, std::back_inserter(all_));
  return {};
}

Status KnownFindings::take_out(checks::CheckReport& report, const Filters& filters) {
  Status status;
  for (const Finding& f : report.findings)
    for (const CodeLine& place : checks::places_of(f))
      if (place.line != 0)
        if (Status added = add_comments(place.file); !added) status = added;
  checks::suppress(report, all_, lines_);
  report.lists_suppressed = options_.show;
  const bool whole = filters.kernel.empty() && filters.launch_skip == 0 && filters.launch_count == 0;
  if (!whole) report.unused.clear();
  return status;
}

Status KnownFindings::write(const checks::CheckReport& report) {
  if (options_.write.empty()) return {};
  const std::string file = canonical(options_.write);
  std::vector<checks::Suppression> kept;
  for (const checks::Suppression& s : all_) {
    const bool used = std::ranges::any_of(report.suppressed, [&](const auto& o) { return o.by.where == s.where; });
    if (used && !s.in_source && canonical(s.where.file) == file) kept.push_back(s);
  }
  std::ostringstream text;
  checks::write_suppressions(text, kept, report, lines_);
  if (!write_whole(options_.write, text.str()))
    return error(fmt::format("--write-suppressions {}: {}", options_.write, std::strerror(errno)));
  return {};
}

}  // namespace drywarp::cli
