// Where a report goes: standard output, or a file.
#pragma once

#include <fstream>
#include <iosfwd>
#include <string>

#include "base/support/result.h"

namespace drywarp::cli {

// The file is opened before the program runs, so that a long run cannot end in "cannot write". Its old contents stay
// until the report is written; without a report no new file is left.
class ReportOutput {
 public:
  ReportOutput() = default;
  ReportOutput(const ReportOutput&) = delete;
  ReportOutput& operator=(const ReportOutput&) = delete;
  ~ReportOutput() { close(); }
  // Empty: standard output.
  Status open(const std::string& path);
  std::ostream& begin();
  Status finish();
  // Removes the file if it is new and has no report.
  void close();
  [[nodiscard]] bool to_terminal() const;
  [[nodiscard]] bool to_file() const { return !path_.empty(); }

 private:
  std::string path_;  // empty: standard output
  std::ofstream file_;
  bool created_ = false, begun_ = false;
};

}  // namespace drywarp::cli
