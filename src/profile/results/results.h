// Results in the formats that CI servers and code hosts read, whatever judged the program.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/support/result.h"

namespace drywarp::results {

struct Location {
  std::string file;
  uint32_t line = 0;
  std::string source;   // its text; empty: not known
  std::string message;  // what is there; may be empty
};

// What can be wrong.
struct Rule {
  std::string id, title, description;
};

// Why a problem is accepted, and where that is written.
struct Suppression {
  bool in_source = false;  // false: in a file of suppressions
  std::string reason;
  Location place;
};

// What is wrong.
struct Problem {
  std::string rule;  // its id
  Severity severity = Severity::Error;
  std::string title, message;
  std::vector<Location> locations;
  std::vector<Location> related;
  std::optional<Suppression> suppression = {};
};

// SARIF 2.1.0. Files below `root` are relative to it, as code hosts need them.
void write_sarif(std::ostream& out, std::span<const Rule> rules, std::span<const Problem> problems,
                 const std::string& version, const std::string& root);
// Workflow commands that GitHub shows beside the line: ::error file=...,line=...,title=...::...
void write_github(std::ostream& out, std::span<const Problem> problems, const std::string& root);

struct TestCase {
  std::string group, name;
  struct Failure {
    std::string message, type, text;
  };
  std::optional<Failure> failure;
  std::optional<std::string> skipped = {};  // why
};
// JUnit XML.
void write_junit(std::ostream& out, std::span<const TestCase> cases, const std::string& program);

// Text of an element or an attribute. XML 1.0 has no control characters but tab, newline and return, not even escaped.
[[nodiscard]] std::string xml_text(const std::string& text);
// `file` relative to `root` if it is below it, else unchanged.
[[nodiscard]] std::string relative_to(const std::string& file, const std::string& root);

}  // namespace drywarp::results
