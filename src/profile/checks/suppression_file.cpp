#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <optional>

#include "profile/checks/suppression_names.h"
#include "profile/checks/suppressions.h"

namespace drywarp::checks {
namespace {

constexpr const char* kKeys = "it has kind, tool, file, kernel, line, text and reason";

class SuppressionReader {
 public:
  explicit SuppressionReader(const std::string& path) : path_(path) {}

  Result<std::vector<Suppression>> read(const toml::table& root) {
    for (const auto& [key, value] : root) {
      const toml::array* tables = value.as_array();
      if (key != "allow" || !tables)
        fail(value, fmt::format("a file of suppressions has [[allow]] tables, and no '{}'", key.str()));
      else
        for (const toml::node& one : *tables)
          if (const toml::table* table = one.as_table())
            allow(*table);
          else
            fail(one, "'allow' must be tables", "[[allow]]");
    }
    if (problem_) return *problem_;
    return std::move(all_);
  }

 private:
  [[nodiscard]] SourceLocation at(const toml::node& node) const {
    return {path_, node.source().begin.line, node.source().begin.column};
  }
  // Only the first problem is reported.
  void fail(const toml::node& node, std::string what, std::string hint = {}) {
    if (!problem_) problem_ = error_at(at(node), std::move(what), std::move(hint));
  }
  std::string text(const toml::node& node, std::string_view key) {
    if (node.is_string() && !node.as_string()->get().empty()) return node.as_string()->get();
    fail(node, fmt::format("'{}' must be a text", key));
    return {};
  }

  void names(const toml::node& node, std::string_view key, Suppression& s) {
    if (const toml::array* list = node.as_array(); list && !list->empty()) {
      for (const toml::node& one : *list) names(one, key, s);
      return;
    }
    const std::string name = text(node, key);
    if (problem_) return;
    if (const auto problem = key == "kind" ? add_kind(s, name) : add_tool(s, name))
      fail(node, problem->message, problem->hint);
  }

  void allow(const toml::table& table) {
    Suppression s;
    s.where = at(table);
    for (const auto& [key, value] : table) {
      if (key == "kind" || key == "tool")
        names(value, key.str(), s);
      else if (key == "line")
        s.line = line(value);
      else if (std::string* member = member_of(s, key.str()))
        *member = text(value, key.str());
      else
        fail(value, fmt::format("[[allow]] has no '{}'", key.str()), kKeys);
    }
    std::ranges::replace(s.reason, '\n', ' ');
    if (s.reason.empty()) fail(table, "[[allow]] needs a reason", "reason = \"why this is no problem\"");
    if (table.size() < 2) fail(table, "[[allow]] does not say which findings it allows", kKeys);
    all_.push_back(std::move(s));
  }

  static std::string* member_of(Suppression& s, std::string_view key) {
    if (key == "file") return &s.file;
    if (key == "kernel") return &s.kernel;
    if (key == "text") return &s.text;
    return key == "reason" ? &s.reason : nullptr;
  }

  uint32_t line(const toml::node& node) {
    const auto number = node.value_exact<int64_t>();
    if (number && *number > 0 && *number <= int64_t{~uint32_t{0}}) return static_cast<uint32_t>(*number);
    fail(node, "'line' must be the number of a line, from 1", "text = \"...\" names a line by its text");
    return 0;
  }

  std::string path_;
  std::vector<Suppression> all_;
  std::optional<Diagnostic> problem_;
};

}  // namespace

Result<std::vector<Suppression>> parse_suppressions(std::string_view toml, const std::string& path) {
  try {
    return SuppressionReader(path).read(toml::parse(toml, path));
  } catch (const toml::parse_error& problem) {
    const auto& begin = problem.source().begin;
    return error_at({path, begin.line, begin.column}, std::string(problem.description()));
  }
}

}  // namespace drywarp::checks
