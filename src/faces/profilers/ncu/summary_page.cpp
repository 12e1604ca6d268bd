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
  std::ranges::stable_sort(all, {}, [](const Group& g) { return g.first->kernel; });
  return all;
}

// Label, unit, least, greatest and mean; nothing if a launch has no number, as Nsight Compute leaves such rows out.
std::optional<std::vector<std::string>> spread(const Group& group, size_t block, size_t value, const PageStyle& style) {
  double least = 0, most = 0, sum = 0;
  for (const KernelResult* launch : group.launches) {
    const std::optional<double>& number = launch->blocks[block].values[value].number;
    if (!number) return std::nullopt;
    least = launch == group.first ? *number : std::min(least, *number);
    most = launch == group.first ? *number : std::max(most, *number);
    sum += *number;
  }
  const double mean = sum / static_cast<double>(group.launches.size());
  const Value& shown = group.first->blocks[block].values[value];
  const Scale scale = scale_of(mean, shown.unit, style.numbers);
  NumberStyle numbers = style.numbers;
  numbers.fractions = true;
  return std::vector<std::string>{label_of(shown, style.label), scale.unit, written(least / scale.factor, numbers),
                                  written(most / scale.factor, numbers), written(mean / scale.factor, numbers)};
}

struct SummaryBlock {
  std::string title;
  std::vector<std::vector<std::string>> rows;
};

// By title; those without rows are left out.
std::vector<SummaryBlock> blocks_of(const Group& group, const PageStyle& style) {
  std::vector<SummaryBlock> all;
  for (size_t b = 0; b < group.first->blocks.size(); ++b) {
    SummaryBlock block{group.first->blocks[b].title, {}};
    for (size_t v = 0; v < group.first->blocks[b].values.size(); ++v)
      if (auto row = spread(group, b, v, style)) block.rows.push_back(std::move(*row));
    if (!block.rows.empty()) all.push_back(std::move(block));
  }
  std::ranges::stable_sort(all, {}, &SummaryBlock::title);
  return all;
}

// The columns between the host's name and the invocations.
struct Identity {
  const char* title;
  std::string (*cell)(const KernelResult& kernel, const Results& results);
};
constexpr Identity kKernel[] = {
    {"Kernel Name", [](const KernelResult& kernel, const Results&) { return kernel.kernel; }},
    {"Block Size", [](const KernelResult& kernel, const Results&) { return extent(kernel.block); }},
    {"Grid Size", [](const KernelResult& kernel, const Results&) { return extent(kernel.grid); }}};
constexpr Identity kGpu[] = {
    {"Device", [](const KernelResult&, const Results&) { return std::string("0"); }},
    {"CC", [](const KernelResult&, const Results& results) { return results.compute_capability; }}};

std::vector<Identity> identity(Summary summary) {
  std::vector<Identity> all(std::begin(kKernel), std::end(kKernel));
  all.insert(summary == Summary::PerGpu ? all.begin() : all.end(), std::begin(kGpu), std::end(kGpu));
  return all;
}

void write_summary_csv(std::ostream& out, const Results& results, const PageStyle& style) {
  std::vector<std::string> head = {"Process ID", "Process Name", "Host Name"};
  const std::vector<Identity> columns = identity(style.summary);
  for (const Identity& column : columns) head.emplace_back(column.title);
  for (const char* title :
       {"Invocations", "Section Name", "Metric Name", "Metric Unit", "Minimum", "Maximum", "Average"})
    head.emplace_back(title);
  write_cells(out, head);
  for (const Group& group : groups(results)) {
    std::vector<std::string> start = {std::to_string(results.pid), results.process, kHost};
    for (const Identity& column : columns) start.push_back(column.cell(*group.first, results));
    start.push_back(std::to_string(group.launches.size()));
    for (const SummaryBlock& block : blocks_of(group, style))
      for (const auto& row : block.rows) {
        std::vector<std::string> cells = start;
        cells.push_back(block.title);
        cells.insert(cells.end(), row.begin(), row.end());
        write_cells(out, cells);
      }
  }
}

constexpr std::string_view kNote[] = {
    "Note: The shown averages are calculated as the arithmetic mean of the metric values after the evaluation of the",
    "metrics for each individual kernel launch.",
    "If aggregating across varying launch configurations (like shared memory, cache config settings), the arithmetic",
    "mean can be misleading and looking at the individual results is recommended instead."};

}  // namespace

void write_summary(std::ostream& out, const Results& results, const PageStyle& style) {
  if (style.csv) return write_summary_csv(out, results, style);
  write_process(out, results);
  const bool by_gpu = style.summary == Summary::PerGpu;
  const std::string gpu = fmt::format("Device 0, CC {}", results.compute_capability);
  if (by_gpu) out << fmt::format("  {}\n", gpu);
  const size_t indent = by_gpu ? 4 : 2;
  for (const Group& group : groups(results)) {
    out << fmt::format("{:{}}{} {}x{},{} Invocations {}\n", "", indent, group.first->kernel, extent(group.first->grid),
                       extent(group.first->block), by_gpu ? "" : " " + gpu + ",", group.launches.size());
    for (const SummaryBlock& block : blocks_of(group, style)) {
      out << fmt::format("{:{}}Section: {}\n", "", indent + 2, block.title);
      TextTable{{"Metric Name", "Metric Unit", "Minimum", "Maximum", "Average"}, block.rows}.print(out, indent + 2);
      out << '\n';
    }
  }
  constexpr size_t kWidth = 115;
  for (const std::string_view line : kNote) out << fmt::format("  {:<{}}\n", line, kWidth);
  out << '\n';
}

}  // namespace drywarp::profilers::ncu
