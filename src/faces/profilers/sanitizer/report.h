// What compute-sanitizer writes of a run: its lines, and its XML. Findings are drywarp's: one for a source line, where
// compute-sanitizer has one for a thread.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/events/finding.h"

namespace drywarp::profilers::sanitizer {

enum class Races : uint8_t { Hazard, Analysis, All };

struct Style {
  std::string banner = "COMPUTE-SANITIZER";
  std::string prefix = "=========";
  Races races = Races::Analysis;
  Severity least = Severity::Warning;  // --print-level: what is less severe is left out
  uint64_t limit = 100;                // of reports; 0: all
  bool host_frames = true;             // of launches, failed calls, and calls that made leaked memory
  uint64_t host_callers = 0;           // of a launch, at most; 0: all
  bool paths = false;                  // whole paths of files, not their names
  bool parameters = true;              // of functions
  bool quiet = false;                  // nothing but errors
};

struct Report {
  CheckTool tool = CheckTool::Memcheck;
  bool leaks = false;  // were looked for
  std::vector<Finding> findings;
  std::string program;  // the executable's name
  int exit_code = 0;    // of the program; 128 + the signal that ended it
};

// Findings that the style leaves, in the order of the report: memory that is never freed is known last.
[[nodiscard]] std::vector<const Finding*> shown(const Report& report, const Style& style);
// Of an access and its like, a thread each; of a race, one: what "ERROR SUMMARY" and the exit code count.
[[nodiscard]] uint64_t errors(const Report& report, const Style& style);

// "========= COMPUTE-SANITIZER", which comes before the program's output.
void write_banner(std::ostream& out, const Style& style);
void write_text(std::ostream& out, const Report& report, const Style& style);
void write_xml(std::ostream& out, const Report& report, const Style& style);

}  // namespace drywarp::profilers::sanitizer
