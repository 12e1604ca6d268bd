#include "device.h"

#include <map>

#include "base/device/device_fields.h"

namespace drywarp::page {
namespace {

// As in JSON, or as a device file writes it: "2.33", "true", "[0, 8192]".
Json value_of(const Json& written) {
  if (!written.is_string()) return written;
  return Json::parse(written.get_ref<const std::string&>(), nullptr, false);
}
std::optional<double> number_of(const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

device::ComputeCapability capability_of(const std::string& text) {
  device::ComputeCapability out;
  const char* const end = text.data() + text.size();
  const auto [point, failure] = std::from_chars(text.data(), end, out.major);
  if (failure == std::errc() && point != end && *point == '.') std::from_chars(point + 1, end, out.minor);
  return out;
}

}  // namespace

device::DeviceSpec device_of(const Json& json) {
  device::DeviceSpec out;
  out.compute_capability = {5, 0};  // the first with the bank rules of today's GPUs
  if (!json.is_object()) return out;
  Input input(json);
  out.name = input.text("name");
  out.id = input.text("id");
  if (input.has("compute_capability")) out.compute_capability = capability_of(input.text("compute_capability"));
  if (!json.contains("numbers") || !json["numbers"].is_array()) return out;
  std::map<std::string, Json> values;
  for (const Json& entry : json["numbers"]) {
    if (!entry.is_object() || !entry.contains("value")) continue;
    values.emplace(Input(entry).text("path"), value_of(entry["value"]));
  }
  for (const auto& [path, value] : values)
    if (const auto number = number_of(value)) device::set_number(out.timing, path, *number);
  if (const auto found = values.find("multiprocessor.shared_carveouts");
      found != values.end() && found->second.is_array())
    for (const Json& size : found->second)
      if (size.is_number_unsigned()) out.shared_carveouts.push_back(size.get<uint32_t>());
  for (const device::Field& field : device::device_fields()) {
    const auto found = values.find(field.path);
    if (found == values.end() || !found->second.is_number_unsigned()) continue;
    const auto value = found->second.get<uint64_t>();
    std::visit(
        [&](auto member) {
          using Member = std::remove_reference_t<decltype(out.*member)>;
          if constexpr (std::is_same_v<Member, uint64_t> || std::is_same_v<Member, std::optional<uint64_t>>)
            out.*member = value;
          else
            out.*member = static_cast<uint32_t>(value);
        },
        field.member);
  }
  return out;
}

}  // namespace drywarp::page
