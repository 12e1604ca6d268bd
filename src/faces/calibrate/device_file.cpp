// Writes a calibration as a device file.

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "base/device/device_spec.h"
#include "base/device/timing_numbers.h"
#include "faces/calibrate/fit.h"

namespace drywarp::calibrate {
namespace {

struct Source {
  const char* key;
  const char* kind;
};
constexpr Source kSources[] = {
    {"calibrate", "measured"}, {"counters", "measured"}, {"cuda", "measured"}, {"occupancy", "published"}};
constexpr const char* kTexts[] = {
    "drywarp calibrate on the device, {}",
    "Nsight Compute's counters and peaks, read by drywarp calibrate on the device, {}",
    "cudaDeviceGetAttribute, cudaGetDeviceProperties and cudaDeviceGetLimit on the device, {}",
    "NVIDIA's cuda_occupancy.h of the CUDA toolkit on the machine, {}",
};

std::string written(const std::string& path, double value) {
  for (const device::TimingNumberInfo& info : device::timing_numbers())
    if (path == info.path && info.kind == device::TimingNumberInfo::Kind::Flag) return value != 0 ? "true" : "false";
  if (value == std::floor(value)) return fmt::format("{:.0f}", value);
  return fmt::format("{:.10g}", value);
}

std::string unit(const std::string& path) {
  for (const device::TimingNumberInfo& info : device::timing_numbers())
    if (path == info.path && *info.unit != '\0') return fmt::format("  # {}", info.unit);
  return {};
}

// The device whose file has the numbers that calibrating does not find, such as DRAM's timings: the same GPU, or the
// one of the same compute capability with the nearest number of multiprocessors. Empty: there is none.
std::string nearest_device(const Calibration& calibration) {
  if (!calibration.name.empty())  // no name would be the default device
    if (const auto same = device::load_device(calibration.name); same.ok()) return same->id;
  const auto number = [&](const char* path) {
    const FittedNumber* found = calibration.find(path);
    return found ? found->value : 0;
  };
  const double capability =
      10 * number("attributes.ComputeCapabilityMajor") + number("attributes.ComputeCapabilityMinor");
  const double multiprocessors = number("attributes.MultiProcessorCount");
  std::string nearest;
  double least = 0;
  for (const std::string& id : device::device_ids()) {
    const auto known = device::load_device(id);
    if (!known.ok() || known->compute_capability.number() != capability) continue;
    const double distance = std::abs(known->multiprocessors - multiprocessors);
    if (nearest.empty() || distance < least) nearest = id, least = distance;
  }
  return nearest;
}

}  // namespace

std::string device_file(const Calibration& calibration) {
  std::string out = fmt::format("# {}, as drywarp calibrate found it.\nname = \"{}\"\narchitecture = \"{}\"\n",
                                calibration.name, calibration.name, calibration.architecture);
  if (const std::string base = nearest_device(calibration); !base.empty())
    out += fmt::format("based_on = \"{}\"  # has the numbers that were not measured\n", base);
  for (const std::string& missing : calibration.missing) out += fmt::format("# Not measured: {}\n", missing);
  for (size_t i = 0; i < std::size(kSources); ++i)
    out += fmt::format("\n[sources.{}]\nkind = \"{}\"\ntext = \"{}\"\n", kSources[i].key, kSources[i].kind,
                       fmt::format(fmt::runtime(kTexts[i]), calibration.when));

  // Tables in the order of their first numbers.
  std::vector<std::string> order;
  std::map<std::string, std::string> tables;
  const auto add = [&](const std::string& path, const std::string& value, Evidence evidence) {
    const std::string table = path.substr(0, path.find('.')), key = path.substr(path.find('.') + 1);
    if (!tables.contains(table)) order.push_back(table);
    tables[table] += fmt::format("{} = {{ value = {}, source = \"{}\" }}{}\n", key, value,
                                 kSources[size_t(evidence)].key, unit(path));
  };
  for (const FittedNumber& n : calibration.numbers) add(n.path, written(n.path, n.value), n.evidence);
  for (const FittedList& l : calibration.lists) {
    std::string values;
    for (const double v : l.values) values += fmt::format("{}{:.0f}", values.empty() ? "" : ", ", v);
    add(l.path, fmt::format("[{}]", values), l.evidence);
  }
  for (const std::string& table : order) out += fmt::format("\n[{}]\n{}", table, tables[table]);
  return out;
}

}  // namespace drywarp::calibrate
