// Tables in the bodies of sections, which --print-details shows.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace drywarp::profilers::ncu {

struct BodyTable {
  std::string_view section, heading, name, description;
  bool by_value = false;  // the greatest first
};
// Of one section.
[[nodiscard]] std::vector<BodyTable> tables_of(std::string_view section);

struct TableRow {
  std::string label, metric;
};
// By the metric's name.
[[nodiscard]] std::vector<TableRow> rows_of(const BodyTable& table);

}  // namespace drywarp::profilers::ncu
