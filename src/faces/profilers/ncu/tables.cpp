#include "faces/profilers/ncu/tables.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "faces/profilers/ncu/catalogue.h"
#include "faces/profilers/ncu/groups.h"
#include "profile/metrics/rollups.h"

namespace drywarp::profilers::ncu {
namespace {

#define DW_TABLE(section, heading, name, description, by_value) {section, heading, name, description, by_value},
constexpr BodyTable kTables[] = {
#include "faces/profilers/ncu/tables.def"
};
struct LabelledRow {
  std::string_view table, label, metric;
};
#define DW_TABLE_ROW(table, label, metric) {table, label, metric},
constexpr LabelledRow kRows[] = {
#include "faces/profilers/ncu/tables.def"
};
struct Metrics {
  std::string_view table, list;
};
#define DW_TABLE_METRICS(table, metrics) {table, metrics},
constexpr Metrics kMetrics[] = {
#include "faces/profilers/ncu/tables.def"
};

struct UnitTitle {
  std::string_view prefix, title;
};
constexpr UnitTitle kUnitTitles[] = {{"sm", "SM"},     {"idc", "IDC"},   {"lts", "L2"}, {"l1tex", "L1"},
                                     {"dram", "DRAM"}, {"fbpa", "DRAM"}, {"gpu", "GPU"}};

// "SM: Inst Executed Pipe Adu", of a counter of a throughput.
std::string compound_label(std::string_view metric) {
  const std::string_view base = metrics::split_rollup(metric).base;
  const size_t name = base.find("__");
  const std::string_view unit = base.substr(0, name);
  const auto* title = std::ranges::find(kUnitTitles, unit, &UnitTitle::prefix);
  std::string label(title == std::end(kUnitTitles) ? unit : title->title);
  label += ':';
  bool first = true;
  for (const char c : base.substr(name + 2)) {
    if (first) label += ' ';
    if (c != '_') label += first ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    first = c == '_';
  }
  return label;
}

}  // namespace

std::vector<BodyTable> tables_of(std::string_view section) {
  std::vector<BodyTable> tables;
  std::ranges::copy_if(kTables, std::back_inserter(tables), [&](const BodyTable& t) { return t.section == section; });
  return tables;
}

std::vector<TableRow> rows_of(const BodyTable& table) {
  std::vector<TableRow> rows;
  for (const LabelledRow& row : kRows)
    if (row.table == table.name) rows.push_back({std::string(row.label), std::string(row.metric)});
  for (const Metrics& metrics : kMetrics) {
    if (metrics.table != table.name) continue;
    const bool group = names_group(metrics.list);
    for (const std::string& name : group ? metrics_of_group(metrics.list) : comma_separated(metrics.list))
      rows.push_back({metrics.list.starts_with("breakdown:") ? compound_label(name) : name, name});
  }
  std::ranges::sort(rows, {}, &TableRow::metric);
  return rows;
}

}  // namespace drywarp::profilers::ncu
