// The suppressions of a run: the options that name them, the files and comments that hold them.
#pragma once

#include <CLI/App.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/support/result.h"
#include "faces/cli/targets/filters.h"
#include "profile/checks/report.h"
#include "profile/checks/suppressions.h"

namespace drywarp::cli {

// Read without being named: in the current folder and beside the sources that are compiled.
inline constexpr const char* kSuppressionsFile = "drywarp-suppressions.toml";

struct SuppressionOptions {
  std::vector<std::string> files;
  std::string write;
  bool show = false;
};
void add_suppression_options(CLI::App& app, SuppressionOptions& o);

class KnownFindings {
 public:
  // Reads the files, and the comments of the sources among the compiler's words, before the program runs.
  static Result<KnownFindings> read(const SuppressionOptions& options, std::span<const std::string> compiler);
  // Takes out of the report what is suppressed, reading the comments of the sources that its findings name, too. A
  // suppression that matches nothing is worth a note if `filters` kept no launch from being checked. Fails for a
  // comment that is wrong; all others count.
  Status take_out(checks::CheckReport& report, const Filters& filters);
  // --write-suppressions.
  Status write(const checks::CheckReport& report);

 private:
  Status add_file(const std::string& path);
  Status add_comments(const std::string& path);

  SuppressionOptions options_;
  std::vector<checks::Suppression> all_;
  std::vector<std::string> files_, sources_;  // canonical: each is read once
  checks::SourceLines lines_;
};

}  // namespace drywarp::cli
