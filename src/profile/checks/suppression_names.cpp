#include "profile/checks/suppression_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/support/near_names.h"

namespace drywarp::checks {
namespace {

const FindingKindInfo* kind_of(const std::string& name) {
  const auto kinds = finding_kinds();
  const auto found = std::ranges::find_if(kinds, [&](const FindingKindInfo& k) { return name == k.key; });
  return found == kinds.end() ? nullptr : &*found;
}

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const FindingKindInfo& kind : finding_kinds()) names.emplace_back(kind.key);
  return names;
}

std::vector<std::string> tool_names() {
  std::vector<std::string> names;
  for (unsigned tool = 0; tool < kCheckTools; ++tool) names.emplace_back(name(static_cast<CheckTool>(tool)));
  return names;
}

Diagnostic no_such(const char* what, const std::string& name, std::vector<std::string> names) {
  names = nearest_first(name, std::move(names));
  names.resize(std::min<size_t>(names.size(), 3));
  return error(fmt::format("there is no {} '{}'", what, name), fmt::format("near it: {}", fmt::join(names, ", ")));
}

}  // namespace

std::optional<Diagnostic> add_kind(Suppression& to, const std::string& name) {
  const FindingKindInfo* kind = kind_of(name);
  if (!kind) return no_such("kind of finding", name, kind_names());
  to.kinds.push_back(kind->kind);
  return std::nullopt;
}

std::optional<Diagnostic> add_tool(Suppression& to, const std::string& name) {
  const auto tool = parse_check_tool(name);
  if (!tool) return no_such("tool", name, tool_names());
  to.tools.push_back(*tool);
  return std::nullopt;
}

std::optional<Diagnostic> add_kind_or_tool(Suppression& to, const std::string& name) {
  if (name == "all") return std::nullopt;
  if (parse_check_tool(name)) return add_tool(to, name);
  if (kind_of(name)) return add_kind(to, name);
  std::vector<std::string> names = kind_names();
  for (std::string& tool : tool_names()) names.push_back(std::move(tool));
  return no_such("kind of finding or tool", name, std::move(names));
}

}  // namespace drywarp::checks
