// A table whose rows are chosen by name: the formats of one kind of output, or the pages of the text report. Options,
// help, completion and messages list its names, so that a new row is known everywhere.
#pragma once

#include <algorithm>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/support/result.h"

namespace drywarp::report {

// "text, csv and json"
[[nodiscard]] std::string enumerated(std::span<const std::string_view> names, std::string_view conjunction = "and");
// "the report has no format 'xml'", and those that it has.
[[nodiscard]] Diagnostic unknown_name(std::string_view owner, std::string_view noun, std::string_view name,
                                      std::span<const std::string_view> known);

// A Row has a `name`. A table is constexpr; `rows` outlives it.
template <class Row>
class NamedTable {
 public:
  // Of "the report", the "format"s.
  constexpr NamedTable(std::string_view owner, std::string_view noun, std::span<const Row> rows)
      : owner_(owner), noun_(noun), rows_(rows) {}

  // Fails for an unknown name with a list of those that there are.
  Result<const Row*> find(std::string_view name) const {
    const auto found = std::ranges::find(rows_, name, &Row::name);
    if (found == rows_.end()) return unknown_name(owner_, noun_, name, names());
    return &*found;
  }
  template <class Wanted>
  [[nodiscard]] std::vector<std::string_view> names_if(Wanted wanted) const {
    std::vector<std::string_view> all;
    for (const Row& row : rows_)
      if (wanted(row)) all.push_back(row.name);
    return all;
  }
  [[nodiscard]] std::vector<std::string_view> names() const {
    return names_if([](const Row&) { return true; });
  }
  // "text|csv|json", as an option's type
  [[nodiscard]] std::string choices() const {
    std::string all;
    for (const Row& row : rows_) all.append(all.empty() ? "" : "|").append(row.name);
    return all;
  }
  // "csv and json": the formats that programs read
  [[nodiscard]] std::string data_names(std::string_view conjunction = "and") const {
    return enumerated(names_if([](const Row& row) { return !row.terminal; }), conjunction);
  }

 private:
  std::string_view owner_, noun_;
  std::span<const Row> rows_;
};

// A format of an output that needs nothing but its contents.
template <class... Contents>
struct OutputFormat {
  std::string_view name;
  bool terminal = false;  // for people at a terminal; otherwise for programs
  void (*write)(std::ostream& out, const Contents&... contents) = nullptr;
};
template <class... Contents>
using Formats = NamedTable<OutputFormat<Contents...>>;

}  // namespace drywarp::report
