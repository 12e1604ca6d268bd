#include <algorithm>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "faces/profilers/nvprof/table.h"
#include "faces/profilers/nvprof/tables.h"
#include "profile/report/model/model.h"

namespace drywarp::profilers::nvprof {
namespace {

struct SummaryRow {
  std::string name;
  uint64_t calls = 0;
  report::Tally seconds;  // of those that have a time
};

// In order of their time; names without any last.
class SummaryRows {
 public:
  void add(const std::string& name, std::optional<double> seconds) {
    SummaryRow& row = rows_[name];
    row.name = name;
    ++row.calls;
    if (seconds) row.seconds.add(*seconds);
  }
  [[nodiscard]] std::vector<SummaryRow> sorted() const {
    std::vector<SummaryRow> rows;
    for (const auto& [name, row] : rows_) rows.push_back(row);
    std::ranges::sort(rows, [](const SummaryRow& a, const SummaryRow& b) {
      return a.seconds.total != b.seconds.total ? a.seconds.total > b.seconds.total : a.name < b.name;
    });
    return rows;
  }

 private:
  std::map<std::string, SummaryRow> rows_;
};

void add_rows(Table& table, const char* type, const std::vector<SummaryRow>& rows) {
  double all = 0;
  for (const SummaryRow& row : rows) all += row.seconds.total;
  for (const SummaryRow& row : rows) {
    const auto timed = [&](double value) { return Cell::of(row.seconds.count ? std::optional(value) : std::nullopt); };
    const report::Tally& s = row.seconds;
    table.row({Cell::of(&row == rows.data() ? std::string(type) + ":" : std::string()), Cell::of(std::string(type)),
               timed(all > 0 ? 100 * s.total / all : 0), timed(s.total), Cell::of(double(row.calls)), timed(s.avg()),
               timed(s.min), timed(s.max), Cell::of(row.name)});
  }
}

std::vector<Column> columns() {
  return {{.head = "Type", .width = 16, .in = Column::In::Text, .blank = true},
          {.head = "Type", .in = Column::In::Csv},
          {.head = "Time(%)", .width = 7, .kind = CellKind::Percent},
          {.head = "Time", .width = 8, .kind = CellKind::Time},
          {.head = "Calls", .width = 8, .kind = CellKind::Count},
          {.head = "Avg", .width = 8, .kind = CellKind::Time},
          {.head = "Min", .width = 8, .kind = CellKind::Time},
          {.head = "Max", .width = 8, .kind = CellKind::Time},
          {.head = "Name"}};
}

}  // namespace

void write_summary(std::ostream& out, const Timeline& timeline, bool gpu, bool api, const Style& style) {
  SummaryRows activities, calls;
  for (const Activity& a : timeline.activities) activities.add(a.name, a.seconds);
  for (const Call& c : timeline.calls) calls.add(c.name, c.seconds);
  Table table(columns());
  if (gpu) add_rows(table, "GPU activities", activities.sorted());
  if (api) add_rows(table, "API calls", calls.sorted());
  if (gpu && timeline.activities.empty()) out << "No kernels were profiled.\n";
  if (api && timeline.calls.empty()) out << "No API activities were profiled.\n";
  if (table.empty()) return;
  style.csv ? table.write_csv(out, style.unit) : table.write_text(out, style.unit);
}

}  // namespace drywarp::profilers::nvprof
