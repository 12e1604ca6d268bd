#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "faces/profilers/ncu/layout.h"

namespace drywarp::profilers::ncu {
namespace {

// The launches of a kernel with one configuration.
struct Group {
  const KernelResult* first;
  std::vector<const KernelResult*> launches;
};

std::vector<Group> groups(const Results& results) {
  std::vector<Group> all;
  for (const KernelResult& kernel : results.kernels) {
    const auto same = std::ranges::find_if(all, [&](const Group& g) {
      return g.first->kernel == kernel.kernel && g.first->grid == kernel.grid && g.first->block == kernel.block;
    });
    if (same != all.end())
      same->launches.push_back(&kernel);
    else
      all.push_back({&kernel, {&kernel}});
  }
  return all;
}

// Unit, least, greatest and mean; n/a if a launch has no value.
std::vector<std::string> spread(const Group& group, size_t block, size_t value, const PageStyle& style,
                                const char* missing) {
  double least = 0, most = 0, sum = 0;
  for (const KernelResult* launch : group.launches) {
    const std::optional<double>& number = launch->blocks[block].values[value].number;
    if (!number) return {group.first->blocks[block].values[value].unit, missing, missing, missing};
    least = launch == group.first ? *number : std::min(least, *number);
    most = launch == group.first ? *number : std::max(most, *number);
    sum += *number;
  }
  const double mean = sum / static_cast<double>(group.launches.size());
  const Scale scale = scale_of(mean, group.first->blocks[block].values[value].unit, style.numbers);
  NumberStyle numbers = style.numbers;
  numbers.fractions = true;
  return {scale.unit, written(least / scale.factor, numbers), written(most / scale.factor, numbers),
          written(mean / scale.factor, numbers)};
}

std::vector<size_t> blocks_by_title(const KernelResult& kernel) {
  std::vector<size_t> order;
  for (size_t i = 0; i < kernel.blocks.size(); ++i)
    if (!kernel.blocks[i].values.empty()) order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](size_t i) { return kernel.blocks[i].title; });
  return order;
}

void write_summary_csv(std::ostream& out, const Results& results, const PageStyle& style) {
  write_cells(out, {"Process ID", "Process Name", "Host Name", "Kernel Name", "Block Size", "Grid Size", "Device", "CC",
                    "Invocations", "Section Name", "Metric Name", "Metric Unit", "Minimum", "Maximum", "Average"});
  for (const Group& group : groups(results))
    for (const size_t b : blocks_by_title(*group.first))
      for (size_t v = 0; v < group.first->blocks[b].values.size(); ++v) {
        const Block& block = group.first->blocks[b];
        const auto cells = spread(group, b, v, style, "n/a");
        write_cells(
            out, {std::to_string(results.pid), results.process, kHost, group.first->kernel, extent(group.first->block),
                  extent(group.first->grid), "0", results.compute_capability, std::to_string(group.launches.size()),
                  block.title, label_of(block.values[v], style.label), cells[0], cells[1], cells[2], cells[3]});
      }
}

}  // namespace

void write_summary(std::ostream& out, const Results& results, const PageStyle& style) {
  if (style.csv) return write_summary_csv(out, results, style);
  write_process(out, results);
  for (const Group& group : groups(results)) {
    out << fmt::format("  {} {}x{}, Device 0, CC {}, Invocations {}\n", group.first->kernel, extent(group.first->grid),
                       extent(group.first->block), results.compute_capability, group.launches.size());
    for (const size_t b : blocks_by_title(*group.first)) {
      const Block& block = group.first->blocks[b];
      out << "    Section: " << block.title << '\n';
      TextTable table{{"Metric Name", "Metric Unit", "Minimum", "Maximum", "Average"}};
      for (size_t v = 0; v < block.values.size(); ++v) {
        std::vector<std::string> cells = spread(group, b, v, style, "(!) n/a");
        cells.insert(cells.begin(), label_of(block.values[v], style.label));
        table.rows.push_back(std::move(cells));
      }
      table.print(out, 4);
      out << '\n';
    }
  }
}

}  // namespace drywarp::profilers::ncu
