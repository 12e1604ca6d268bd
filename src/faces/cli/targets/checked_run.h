// What the checks of a run look for, and what they found: shared by all commands that check programs.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/events/finding.h"
#include "base/support/result.h"
#include "profile/checks/report.h"

namespace drywarp::cli {

// What looks without a choice: leaks are many programs' habit.
inline constexpr CheckTool kDefaultTools[] = {CheckTool::Memcheck, CheckTool::Racecheck, CheckTool::Initcheck,
                                              CheckTool::Synccheck};

[[nodiscard]] std::string names_of(std::span<const CheckTool> tools, const char* between);
[[nodiscard]] std::vector<CheckTool> all_tools();
// In the tools' order, each once; without names, kDefaultTools. `option` is for the error of a name that does not
// exist.
Result<std::vector<CheckTool>> parse_tools(std::span<const std::string> names, const char* option);

struct CheckChoice {
  std::vector<CheckTool> tools;
  bool keeps_context = false;           // the program does not see the error of a bad access
  std::string api_errors = "explicit";  // of memcheck, calls that fail: all, explicit or no
  bool track_unused = false;            // initcheck: allocations that the device never accesses, or not wholly
  double most_unused = 0;               // percent of an allocation, of which nothing is said
};
// Settings of the program's session (cuda/launch/options.def). `file`: where it writes what it finds.
[[nodiscard]] std::vector<std::pair<const char*, std::string>> check_settings(const CheckChoice& choice,
                                                                              const std::string& file);

struct Findings {
  std::vector<Finding> all;  // as the program came to them
  checks::LaunchNumbers launches;
};
// Reads that file, with the source lines of calls. A program that never used CUDA left none.
Result<Findings> read_findings(const std::string& file);

}  // namespace drywarp::cli
