// What checks found in a run, in the formats that people, CI servers and code hosts read.
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/events/finding.h"
#include "profile/checks/suppressions.h"

namespace drywarp::checks {

struct Suppressed {
  Finding finding;
  Suppression by;
};

struct LaunchNumbers {
  uint64_t checked = 0;  // to their end, or to the fault that stopped them
  uint64_t cut = 0;      // out of time or memory, or not compiled: checked in part, or not at all
  uint64_t lost = 0;     // that an earlier kernel's error kept from running
};

struct CheckReport {
  std::string program;           // its command line
  std::string version;           // drywarp's
  std::string root;              // files below it are relative to it
  std::vector<CheckTool> tools;  // that were asked for
  LaunchNumbers launches;
  std::vector<Finding> findings;  // sorted; without those that are suppressed
  std::vector<Suppressed> suppressed;
  std::vector<Suppression> unused;  // suppressions that match nothing
  bool lists_suppressed = false;    // in text
};

// Findings that decide the exit code: no notes, and none that is suppressed.
[[nodiscard]] uint64_t problems(const CheckReport& report);

struct CheckFormat {
  const char* name;
  void (*write)(std::ostream& out, const CheckReport& report);
  bool terminal = false;  // for people: may share standard output with the program
};
[[nodiscard]] std::span<const CheckFormat> check_formats();

void write_text(std::ostream& out, const CheckReport& report);
void write_json(std::ostream& out, const CheckReport& report);
// Each is a result of its kind's rule, those that are suppressed among them.
void write_sarif(std::ostream& out, const CheckReport& report);
// A test case for each tool, and one for each of its findings, which fail; what is suppressed is skipped.
void write_junit(std::ostream& out, const CheckReport& report);
void write_github(std::ostream& out, const CheckReport& report);

// What the json report has behind its version and program: tools, launches, problems, findings, and what is suppressed.
[[nodiscard]] nlohmann::ordered_json checks_json(const CheckReport& report);

// "memcheck, racecheck: 2 problems in 1 launch, 1 note, 3 suppressed"
[[nodiscard]] std::string summary(const CheckReport& report);
// One line: "invalid global write of 4 bytes: ..., by thread (0,0,0) of block (1,0,0), 64 times".
[[nodiscard]] std::string message(const Finding& finding);

}  // namespace drywarp::checks
