// Lists the GPUs that device files describe, or shows one with the source of every number.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/device/device_features.h"
#include "base/device/device_spec.h"
#include "base/support/plural.h"
#include "faces/cli/commands/devices_side_by_side.h"
#include "faces/cli/options/command.h"
#include "faces/cli/options/console.h"
#include "faces/cli/pages/parse.h"
#include "model/machine/machine_model.h"
#include "profile/report/writers/layout.h"

namespace drywarp::cli {
namespace {

using device::DeviceSpec;
using Json = nlohmann::ordered_json;
using report::Table;

// Numbers that the timing model lacks and that have no stand-in.
std::vector<std::string> timing_lacks(const machine::MachineModel& model) {
  std::vector<std::string> paths;
  for (const machine::Gap& gap : model.gaps)
    if (gap.stand_in.empty() && !gap.no_such_thing) paths.push_back(gap.path);
  return paths;
}

std::vector<std::string> stand_in_texts(const machine::MachineModel& model) {
  std::vector<std::string> texts;
  for (const machine::StandIn& s : machine::stand_ins(model, ~machine::ClassSet{0}))
    texts.push_back(fmt::format("{}: {}", s.number, s.by));
  return texts;
}

std::string capability(const DeviceSpec& d) {
  return fmt::format("{}.{}", d.compute_capability.major, d.compute_capability.minor);
}

std::string lacks_in_short(const DeviceSpec& d) {
  std::vector<std::string> parts;
  for (const device::Feature& feature : device::features())
    if (const auto missing = device::lacks(d, feature); !missing.empty())
      parts.push_back(fmt::format("{} ({})", feature.name, missing.size()));
  if (const auto missing = timing_lacks(machine::machine_model(d)); !missing.empty())
    parts.push_back(fmt::format("timing ({})", missing.size()));
  return parts.empty() ? "-" : fmt::format("{}", fmt::join(parts, ", "));
}

void list_text(const std::vector<DeviceSpec>& devices) {
  using Align = Table::Align;
  Table table({Align::Left, Align::Left, Align::Left, Align::Right, Align::Right, Align::Right, Align::Right,
               Align::Right, Align::Right, Align::Left},
              0, 0);
  table.head({"device", "name", "cc", "SMs", "SM MHz", "DRAM MHz", "memory", "GB/s", "L2", "lacks numbers for"});
  for (const DeviceSpec& d : devices)
    table.row({d.id, d.name, capability(d), std::to_string(d.multiprocessors),
               fmt::format("{:.0f}", d.sm_clock_khz / 1e3), fmt::format("{:.0f}", d.memory_clock_khz / 1e3),
               fmt::format("{:.4g} GB", double(d.total_memory >> 20) / 1024),
               d.dram_bytes_per_second ? fmt::format("{:.4g}", double(*d.dram_bytes_per_second) / 1e9) : "-",
               fmt::format("{:.4g} MB", double(d.l2_bytes) / 1048576), lacks_in_short(d)});
  table.print(std::cout, {});
  std::cout
      << "\n`drywarp devices NAME` shows all of a device: its numbers with their sources, and those that it lacks.\n";
}

// The unit of a number of the device file.
std::string unit_of(std::string_view path) {
  for (const device::TimingNumberInfo& info : device::timing_numbers())
    if (path == info.path) return info.unit;
  return path.starts_with("latency.") || path.starts_with("issue.") ? "cycles" : "";
}

void show_features(const DeviceSpec& d) {
  std::cout << "\nFeatures\n";
  Table table({Table::Align::Left, Table::Align::Left}, 2, 0);
  for (const device::Feature& feature : device::features()) {
    const auto missing = device::lacks(d, feature);
    table.row({feature.name, missing.empty() ? "complete" : fmt::format("lacks {}", fmt::join(missing, ", "))});
  }
  const machine::MachineModel model = machine::machine_model(d);
  const auto missing = timing_lacks(model), stand_ins = stand_in_texts(model);
  table.row({"timing", !missing.empty()    ? fmt::format("lacks {}", fmt::join(missing, ", "))
                       : stand_ins.empty() ? "complete"
                                           : fmt::format("complete with {}", plural(stand_ins.size(), "stand-in"))});
  table.print(std::cout, {});
  if (stand_ins.empty()) return;
  std::cout << "\nNumbers not published, and their stand-ins in the timing model\n";
  for (const std::string& text : stand_ins) std::cout << "  " << text << '\n';
}

void show_text(const DeviceSpec& d) {
  std::cout << fmt::format("{} ({}): {}, compute capability {}{}\n", d.name, d.id, d.architecture, capability(d),
                           d.based_on.empty() ? "" : fmt::format(", inherits {}", d.based_on));
  show_features(d);
  std::vector<std::pair<device::NumberKind, std::string>> sources;
  std::string open;
  Table table({Table::Align::Left, Table::Align::Right, Table::Align::Left, Table::Align::Left}, 2, 0);
  const auto flush = [&] {
    if (!table.empty()) table.print(std::cout, {});
    table = Table({Table::Align::Left, Table::Align::Right, Table::Align::Left, Table::Align::Left}, 2, 0);
  };
  for (const auto& [path, origin] : d.origins) {
    const size_t dot = path.find('.');
    if (path.substr(0, dot) != open) {
      flush();
      open = path.substr(0, dot);
      std::cout << "\n[" << open << "]\n";
    }
    const std::pair key{origin.kind, origin.source};
    auto at = std::find(sources.begin(), sources.end(), key);
    if (at == sources.end()) at = sources.insert(sources.end(), key);
    table.row({path.substr(dot + 1), d.texts.at(path), unit_of(path),
               fmt::format("{} [{}]", device::name(origin.kind), at - sources.begin() + 1)});
  }
  flush();
  std::cout << "\nSources\n";
  for (size_t i = 0; i < sources.size(); ++i)
    std::cout << fmt::format("  [{}] {}: {}\n", i + 1, device::name(sources[i].first), sources[i].second);
}

Json device_json(const DeviceSpec& d, bool numbers) {
  Json lacks = Json::object();
  for (const device::Feature& feature : device::features()) lacks[feature.name] = device::lacks(d, feature);
  const machine::MachineModel model = machine::machine_model(d);
  lacks["timing"] = timing_lacks(model);
  Json stand_ins = Json::object();
  for (const machine::StandIn& s : machine::stand_ins(model, ~machine::ClassSet{0})) stand_ins[s.number] = s.by;
  Json out = {{"id", d.id},
              {"name", d.name},
              {"architecture", d.architecture},
              {"compute_capability", capability(d)},
              {"multiprocessors", d.multiprocessors},
              {"sm_clock_khz", d.sm_clock_khz},
              {"memory_clock_khz", d.memory_clock_khz},
              {"memory_bytes", d.total_memory},
              {"l2_bytes", d.l2_bytes},
              {"dram_bytes_per_second", d.dram_bytes_per_second ? Json(*d.dram_bytes_per_second) : Json()},
              {"lacks", lacks},
              {"stand_ins", stand_ins}};
  if (!numbers) return out;
  if (!d.based_on.empty()) out["based_on"] = d.based_on;
  for (const auto& [path, origin] : d.origins)
    out["numbers"][path] = {{"value", Json::parse(d.texts.at(path))},
                            {"unit", unit_of(path)},
                            {"kind", device::name(origin.kind)},
                            {"source", origin.source}};
  return out;
}

struct DevicesOptions {
  std::vector<std::string> which;
  std::string format = "text";
};

void add_devices_options(CLI::App& app, DevicesOptions& o) {
  app.add_option("device", o.which, "a name, or the path of a device file; several are shown side by side")
      ->type_name("DEVICE");
  app.add_option("--format", o.format, "output format")->check(CLI::IsMember({"text", "json"}))->capture_default_str();
}

int show_devices(CLI::App& app, DevicesOptions& o, const Words& words) {
  if (const auto code = parse_own(app, words)) return *code;
  const bool json = o.format == "json";
  std::vector<DeviceSpec> devices;
  for (const std::string& id : o.which.empty() ? device::device_ids() : o.which) {
    auto spec = device::load_device(id);
    if (!spec) return fail(spec.problem(), kFailed);
    devices.push_back(std::move(*spec));
  }
  if (o.which.size() == 1) {
    if (json)
      std::cout << device_json(devices.front(), true).dump(2) << '\n';
    else
      show_text(devices.front());
    return kSuccess;
  }
  if (!o.which.empty() && !json) return show_side_by_side(devices), kSuccess;
  if (o.which.empty())
    std::sort(devices.begin(), devices.end(), [](const DeviceSpec& a, const DeviceSpec& b) {
      return std::tie(a.compute_capability, a.id) < std::tie(b.compute_capability, b.id);
    });
  if (!json) return list_text(devices), kSuccess;
  const bool numbers = !o.which.empty();
  Json all = {{"devices", Json::array()}};
  for (const DeviceSpec& d : devices) all["devices"].push_back(device_json(d, numbers));
  std::cout << all.dump(2) << '\n';
  return kSuccess;
}

}  // namespace

Command devices_command() {
  return make_command<DevicesOptions>(
      {"devices",
       "drywarp devices [options]\n"
       "drywarp devices [options] DEVICE\n"
       "drywarp devices [options] DEVICE DEVICE...\n\n"
       "Lists the GPUs that drywarp knows and the numbers that their files lack, shows one with the source of every "
       "number, or compares several: their limits, their latencies, and the warps that hide them.",
       ""},
      add_devices_options, show_devices);
}

}  // namespace drywarp::cli
