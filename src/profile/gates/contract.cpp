#include "profile/gates/contract.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <filesystem>

namespace drywarp::gates {
namespace {

class ContractReader {
 public:
  explicit ContractReader(const std::string& path) : path_(path) {}

  Result<Contract> read(const toml::table& root) {
    for (const auto& [key, value] : root) {
      if (key == "baseline")
        baseline(value);
      else if (key == "expect")
        expectations(value, {});
      else if (key == "kernel" || key == "line")
        scopes(key.str(), value);
      else
        fail(at(value), fmt::format("a contract has no '{}'", key.str()), "it has baseline, expect, kernel and line");
    }
    if (!problem_ && contract_.expectations.empty())
      fail({path_, 0, 0}, "the contract expects nothing", "expect = [\"gld_efficiency >= 90\"]");
    if (problem_) return *problem_;
    return std::move(contract_);
  }

 private:
  struct Scope {
    std::string kernel, title;
    std::optional<LaunchRange> launch;
    std::optional<LineRange> line;
  };

  [[nodiscard]] SourceLocation at(const toml::node& node) const {
    return {path_, node.source().begin.line, node.source().begin.column};
  }
  // Only the first problem is reported.
  void fail(SourceLocation where, std::string what, std::string hint = {}) {
    if (!problem_) problem_ = error_at(std::move(where), std::move(what), std::move(hint));
  }
  std::string text(const toml::node& node, std::string_view key) {
    if (node.is_string() && !node.as_string()->get().empty()) return node.as_string()->get();
    fail(at(node), fmt::format("'{}' must be a text", key));
    return {};
  }

  void baseline(const toml::node& node) {
    const std::string path = text(node, "baseline");
    if (!problem_) contract_.baseline = (std::filesystem::path(path_).parent_path() / path).string();
  }

  void scopes(std::string_view kind, const toml::node& node) {
    const toml::array* all = node.as_array();
    if (!all || all->empty())
      return fail(at(node), fmt::format("'{0}' must be tables", kind), fmt::format("[[{}]]", kind));
    for (const toml::node& one : *all) {
      const toml::table* table = one.as_table();
      if (!table) return fail(at(one), fmt::format("'{0}' must be tables", kind), fmt::format("[[{}]]", kind));
      scope(kind, *table);
    }
  }

  void scope(std::string_view kind, const toml::table& table) {
    const bool is_line = kind == "line";
    const std::string_view selector = is_line ? "at" : "name";
    Scope s;
    const toml::node* expected = nullptr;
    bool selected = false;
    for (const auto& [key, value] : table) {
      if (key == "expect") {
        expected = &value;
      } else if (key == "title") {
        s.title = text(value, key.str());
      } else if (key == selector) {
        selected = true;
        const std::string what = text(value, key.str());
        if (!is_line)
          s.kernel = what;
        else if (s.line = parse_line_range(what); !s.line)
          fail(at(value), fmt::format("'{}' is no line of a file", what), "at = \"transpose.cu:17\"");
      } else if (key == "launch") {
        s.launch = launch(value);
      } else if (is_line && key == "kernel") {
        s.kernel = text(value, key.str());
      } else {
        fail(at(value), fmt::format("[[{}]] has no '{}'", kind, key.str()),
             is_line ? "it has at, kernel, launch, title and expect" : "it has name, launch, title and expect");
      }
    }
    if (!selected) fail(at(table), fmt::format("[[{}]] needs '{}'", kind, selector));
    if (!expected)
      return fail(at(table), fmt::format("[[{}]] expects nothing", kind), "expect = [\"gld_efficiency >= 90\"]");
    expectations(*expected, s);
  }

  // 3 or "3-5".
  std::optional<LaunchRange> launch(const toml::node& node) {
    const auto number = node.value_exact<int64_t>();
    const auto written = node.value_exact<std::string>();
    const auto range = parse_launch_range(number ? std::to_string(*number) : written.value_or(""));
    if (!range)
      fail(at(node), "'launch' must be the number of a launch, from 1, or a range of them",
           "launch = 3, launch = \"3-5\"");
    return range;
  }

  void expectations(const toml::node& node, const Scope& scope) {
    if (node.is_string()) return expectation(node, scope);
    const toml::array* list = node.as_array();
    if (!list || list->empty()) return fail(at(node), "'expect' must be a text, or a list of texts");
    for (const toml::node& one : *list) expectation(one, scope);
  }

  void expectation(const toml::node& node, const Scope& scope) {
    const std::string what = text(node, "expect");
    if (problem_) return;
    SourceLocation place = at(node);
    SourceLocation inside = place;
    ++inside.column;  // behind the quotation mark
    Result<Expectation> e = parse_expectation(what, inside, {scope.kernel, scope.launch, scope.line});
    if (!e) return fail(e.problem().location, e.problem().message, e.problem().hint);
    e->where = std::move(place), e->title = scope.title;
    contract_.expectations.push_back(std::move(*e));
  }

  std::string path_;
  Contract contract_;
  std::optional<Diagnostic> problem_;
};

}  // namespace

Result<Contract> parse_contract(std::string_view text, const std::string& path) {
  try {
    return ContractReader(path).read(toml::parse(text, path));
  } catch (const toml::parse_error& problem) {
    const auto& begin = problem.source().begin;
    return error_at({path, begin.line, begin.column}, std::string(problem.description()));
  }
}

}  // namespace drywarp::gates
