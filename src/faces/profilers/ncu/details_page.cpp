#include <ostream>

#include "faces/profilers/ncu/layout.h"

namespace drywarp::profilers::ncu {
namespace {

void write_details_csv(std::ostream& out, const Results& results, const PageStyle& style) {
  std::vector<std::string> head = id_heading();
  for (const char* name : {"Section Name", "Metric Name", "Metric Unit", "Metric Value"}) head.emplace_back(name);
  if (results.rules)
    for (const char* name :
         {"Rule Name", "Rule Type", "Rule Description", "Estimated Speedup Type", "Estimated Speedup"})
      head.emplace_back(name);
  write_cells(out, head);
  for (const KernelResult& kernel : results.kernels)
    for (const Block& block : kernel.blocks)
      for (const Value& value : block.values) {
        std::vector<std::string> cells = id_cells(results, kernel);
        const Cell cell = written(value, style.numbers, "n/a");
        for (const std::string& c : {block.title, label_of(value, style.label), cell.unit, cell.text})
          cells.push_back(c);
        write_cells(out, cells, results.rules);
      }
}

void write_block(std::ostream& out, const Block& block, const PageStyle& style) {
  if (block.values.empty()) return;  // charts and tables only
  out << "    Section: " << block.title << '\n';
  TextTable table{{"Metric Name", "Metric Unit", "Metric Value"}};
  for (const Value& value : block.values) {
    const Cell cell = written(value, style.numbers, "(!) n/a");
    table.rows.push_back({label_of(value, style.label), cell.unit, cell.text});
  }
  table.print(out, 4);
  out << '\n';
}

}  // namespace

void write_details(std::ostream& out, const Results& results, const PageStyle& style) {
  if (style.csv) return write_details_csv(out, results, style);
  write_process(out, results);
  for (const KernelResult& kernel : results.kernels) {
    write_kernel(out, results, kernel);
    for (const Block& block : kernel.blocks) write_block(out, block, style);
  }
}

}  // namespace drywarp::profilers::ncu
