#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <ostream>

#include "profile/checks/report.h"
#include "profile/checks/suppressions.h"
#include "profile/results/results.h"

namespace drywarp::checks {
namespace {

// A basic string of TOML.
std::string quoted(const std::string& text) {
  std::string all = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      all += '\\', all += c;
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      all += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    else
      all += c;
  }
  return all + '"';
}

std::string list(const std::vector<std::string>& names) {
  std::vector<std::string> texts;
  for (const std::string& name : names) texts.push_back(quoted(name));
  return texts.size() == 1 ? texts[0] : fmt::format("[{}]", fmt::join(texts, ", "));
}

void write_one(std::ostream& out, const Suppression& s) {
  const auto put = [&](const char* key, const std::string& value) {
    if (!value.empty()) fmt::print(out, "{} = {}\n", key, quoted(value));
  };
  std::vector<std::string> kinds, tools;
  for (const FindingKind kind : s.kinds) kinds.emplace_back(info(kind).key);
  for (const CheckTool tool : s.tools) tools.emplace_back(name(tool));
  fmt::print(out, "\n[[allow]]\n");
  if (!kinds.empty()) fmt::print(out, "kind = {}\n", list(kinds));
  if (!tools.empty()) fmt::print(out, "tool = {}\n", list(tools));
  put("file", s.file), put("kernel", s.kernel);
  if (s.line != 0) fmt::print(out, "line = {}\n", s.line);
  put("text", s.text), put("reason", s.reason);
}

// Characters of a name that a glob would read as wildcards, such as those of a pointer type, match themselves too.
Suppression suppression_of(const Finding& f, const std::string& root, SourceLines& sources) {
  Suppression s;
  s.kinds = {f.kind};
  s.kernel = f.kernel;
  for (const CodeLine& place : places_of(f)) {
    if (place.line == 0) continue;
    s.file = results::relative_to(place.file, root);
    s.text = sources.text(place.file, place.line);
    if (s.text.empty()) s.line = place.line;
    break;
  }
  s.reason = fmt::format("TODO: why this {} is no problem", name(info(f.kind).severity));
  return s;
}

}  // namespace

void write_suppressions(std::ostream& out, std::span<const Suppression> kept, const CheckReport& report,
                        SourceLines& sources) {
  out << "# Findings of `drywarp check` that are known and accepted. Each needs a reason.\n";
  for (const Suppression& s : kept) write_one(out, s);
  std::vector<Suppression> written;
  for (const Finding& f : report.findings) {
    Suppression s = suppression_of(f, report.root, sources);
    const auto same = [&](const Suppression& o) {
      return o.kinds == s.kinds && o.kernel == s.kernel && o.file == s.file && o.line == s.line && o.text == s.text;
    };
    if (std::ranges::any_of(written, same)) continue;
    write_one(out, s);
    written.push_back(std::move(s));
  }
}

}  // namespace drywarp::checks
