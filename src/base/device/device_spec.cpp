#include "base/device/device_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/device/embedded_devices.h"
#include "base/support/near_names.h"
#include "base/support/whole_file.h"

namespace drywarp::device {
namespace {

constexpr const char* kDefaultDevice = "h200";

// Normalises a device's name: "NVIDIA GeForce GTX 970" and "gtx-970" give "gtx970".
std::string plain(std::string_view text) {
  std::string out;
  for (const unsigned char c : text)
    if (std::isalnum(c)) out += static_cast<char>(std::tolower(c));
  for (const std::string_view word : {"nvidia", "geforce", "tesla"})
    if (const size_t at = out.find(word); at != out.npos && out.size() > word.size()) out.erase(at, word.size());
  return out;
}

struct Named {
  DeviceSpec device;
  std::vector<std::string> names;  // plain
};

// Skips an embedded file that cannot be read; a test reports it.
std::vector<Named> named_devices() {
  std::vector<Named> all;
  for (const EmbeddedDevice& d : embedded_devices()) {
    auto spec = parse_device(d.toml, fmt::format("devices/{}.toml", d.id), std::string(d.id));
    if (!spec) continue;
    std::vector<std::string> names = {plain(spec->id), plain(spec->name)};
    for (const std::string& other : spec->also_called) names.push_back(plain(other));
    all.push_back({std::move(*spec), std::move(names)});
  }
  return all;
}

Diagnostic unknown_device(const std::string& which, const std::vector<Named>& all) {
  const std::string wanted = plain(which);
  std::vector<std::string> near;
  for (const Named& d : all)
    if (std::any_of(d.names.begin(), d.names.end(), [&](const std::string& name) {
          return (wanted.size() >= 2 && name.find(wanted) != name.npos) || wanted.find(name) != wanted.npos ||
                 edit_distance(name, wanted) <= 2;
        }))
      near.push_back(d.device.id);
  return error(
      fmt::format("there is no device '{}'", which),
      near.empty()
          ? fmt::format("choose one of {}, or give the path of a device file", fmt::join(device_ids(), ", "))
          : fmt::format("did you mean {}? `drywarp devices` lists all, and the path of a device file works too",
                        fmt::join(near, " or ")));
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
#include "base/device/cuda_attributes.def"
};

}  // namespace

const char* name(NumberKind kind) {
  constexpr const char* kNames[kNumberKinds] = {"measured", "published", "tuned model", "specification", "assumed"};
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
    const auto text = read_whole(which);
    if (!text) return error(fmt::format("cannot read the device file '{}': {}", which, std::strerror(errno)));
    return parse_device(*text, which, stem(which));
  }
  const std::string id = which.empty() ? kDefaultDevice : which;
  for (const EmbeddedDevice& d : embedded_devices())
    if (d.id == id) return parse_device(d.toml, fmt::format("devices/{}.toml", id), id);
  std::vector<Named> all = named_devices();
  for (Named& d : all)
    if (std::find(d.names.begin(), d.names.end(), plain(which)) != d.names.end()) return std::move(d.device);
  return unknown_device(which, all);
}

}  // namespace drywarp::device
