#include "faces/compile/diagnostic_merge.h"

#include <fmt/format.h>

#include <regex>
#include <set>
#include <sstream>
#include <vector>

namespace drywarp::compile {
namespace {

enum class Kind { Message, Note, Include, Count, Other };

Kind kind_of(const std::string& line) {
  static const std::regex count(R"(\d+ (warning|error)s?( and \d+ errors?)? generated( when compiling for .*)?\.)");
  if (line.find(": warning: ") != std::string::npos || line.find(": error: ") != std::string::npos ||
      line.find(": fatal error: ") != std::string::npos || line.find(": remark: ") != std::string::npos ||
      line.starts_with("error: ") || line.starts_with("warning: ") || line.starts_with("fatal error: ")) {
    return Kind::Message;
  }
  if (line.find(": note: ") != std::string::npos || line.starts_with("note: ")) return Kind::Note;
  if (line.starts_with("In file included from ") || line.find(": In file included from ") != std::string::npos)
    return Kind::Include;
  if (std::regex_match(line, count)) return Kind::Count;
  return Kind::Other;
}

struct Group {
  std::string text;   // as printed
  std::string plain;  // without colours: equal texts are duplicates
};

std::vector<Group> split(const std::string& output) {
  std::vector<Group> groups;
  std::string pending, pending_plain;  // include lines that belong to the next message
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::string plain = without_colors(line);
    switch (kind_of(plain)) {
      case Kind::Count:
        break;
      case Kind::Include:
        pending += line + '\n';
        pending_plain += plain + '\n';
        break;
      case Kind::Message:
        groups.push_back({pending + line + '\n', pending_plain + plain + '\n'});
        pending.clear();
        pending_plain.clear();
        break;
      case Kind::Note:
      case Kind::Other:
        if (groups.empty()) groups.emplace_back();
        groups.back().text += pending + line + '\n';
        groups.back().plain += pending_plain + plain + '\n';
        pending.clear();
        pending_plain.clear();
        break;
    }
  }
  if (!pending.empty()) groups.push_back({pending, pending_plain});
  return groups;
}

std::string amount(int count, const char* what) { return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s"); }

}  // namespace

std::string without_colors(const std::string& text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      while (i < text.size() && text[i] != 'm') ++i;
      continue;
    }
    plain += text[i];
  }
  return plain;
}

std::string merge_diagnostics(std::span<const std::string> passes) {
  std::string merged;
  std::set<std::string> seen;
  int warnings = 0, errors = 0;
  for (const std::string& pass : passes) {
    for (const Group& group : split(pass)) {
      if (!seen.insert(group.plain).second) continue;
      merged += group.text;
      if (group.plain.find(": warning: ") != std::string::npos)
        ++warnings;
      else if (group.plain.find("error: ") != std::string::npos)
        ++errors;
    }
  }
  if (warnings && errors)
    merged += fmt::format("{} and {} generated.\n", amount(warnings, "warning"), amount(errors, "error"));
  else if (warnings)
    merged += amount(warnings, "warning") + " generated.\n";
  else if (errors)
    merged += amount(errors, "error") + " generated.\n";
  return merged;
}

}  // namespace drywarp::compile
