// Findings that the program's authors know and accept: in a file, or in a comment of the source.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/events/finding.h"
#include "base/support/result.h"

namespace drywarp::checks {

struct CheckReport;

// What is empty or 0 matches everything.
struct Suppression {
  std::vector<FindingKind> kinds;
  std::vector<CheckTool> tools;  // a finding has one of the kinds, or is of one of the tools
  // A glob of the file's path, or of its last folders and name. Of a comment: the file that has it.
  std::string file;
  std::string kernel;  // a glob of the name, with or without parameters
  uint32_t line = 0;
  std::string text;        // of the line, without the spaces around it: it survives edits elsewhere in the file
  std::string reason;      // on one line
  bool in_source = false;  // a comment
  SourceLocation where;    // where it is written
};

// Lines of source files, read when they are first needed.
class SourceLines {
 public:
  // Null: the file cannot be read.
  const std::vector<std::string>* of(const std::string& file);
  // Of a line, without the spaces around it; empty: there is none.
  std::string text(const std::string& file, uint32_t line);

 private:
  std::map<std::string, std::optional<std::vector<std::string>>> files_;
};

// A TOML file of [[allow]] tables: kind, tool, file, kernel, line, text, and the reason, which each must have.
Result<std::vector<Suppression>> parse_suppressions(std::string_view toml, const std::string& path);

// The comments "// drywarp: allow KIND[,KIND...] REASON" of a CUDA source. A kind is a finding's, a tool, or all. A
// comment is about its own line; one with no code beside it, about the next line that has code.
Result<std::vector<Suppression>> parse_comments(std::string_view source, const std::string& path);

// Moves findings that a suppression matches from the report's findings to its suppressed ones, and notes the
// suppressions that match nothing although their tools looked. A race, which has two lines, is matched by either.
void suppress(CheckReport& report, std::span<const Suppression> suppressions, SourceLines& sources);

// As [[allow]] tables: `kept` as they are, then one for each finding, known by the text of its line.
void write_suppressions(std::ostream& out, std::span<const Suppression> kept, const CheckReport& report,
                        SourceLines& sources);

// The source lines that a finding is about: its own, the other access's, and of memory that is never freed the call
// that made it.
[[nodiscard]] std::vector<CodeLine> places_of(const Finding& finding);

}  // namespace drywarp::checks
