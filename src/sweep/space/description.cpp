#include "sweep/space/description.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>

namespace drywarp::sweep {
namespace {

constexpr const char* kSearches[] = {"grid", "random", "halving"};

class DescriptionReader {
 public:
  explicit DescriptionReader(const std::string& path) : path_(path) {}

  Result<Description> read(const toml::table& root) {
    using Read = void (DescriptionReader::*)(const toml::node&, std::string_view);
    static constexpr std::pair<std::string_view, Read> kKeys[] = {{"program", &DescriptionReader::program},
                                                                  {"arguments", &DescriptionReader::arguments},
                                                                  {"device", &DescriptionReader::device},
                                                                  {"kernel", &DescriptionReader::kernel},
                                                                  {"verify", &DescriptionReader::verify},
                                                                  {"search", &DescriptionReader::search},
                                                                  {"runs", &DescriptionReader::runs},
                                                                  {"seed", &DescriptionReader::seed},
                                                                  {"parameter", &DescriptionReader::parameters},
                                                                  {"constraints", &DescriptionReader::later},
                                                                  {"per", &DescriptionReader::per}};
    for (const auto& [name, node] : root) {
      const auto* known = std::ranges::find(kKeys, name.str(), &std::pair<std::string_view, Read>::first);
      if (known == std::end(kKeys))
        fail(at(node), fmt::format("a sweep has no '{}'", name.str()),
             "it has program, arguments, device, kernel, verify, search, runs, seed, per, constraints and "
             "[[parameter]]");
      else
        (this->*known->second)(node, name.str());
    }
    // Parameters first: constraints and arguments name them.
    if (const toml::node* constraints = root.get("constraints"))
      each_text(*constraints, "constraints", [&](auto& n, auto t) { pass(n, d_.space.constrain(std::move(t))); });
    if (problem_) return *problem_;
    if (Status status = take_arguments(d_, written_); !status)
      fail(root.get("arguments") ? at(*root.get("arguments")) : SourceLocation{path_, 0, 0}, status.problem().message,
           status.problem().hint);
    for (const std::string& name : d_.per)
      if (!d_.space.find(name)) fail(at(*root.get("per")), fmt::format("there is no parameter '{}'", name));
    if (problem_) return *problem_;
    return std::move(d_);
  }

 private:
  [[nodiscard]] SourceLocation at(const toml::node& node) const {
    return {path_, node.source().begin.line, node.source().begin.column};
  }
  // Only the first problem is reported.
  void fail(SourceLocation where, std::string what, std::string hint = {}) {
    if (!problem_) problem_ = error_at(std::move(where), std::move(what), std::move(hint));
  }
  void pass(const toml::node& node, const Status& status) {
    if (!status) fail(at(node), status.problem().message, status.problem().hint);
  }
  std::string text(const toml::node& node, std::string_view name) {
    if (node.is_string() && !node.as_string()->get().empty()) return node.as_string()->get();
    fail(at(node), fmt::format("'{}' must be a text", name));
    return {};
  }
  template <class Take>
  void each_text(const toml::node& node, std::string_view name, Take take) {
    if (node.is_string()) return take(node, text(node, name));
    const toml::array* list = node.as_array();
    if (!list) return fail(at(node), fmt::format("'{}' must be a list of texts", name));
    for (const toml::node& one : *list)
      if (std::string t = text(one, name); !problem_) take(one, std::move(t));
  }

  void program(const toml::node& node, std::string_view name) {
    each_text(node, name, [&](const toml::node&, std::string t) { d_.program.words.push_back(std::move(t)); });
  }
  void arguments(const toml::node& node, std::string_view name) {
    each_text(node, name, [&](const toml::node&, std::string t) { written_.push_back(std::move(t)); });
  }
  void device(const toml::node& node, std::string_view name) { d_.program.device = text(node, name); }
  void kernel(const toml::node& node, std::string_view name) { d_.program.kernel = text(node, name); }
  void verify(const toml::node& node, std::string_view name) { d_.program.verify = text(node, name); }
  void search(const toml::node& node, std::string_view name) {
    const auto found = parse_search(text(node, name));
    if (!found) return fail(at(node), "there is no such search", "grid, random or halving");
    d_.search = *found;
  }
  void runs(const toml::node& node, std::string_view name) { d_.runs = count(node, name); }
  void seed(const toml::node& node, std::string_view name) { d_.seed = count(node, name); }
  void per(const toml::node& node, std::string_view name) {
    each_text(node, name, [&](const toml::node&, std::string t) { d_.per.push_back(std::move(t)); });
  }
  void later(const toml::node&, std::string_view) {}
  uint64_t count(const toml::node& node, std::string_view name) {
    const auto value = node.value_exact<int64_t>();
    if (value && *value > 0) return static_cast<uint64_t>(*value);
    fail(at(node), fmt::format("'{}' must be an integer above 0", name));
    return 0;
  }

  void parameters(const toml::node& node, std::string_view) {
    const toml::array* all = node.as_array();
    if (!all) return fail(at(node), "'parameter' must be tables", "[[parameter]]");
    for (const toml::node& one : *all) {
      if (const toml::table* table = one.as_table())
        parameter(*table);
      else
        fail(at(one), "'parameter' must be tables", "[[parameter]]");
    }
  }

  void parameter(const toml::table& table) {
    std::string name, when;
    std::optional<Kind> kind;
    std::vector<Value> found;
    std::vector<std::string> names;
    for (const auto& [key, node] : table) {
      if (key == "name") {
        name = text(node, "name");
      } else if (key == "kind") {
        kind = parse_kind(text(node, "kind"));
        if (!kind) fail(at(node), "there is no such kind", "macro, argument, options, registers, device or what-if");
      } else if (key == "values") {
        values(node, found);
      } else if (key == "names") {
        each_text(node, "names", [&](const toml::node&, std::string t) { names.push_back(std::move(t)); });
      } else if (key == "when") {
        when = text(node, "when");
      } else {
        fail(at(node), fmt::format("[[parameter]] has no '{}'", key.str()),
             "it has name, kind, values, names and when");
      }
    }
    if (problem_) return;
    if (name.empty() || !kind || found.empty()) return fail(at(table), "[[parameter]] needs name, kind and values");
    if (!names.empty() && names.size() != found.size())
      return fail(at(table), fmt::format("{} has {} values and {} names", name, found.size(), names.size()));
    for (size_t i = 0; i < names.size(); ++i) found[i].label = names[i];
    pass(table, d_.space.add(std::move(name), *kind, std::move(found), when));
  }

  // Texts stand as they are, but for ranges.
  void values(const toml::node& node, std::vector<Value>& values) {
    const toml::array* list = node.as_array();
    if (!list) return fail(at(node), "'values' must be a list");
    for (const toml::node& one : *list) {
      if (const auto number = one.value_exact<int64_t>()) {
        values.push_back(value_of(std::to_string(*number)));
      } else if (one.is_string() && one.as_string()->get().find("..") != std::string::npos &&
                 one.as_string()->get().find_first_of(",/") == std::string::npos) {
        auto range = parse_values(one.as_string()->get());
        if (!range) return fail(at(one), range.problem().message, range.problem().hint);
        values.insert(values.end(), range->begin(), range->end());
      } else if (one.is_string()) {
        const std::string& t = one.as_string()->get();
        values.push_back(value_of(t, t.empty() ? "none" : t));
      } else if (const auto real = one.value_exact<double>()) {
        values.push_back(value_of(fmt::format("{}", *real)));
      } else {
        return fail(at(one), "a value must be a number or a text");
      }
    }
  }

  std::string path_;
  Description d_;
  std::vector<std::string> written_;  // arguments
  std::optional<Diagnostic> problem_;
};

}  // namespace

const char* key(Search search) { return kSearches[static_cast<size_t>(search)]; }

std::optional<Search> parse_search(std::string_view key) {
  const auto* found = std::ranges::find(kSearches, key);
  if (found == std::end(kSearches)) return std::nullopt;
  return static_cast<Search>(found - kSearches);
}

Result<Description> parse_description(std::string_view text, const std::string& path) {
  try {
    return DescriptionReader(path).read(toml::parse(text, path));
  } catch (const toml::parse_error& problem) {
    const auto& begin = problem.source().begin;
    return error_at({path, begin.line, begin.column}, std::string(problem.description()));
  }
}

Status take_arguments(Description& description, const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    std::string plain;
    for (size_t begin = 0; begin < argument.size();) {
      const size_t open = argument.find('{', begin), close = argument.find('}', open);
      if (open == std::string::npos || close == std::string::npos) {
        plain += argument.substr(begin);
        break;
      }
      const std::string inside = argument.substr(open + 1, close - open - 1);
      const size_t equals = inside.find('=');
      const std::string name = inside.substr(0, equals);
      if (equals != std::string::npos) {
        auto values = parse_values(std::string_view(inside).substr(equals + 1));
        if (!values) return values.problem();
        if (Status status = description.space.add(name, Kind::Argument, std::move(*values)); !status) return status;
      } else if (!description.space.find(name)) {
        return error(fmt::format("the argument '{}' names no parameter", argument),
                     fmt::format("give it values: {{{}=1,2,4}}", name.empty() ? "n" : name));
      }
      plain += argument.substr(begin, open - begin) + "{" + name + "}";
      begin = close + 1;
    }
    description.program.arguments.push_back(std::move(plain));
  }
  return {};
}

}  // namespace drywarp::sweep
