// `drywarp profile --check`: checks that watch the launches of a profile.
#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/support/result.h"
#include "faces/cli/targets/counted_run.h"
#include "faces/cli/targets/known_findings.h"
#include "faces/compile/nvcc_options/process.h"
#include "profile/record/profile.h"

namespace drywarp::cli {

struct ProfileCheckOptions {
  std::string tools;  // comma-separated; empty: no check
  SuppressionOptions suppressions;
};
void add_profile_check_options(CLI::App& app, ProfileCheckOptions& o);

class ProfileChecks {
 public:
  // None if the options ask for none. Sources are compiled with the host's line numbers, which allocations are named
  // by.
  static Result<std::optional<ProfileChecks>> of(const ProfileCheckOptions& options, SplitArguments& split);
  void add_settings(Wanted& wanted) const;
  // What they found becomes a part of the profile. Once. Fails as KnownFindings::take_out().
  Status add_findings(record::Profile& profile, const Filters& filters);

 private:
  ProfileChecks(std::vector<CheckTool> tools, KnownFindings known, compile::TemporaryFolder folder);
  [[nodiscard]] std::string file() const { return folder_->path() + "/findings"; }

  std::vector<CheckTool> tools_;
  KnownFindings known_;
  std::optional<compile::TemporaryFolder> folder_;
};

}  // namespace drywarp::cli
