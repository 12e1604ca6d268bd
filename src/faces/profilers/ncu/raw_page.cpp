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

// A column has one unit: that of its greatest value.
std::string unit_of_column(const Results& results, size_t column, const NumberStyle& style, double& factor) {
  double most = 0;
  std::string unit;
  for (const KernelResult& kernel : results.kernels) {
    const Value value = all_values(kernel)[column];
    unit = value.unit;
    most = std::max(most, value.number.value_or(0));
  }
  const Scale scale = scale_of(most, unit, style);
  factor = scale.factor;
  return scale.unit;
}

void write_raw_csv(std::ostream& out, const Results& results, const PageStyle& style) {
  std::vector<std::string> head = id_heading(), units(head.size());
  std::vector<double> factors;
  if (!results.kernels.empty()) {
    const std::vector<Value> first = all_values(results.kernels.front());
    for (size_t c = 0; c < first.size(); ++c) {
      head.push_back(first[c].metric);
      units.push_back(unit_of_column(results, c, style.numbers, factors.emplace_back()));
    }
  }
  write_cells(out, head);
  write_cells(out, units);
  for (const KernelResult& kernel : results.kernels) {
    std::vector<std::string> cells = id_cells(results, kernel);
    size_t column = 0;
    for (const Value& value : all_values(kernel)) {
      const double factor = factors[column++];
      cells.push_back(!value.text.empty() ? value.text
                      : value.number      ? written(*value.number / factor, style.numbers)
                                          : "n/a");
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
    TextTable table{{"Metric Name", "Metric Unit", "Metric Value"}, {}, false};
    for (const Value& value : all_values(kernel)) {
      const Cell cell = written(value, style.numbers, "(!) n/a");
      table.rows.push_back({value.metric, cell.unit, cell.text});
    }
    table.print(out, 2);
    out << '\n';
  }
}

}  // namespace drywarp::profilers::ncu
