#include "device/device_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>

#include "device/embedded_devices.h"

namespace drywarp::device {
namespace {

constexpr const char* kDefaultDevice = "h200";

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::string stem(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string file = slash == std::string::npos ? path : path.substr(slash + 1);
  return file.substr(0, file.rfind('.'));
}

struct AttributeName {
  int number;
  std::string_view name;
};
constexpr AttributeName kAttributeNames[] = {
#define DW_ATTRIBUTE(number, name) {number, #name},
#include "device/cuda_attributes.def"
};

}  // namespace

const char* name(NumberKind kind) {
  constexpr const char* kNames[] = {"measured", "published", "tuned model", "specification"};
  return kNames[unsigned(kind)];
}

std::optional<int64_t> DeviceSpec::attribute(std::string_view cuda_name) const {
  const auto found = attributes.find(cuda_name);
  if (found == attributes.end()) return std::nullopt;
  return found->second;
}

std::optional<std::string_view> attribute_name(int cuda_device_attr) {
  const auto found = std::lower_bound(std::begin(kAttributeNames), std::end(kAttributeNames), cuda_device_attr,
                                      [](const AttributeName& a, int number) { return a.number < number; });
  if (found == std::end(kAttributeNames) || found->number != cuda_device_attr) return std::nullopt;
  return found->name;
}

Status needs_numbers(const DeviceSpec& device, std::span<const std::string_view> paths, std::string_view feature) {
  std::vector<std::string_view> missing;
  for (const std::string_view path : paths)
    if (!device.timing.number(path)) missing.push_back(path);
  if (missing.empty()) return {};
  return error(fmt::format("{} needs numbers that the device file of {} does not have: {}", feature, device.name,
                           fmt::join(missing, ", ")),
               "nobody has published or measured them; `drywarp calibrate` measures them where there is such a GPU");
}

std::vector<std::string> device_ids() {
  std::vector<std::string> ids;
  for (const EmbeddedDevice& d : embedded_devices()) ids.emplace_back(d.id);
  return ids;
}

Result<DeviceSpec> load_device(const std::string& which) {
  if (which.find('/') != std::string::npos || which.ends_with(".toml")) {
    std::ifstream in(which, std::ios::binary);
    if (!in) return error(fmt::format("cannot read the device file '{}'", which));
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    return parse_device(text, which, stem(which));
  }
  const std::string id = which.empty() ? kDefaultDevice : lower(which);
  for (const EmbeddedDevice& d : embedded_devices())
    if (d.id == id) return parse_device(d.toml, fmt::format("devices/{}.toml", id), id);
  return error(fmt::format("there is no device '{}'", which),
               fmt::format("choose one of {}, or give the path of a device file", fmt::join(device_ids(), ", ")));
}

}  // namespace drywarp::device
