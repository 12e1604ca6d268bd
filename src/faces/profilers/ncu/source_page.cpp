#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <ostream>

#include "faces/profilers/ncu/layout.h"
#include "profile/metrics/sums.h"
#include "profile/report/model/parts.h"

namespace drywarp::profilers::ncu {
namespace {

struct Column {
  const char *title, *metric;
};
// Nsight Compute's columns of which drywarp has values by source line. Instructions are the PTX's.
constexpr std::array<Column, 9> kColumns = {
    {{"Instructions Executed", "ptx__inst_executed.sum"},
     {"Thread Instructions Executed", "ptx__thread_inst_executed.sum"},
     {"Predicated-On Thread Instructions Executed", "ptx__thread_inst_executed_pred_on.sum"},
     {"Avg. Threads Executed", "ptx__thread_inst_executed_per_inst_executed.ratio"},
     {"Avg. Predicated-On Threads Executed", "ptx__thread_inst_executed_pred_on_per_inst_executed.ratio"},
     {"L1 Conflicts Shared N-Way", "derived__memory_l1_conflicts_shared_nway"},
     {"L2 Theoretical Sectors Global Excessive", "derived__memory_l2_theoretical_sectors_global_excessive"},
     {"L2 Theoretical Sectors Global", "memory_l2_theoretical_sectors_global"},
     {"L2 Theoretical Sectors Global Ideal", "memory_l2_theoretical_sectors_global_ideal"}}};

using Lines = std::map<uint32_t, metrics::Sums>;  // by line

std::vector<std::string> cells_of(const metrics::Sums* sums, const PageStyle& style) {
  std::vector<std::string> cells;
  for (const Column& column : kColumns) {
    const metrics::Metric* metric = metrics::find_metric(column.metric);
    const auto number = sums && metric ? metric->evaluate(*sums, {}) : std::optional<double>(0);
    cells.push_back(written(number.value_or(0), style.numbers));
  }
  return cells;
}

void write_file(std::ostream& out, const std::string& file, const Lines& lines, const std::vector<std::string>& text,
                const PageStyle& style) {
  std::vector<std::string> head = {"Line No", "Source"};
  for (const Column& column : kColumns) head.emplace_back(column.title);
  std::vector<std::vector<std::string>> rows;
  const uint32_t last =
      std::max<uint32_t>(static_cast<uint32_t>(text.size()), lines.empty() ? 0 : lines.rbegin()->first);
  for (uint32_t line = 1; line <= last; ++line) {
    const auto found = lines.find(line);
    std::vector<std::string> row = {std::to_string(line), line <= text.size() ? text[line - 1] : ""};
    for (std::string& cell : cells_of(found == lines.end() ? nullptr : &found->second, style))
      row.push_back(std::move(cell));
    rows.push_back(std::move(row));
  }
  if (style.csv) {
    write_cells(out, {"File Name", file});
    write_cells(out, head);
    for (const auto& row : rows) write_cells(out, row);
    return;
  }
  out << "    File Name: " << file << "\n    Line No";
  for (size_t c = 2; c < head.size(); ++c) out << "; " << head[c];
  out << "; Source\n";
  for (const auto& row : rows) {
    std::string line = fmt::format("    {:>5}", row[0]);
    for (size_t c = 2; c < row.size(); ++c) line += fmt::format(" {:>14}", row[c]);
    out << line << "  " << row[1] << '\n';
  }
}

}  // namespace

void write_source(std::ostream& out, const Results& results, const record::Profile& profile, const PageStyle& style) {
  if (!style.csv) write_process(out, results);
  for (const KernelResult& result : results.kernels) {
    const record::LaunchRecord& launch = profile.launches[result.launch];
    const KernelInfo& kernel = *profile.kernels[launch.kernel];
    if (style.csv)
      write_cells(out, {"Kernel Name", result.kernel});
    else
      write_kernel(out, results, result);
    std::map<uint32_t, Lines> files;
    for (const metrics::LineSums& line : metrics::sum_lines(kernel, launch.counts))
      if (line.file < kernel.files.size()) files[line.file][line.line] = line.sums;
    for (const auto& [file, lines] : files) {
      const std::string& name = kernel.files[file];
      const auto kept = profile.kept.sources.find(name);
      write_file(out, name, lines, kept != profile.kept.sources.end() ? kept->second : report::read_source(name),
                 style);
    }
    out << '\n';
  }
}

}  // namespace drywarp::profilers::ncu
