#include <fmt/format.h>
#include <fmt/ostream.h>

#include <ostream>

#include "profile/results/results.h"

namespace drywarp::results {
namespace {

// `property`: in front of the second "::", where commas and colons separate.
std::string escaped(const std::string& text, bool property) {
  std::string all;
  for (const char c : text)
    if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ',')))
      all += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    else
      all += c;
  return all;
}

const char* command(Severity severity) {
  return severity == Severity::Error ? "error" : severity == Severity::Warning ? "warning" : "notice";
}

}  // namespace

void write_github(std::ostream& out, std::span<const Problem> problems, const std::string& root) {
  for (const Problem& p : problems) {
    std::string properties;
    if (!p.locations.empty() && p.locations.front().line != 0)
      properties = fmt::format("file={},line={},", escaped(relative_to(p.locations.front().file, root), true),
                               p.locations.front().line);
    fmt::print(out, "::{} {}title={}::{}\n", command(p.severity), properties, escaped(p.title, true),
               escaped(p.message, false));
  }
}

}  // namespace drywarp::results
