#include <fmt/format.h>

#include <ostream>

#include "faces/profilers/ncu/layout.h"
#include "profile/report/writers/layout.h"

namespace drywarp::profilers::ncu {
namespace {

void write_details_csv(std::ostream& out, const Results& results, const PageStyle& style) {
  std::vector<std::string> head = id_heading();
  head.emplace_back("Section Name");
  if (style.bodies) head.emplace_back("Body Item Label");
  for (const char* name : {"Metric Name", "Metric Unit", "Metric Value"}) head.emplace_back(name);
  if (results.rules)
    for (const char* name :
         {"Rule Name", "Rule Type", "Rule Description", "Estimated Speedup Type", "Estimated Speedup"})
      head.emplace_back(name);
  write_cells(out, head);
  for (const KernelResult& kernel : results.kernels)
    for (const Block& block : kernel.blocks) {
      const auto write_values = [&](const std::vector<Value>& values, std::string_view item) {
        for (const Value& value : values) {
          std::vector<std::string> cells = id_cells(results, kernel);
          const Cell cell = written(value, style.numbers, "n/a");
          cells.push_back(block.title);
          if (style.bodies) cells.emplace_back(item);
          for (const std::string& c : {label_of(value, style.label), cell.unit, cell.text}) cells.push_back(c);
          write_cells(out, cells, results.rules);
        }
      };
      write_values(block.values, "");
      for (const FilledTable& table : block.tables) write_values(table.values, table.table.name);
      for (const RuleResult& rule : block.rules) {
        std::vector<std::string> cells = id_cells(results, kernel);
        // A rule's row has the section's identifier, as Nsight Compute writes it.
        cells.push_back(block.section);
        if (style.bodies) cells.emplace_back();
        for (const std::string& c : {std::string(), std::string(), std::string(), rule.name, rule.type, rule.text,
                                     std::string(rule.speedup ? "global" : ""),
                                     rule.speedup ? fmt::format("{:.2f}", *rule.speedup) : std::string()})
          cells.push_back(c);
        write_cells(out, cells);
      }
    }
}

// Lines of at most 108 columns, filled to 110 with blanks, as Nsight Compute writes them.
constexpr size_t kWidth = 110, kText = 108;
void write_rule(std::ostream& out, const RuleResult& rule) {
  std::vector<std::string> lines;
  if (rule.speedup) lines.push_back(fmt::format("Est. Speedup: {:.2f}%", *rule.speedup));
  for (std::string& line : report::wrapped(rule.text, kText)) lines.push_back(std::move(line));
  for (size_t i = 0; i < lines.size(); ++i)
    out << fmt::format("    {:<6}{:<{}}\n", i == 0 ? rule.type : "", lines[i], kWidth);
}

void write_rules(std::ostream& out, const std::vector<RuleResult>& rules) {
  for (size_t i = 0; i < rules.size(); ++i) {
    if (i > 0) out << fmt::format("    ----- {:-<{}}\n", "", kWidth);
    write_rule(out, rules[i]);
  }
  if (!rules.empty()) out << '\n';
}

void write_values(std::ostream& out, const std::vector<Value>& values, const PageStyle& style) {
  TextTable table{{"Metric Name", "Metric Unit", "Metric Value"}};
  for (const Value& value : values) {
    const Cell cell = written(value, style.numbers, "(!) n/a");
    table.rows.push_back({label_of(value, style.label), cell.unit, cell.text});
  }
  table.print(out, 4);
  out << '\n';
}

void write_block(std::ostream& out, const Block& block, const PageStyle& style) {
  if (block.values.empty() && block.rules.empty() && block.tables.empty()) return;  // charts only
  out << "    Section: " << block.title << '\n';
  if (!block.values.empty()) write_values(out, block.values, style);
  std::string_view heading;
  for (const FilledTable& filled : block.tables) {
    const BodyTable& table = filled.table;
    if (heading != table.heading) out << fmt::format("    {}\n", table.heading);
    heading = table.heading;
    out << fmt::format("    Table Name : {}\n", table.name);
    if (!table.description.empty()) out << fmt::format("    Table Description : {}\n", table.description);
    write_values(out, filled.values, style);
  }
  write_rules(out, block.rules);
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
