#include "faces/cli/targets/profile_checks.h"

#include <fmt/format.h>

#include <filesystem>
#include <sstream>

#include "faces/cli/targets/checked_run.h"

namespace drywarp::cli {

constexpr const char* kDefaultWord = "default";  // what --check alone means

void add_profile_check_options(CLI::App& app, ProfileCheckOptions& o) {
  app.add_flag(fmt::format("--check{{{}}}", kDefaultWord), o.tools,
               fmt::format("also look for what `drywarp check` finds, with the tools {}; --check alone: without {}",
                           names_of(all_tools(), ", "), name(CheckTool::Leakcheck)));
  add_suppression_options(app, o.suppressions);
}

ProfileChecks::ProfileChecks(std::vector<CheckTool> tools, KnownFindings known, compile::TemporaryFolder folder)
    : tools_(std::move(tools)), known_(std::move(known)), folder_(std::move(folder)) {}

Result<std::optional<ProfileChecks>> ProfileChecks::of(const ProfileCheckOptions& o, SplitArguments& split) {
  if (o.tools.empty()) {
    if (!o.suppressions.files.empty() || !o.suppressions.write.empty() || o.suppressions.show)
      return error("options of suppressions are for --check", "drywarp profile --check --suppressions FILE ...");
    return std::optional<ProfileChecks>();
  }
  std::vector<std::string> names;
  std::istringstream list(o.tools == kDefaultWord ? "" : o.tools);
  for (std::string name; std::getline(list, name, ',');) names.push_back(name);
  auto tools = parse_tools(names, "--check");
  if (!tools) return tools.problem();
  auto known = KnownFindings::read(o.suppressions, split.compiler);
  if (!known) return known.problem();
  auto folder = compile::TemporaryFolder::create();
  if (!folder) return folder.problem();
  if (split.program.empty()) split.compiler.emplace_back("-g");
  return std::optional(ProfileChecks(std::move(*tools), std::move(*known), std::move(*folder)));
}

void ProfileChecks::add_settings(Wanted& wanted) const {
  const auto settings = check_settings({.tools = tools_}, file());
  wanted.settings.insert(wanted.settings.end(), settings.begin(), settings.end());
}

Status ProfileChecks::add_findings(record::Profile& profile, const Filters& filters) {
  Result<Findings> found = read_findings(file());
  folder_.reset();
  if (!found) return found.problem();
  checks::CheckReport& report = profile.checks.emplace();
  report.program = profile.program, report.version = profile.drywarp_version;
  report.root = std::filesystem::current_path().string();
  report.tools = tools_;
  report.launches = found->launches;
  report.findings = std::move(found->all);
  sort(report.findings);
  const Status comments = known_.take_out(report, filters);
  const Status written = known_.write(report);
  return comments ? written : comments;
}

}  // namespace drywarp::cli
