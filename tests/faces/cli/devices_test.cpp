// The numbers that device files lack, against those that the models need.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "base/device/device_features.h"
#include "model/machine/machine_model.h"

namespace drywarp::cli {
namespace {

std::vector<std::string> lacks_for_timing(const device::DeviceSpec& spec) {
  std::vector<std::string> paths;
  for (const machine::Gap& gap : machine::machine_model(spec).gaps)
    if (gap.stand_in.empty() && !gap.no_such_thing) paths.push_back(gap.path);
  return paths;
}

// Timing needs all numbers of the memory model: it lists each that a file lacks, as missing or with a stand-in.
TEST(Devices, TheMemoryModelIsAPartOfTiming) {
  const auto features = device::features();
  const auto memory = std::find_if(features.begin(), features.end(),
                                   [](const device::Feature& f) { return std::string_view(f.name) == "memory model"; });
  ASSERT_NE(memory, features.end());
  for (const std::string& id : device::device_ids()) {
    const auto spec = device::load_device(id);
    ASSERT_TRUE(spec.ok()) << spec.problem().to_string();
    const machine::MachineModel model = machine::machine_model(*spec);
    for (const std::string_view path : device::lacks(*spec, *memory))
      EXPECT_TRUE(std::ranges::any_of(model.gaps, [&](const machine::Gap& gap) { return gap.path == path; }))
          << id << " lacks " << path;
  }
}

// After drywarp calibrate has measured everything, there are no stand-ins.
TEST(Devices, TheH200HasItsOwnNumbers) {
  std::vector<std::string> gaps;
  for (const machine::Gap& gap : machine::machine_model(*device::load_device("h200")).gaps) gaps.push_back(gap.path);
  EXPECT_THAT(gaps, testing::IsEmpty());
}

// Devices of every generation on which every kernel can be timed.
// But for products on tensor cores, which only Hopper's have numbers for.
TEST(Devices, CanBeTimed) {
  for (const char* id :
       {"gtx280", "gtx480", "k40", "titanv", "v100", "rtx2080ti", "a100", "rtx3060", "rtx3090", "h100", "h200"}) {
    const device::DeviceSpec device = *device::load_device(id);
    const bool hopper = device.compute_capability.number() == 90;
    auto missing = lacks_for_timing(device);
    if (!hopper) std::erase_if(missing, [](const auto& path) { return path.starts_with("latency.matrix"); });
    EXPECT_THAT(missing, testing::IsEmpty()) << id;
  }
}

// docs/device-files.md lists the devices; DRYWARP_ACCEPT=1 writes the list.
TEST(Devices, DocumentationListsThem) {
  std::vector<device::DeviceSpec> devices;
  for (const std::string& id : device::device_ids()) devices.push_back(*device::load_device(id));
  std::sort(devices.begin(), devices.end(), [](const auto& a, const auto& b) {
    return std::tie(a.compute_capability, a.id) < std::tie(b.compute_capability, b.id);
  });
  std::string list =
      "\n| device | CUDA's name | compute capability | multiprocessors | lacks numbers for |\n|---|---|---|---|---|\n";
  for (const device::DeviceSpec& d : devices) {
    std::vector<std::string> parts;
    for (const device::Feature& feature : device::features())
      if (const auto missing = device::lacks(d, feature); !missing.empty())
        parts.push_back(fmt::format("{}: {}", feature.name, fmt::join(missing, ", ")));
    if (const auto missing = lacks_for_timing(d); !missing.empty())
      parts.push_back(fmt::format("timing: {}", fmt::join(missing, ", ")));
    list += fmt::format("| `{}` | {} | {}.{} ({}) | {} | {} |\n", d.id, d.name, d.compute_capability.major,
                        d.compute_capability.minor, d.architecture, d.multiprocessors, fmt::join(parts, "; "));
  }
  const char* path = DRYWARP_SOURCE_DIR "/docs/device-files.md";
  const auto read = [&] {
    std::ifstream in(path);
    return std::string{std::istreambuf_iterator<char>(in), {}};
  };
  const std::string page = read(), open = "<!-- devices -->\n", close = "\n<!-- end of devices -->";
  const size_t from = page.find(open), to = page.find(close);
  ASSERT_NE(from, page.npos);
  ASSERT_NE(to, page.npos);
  const std::string wanted = page.substr(0, from + open.size()) + list + page.substr(to);
  if (std::getenv("DRYWARP_ACCEPT")) std::ofstream(path) << wanted;
  EXPECT_EQ(read(), wanted);
}

}  // namespace
}  // namespace drywarp::cli
