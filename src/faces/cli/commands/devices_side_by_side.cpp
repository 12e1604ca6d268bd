#include "faces/cli/commands/devices_side_by_side.h"

#include <fmt/format.h>

#include <functional>
#include <iostream>

#include "base/device/latency_hiding.h"
#include "profile/report/writers/layout.h"

namespace drywarp::cli {
namespace {

using device::DeviceSpec;
using device::LatencyRow;
using report::Table;

using CellOf = std::function<std::string(const DeviceSpec&)>;

class SideBySide {
 public:
  explicit SideBySide(const std::vector<DeviceSpec>& devices)
      : devices_(devices), table_(columns(devices.size()), 2, 0) {
    std::vector<std::string> ids{""};
    for (const DeviceSpec& d : devices) ids.push_back(d.id);
    table_.head(ids);
  }
  void row(const std::string& name, const CellOf& cell) {
    std::vector<std::string> cells{name};
    for (const DeviceSpec& d : devices_) cells.push_back(cell(d));
    table_.row(cells);
  }
  void number(const std::string& name, const std::function<uint64_t(const DeviceSpec&)>& of) {
    row(name, [&](const DeviceSpec& d) { return std::to_string(of(d)); });
  }
  void print() { table_.print(std::cout, {}); }

 private:
  static std::vector<Table::Align> columns(size_t devices) {
    std::vector<Table::Align> out(devices + 1, Table::Align::Right);
    out.front() = Table::Align::Left;
    return out;
  }
  const std::vector<DeviceSpec>& devices_;
  Table table_;
};

void add_limits(SideBySide& table) {
  table.row("architecture", [](const DeviceSpec& d) { return d.architecture; });
  table.row("compute capability", [](const DeviceSpec& d) {
    return fmt::format("{}.{}", d.compute_capability.major, d.compute_capability.minor);
  });
  table.number("SMs", [](const DeviceSpec& d) { return d.multiprocessors; });
  table.number("threads a block", [](const DeviceSpec& d) { return d.max_threads_per_block; });
  table.number("threads an SM", [](const DeviceSpec& d) { return d.max_threads_per_multiprocessor; });
  table.number("warps an SM", [](const DeviceSpec& d) { return d.max_warps_per_multiprocessor(); });
  table.number("blocks an SM", [](const DeviceSpec& d) { return d.max_blocks_per_multiprocessor; });
  table.number("registers an SM", [](const DeviceSpec& d) { return d.registers_per_multiprocessor; });
  table.row("shared memory an SM",
            [](const DeviceSpec& d) { return fmt::format("{} KB", d.shared_per_multiprocessor / 1024); });
}

// Every device has the same rows of these groups.
void add_latencies(SideBySide& table, const DeviceSpec& any, LatencyRow::Group group) {
  for (const LatencyRow& wanted : device::latency_table(any)) {
    if (wanted.group != group) continue;
    table.row(wanted.name, [&](const DeviceSpec& d) -> std::string {
      for (const LatencyRow& row : device::latency_table(d))
        if (row.group == group && row.name == wanted.name)
          return row.cycles ? fmt::format("{:g}", *row.cycles) : row.none ? "none" : "-";
      return "none";
    });
  }
}

void add_hiding(SideBySide& table) {
  const auto hiding = [](const DeviceSpec& d, const std::function<uint64_t(const device::HidingInput&)>& warps) {
    const auto input = device::hiding_input(d, {});
    return input ? std::to_string(warps(*input)) : std::string("-");
  };
  table.row("for arithmetic", [&](const DeviceSpec& d) {
    return hiding(d, [](const auto& input) { return hide_arithmetic(input).warps_per_multiprocessor; });
  });
  table.row("for memory", [&](const DeviceSpec& d) {
    return hiding(d, [](const auto& input) { return hide_memory(input).warps_per_multiprocessor; });
  });
}

}  // namespace

void show_side_by_side(const std::vector<DeviceSpec>& devices) {
  const auto section = [&](const char* title, const std::function<void(SideBySide&)>& fill) {
    SideBySide table(devices);
    fill(table);
    std::cout << title << '\n';
    table.print();
  };
  section("Limits", add_limits);
  section("\nLatency of an operation, in cycles",
          [&](SideBySide& t) { add_latencies(t, devices.front(), LatencyRow::Group::Operation); });
  section("\nLatency of memory, in cycles",
          [&](SideBySide& t) { add_latencies(t, devices.front(), LatencyRow::Group::Unit); });
  section("\nWarps an SM that hide latency, 4 bytes a thread", add_hiding);
  std::cout << "\n-: not published; none: the device has no such unit\n";
}

}  // namespace drywarp::cli
