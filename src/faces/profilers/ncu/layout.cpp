#include "faces/profilers/ncu/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace drywarp::profilers::ncu {

void TextTable::print(std::ostream& out, size_t indent) const {
  std::vector<size_t> widths;
  for (size_t c = 0; c < head.size(); ++c) {
    widths.push_back(head[c].size());
    for (const auto& row : rows) widths[c] = std::max(widths[c], row[c].size());
  }
  const std::string blanks(indent, ' ');
  std::string dashes = blanks;
  for (size_t c = 0; c < widths.size(); ++c) dashes += (c ? " " : "") + std::string(widths[c], '-');
  const auto line = [&](const std::vector<std::string>& cells) {
    out << blanks;
    for (size_t c = 0; c < cells.size(); ++c)
      out << (c && style != TableStyle::List ? fmt::format(" {:>{}}", cells[c], widths[c])
                                             : fmt::format("{}{:<{}}", c ? " " : "", cells[c], widths[c]));
    out << '\n';
  };
  if (style != TableStyle::Raw) out << dashes << '\n';
  line(head);
  out << dashes << '\n';
  for (const auto& row : rows) line(row);
  if (style == TableStyle::Values) out << dashes << '\n';
}

std::string extent(const record::Extent& e) { return fmt::format("({}, {}, {})", e.x, e.y, e.z); }

void write_process(std::ostream& out, const Results& results) {
  out << fmt::format("[{}] {}@{}\n", results.pid, results.process, kHost);
}

void write_kernel(std::ostream& out, const Results& results, const KernelResult& kernel) {
  out << fmt::format("  {} {}x{}, Context 1, Stream {}, Device 0, CC {}\n", kernel.kernel, extent(kernel.grid),
                     extent(kernel.block), kernel.stream, results.compute_capability);
}

std::string label_of(const Value& value, MetricLabel label) {
  if (label == MetricLabel::Name) return value.metric;
  if (label == MetricLabel::Both && value.label != value.metric)
    return fmt::format("{} ({})", value.label, value.metric);
  return value.label;
}

void write_cells(std::ostream& out, const std::vector<std::string>& cells, bool open_end) {
  bool first = true;
  for (const std::string& cell : cells) {
    if (!first) out << ',';
    first = false;
    out << '"';
    for (const char c : cell) out << (c == '"' ? "\"\"" : std::string(1, c));
    out << '"';
  }
  out << (open_end ? ",\n" : "\n");
}

std::vector<std::string> id_heading() {
  return {"ID",     "Process ID", "Process Name", "Host Name", "Kernel Name", "Context",
          "Stream", "Block Size", "Grid Size",    "Device",    "CC"};
}

std::vector<std::string> id_cells(const Results& results, const KernelResult& kernel) {
  return {std::to_string(kernel.id),
          std::to_string(results.pid),
          results.process,
          kHost,
          kernel.kernel,
          "1",
          std::to_string(kernel.stream),
          extent(kernel.block),
          extent(kernel.grid),
          "0",
          results.compute_capability};
}

}  // namespace drywarp::profilers::ncu
