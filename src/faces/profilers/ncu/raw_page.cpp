#include <algorithm>
#include <ostream>

#include "faces/profilers/ncu/layout.h"

namespace drywarp::profilers::ncu {
namespace {

// Every metric once, by name.
std::vector<Value> all_values(const KernelResult& kernel) {
  std::vector<Value> all = kernel.launch_facts;
  for (const Block& block : kernel.blocks) all.insert(all.end(), block.values.begin(), block.values.end());
  std::ranges::stable_sort(all, {}, &Value::metric);
  const auto again = std::ranges::unique(all, {}, &Value::metric);
  all.erase(again.begin(), again.end());
  return all;
}

void write_raw_csv(std::ostream& out, const Results& results, const PageStyle& style) {
  std::vector<std::string> head = id_heading(), units(head.size());
  std::vector<std::vector<Value>> rows;
  for (const KernelResult& kernel : results.kernels) rows.push_back(all_values(kernel));
  // A column has one unit: that of its greatest value.
  std::vector<double> factors;
  for (size_t c = 0; !rows.empty() && c < rows[0].size(); ++c) {
    double most = 0;
    for (const std::vector<Value>& row : rows) most = std::max(most, row[c].number.value_or(0));
    const Scale scale = scale_of(most, rows[0][c].unit, style.numbers);
    factors.push_back(scale.factor);
    head.push_back(rows[0][c].metric);
    units.push_back(scale.unit);
  }
  write_cells(out, head);
  write_cells(out, units);
  for (size_t r = 0; r < rows.size(); ++r) {
    std::vector<std::string> cells = id_cells(results, results.kernels[r]);
    for (size_t c = 0; c < rows[r].size(); ++c) {
      Value value = rows[r][c];
      if (value.number) *value.number /= factors[c];
      cells.push_back(!value.text.empty() ? value.text : value.number ? written(*value.number, style.numbers) : "n/a");
    }
    write_cells(out, cells);
  }
}

}  // namespace

void write_raw(std::ostream& out, const Results& results, const PageStyle& style) {
  if (style.csv) return write_raw_csv(out, results, style);
  write_process(out, results);
  for (const KernelResult& kernel : results.kernels) {
    write_kernel(out, results, kernel);
    TextTable table{{"Metric Name", "Metric Unit", "Metric Value"}, {}, TableStyle::Raw};
    for (const Value& value : all_values(kernel)) {
      const Cell cell = written(value, style.numbers, "(!) n/a");
      table.rows.push_back({value.metric, cell.unit, cell.text});
    }
    table.print(out, 2);
    out << '\n';
  }
}

}  // namespace drywarp::profilers::ncu
