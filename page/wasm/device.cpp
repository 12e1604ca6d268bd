#include "device.h"

namespace drywarp::page {
namespace {

// As in JSON, or as a device file writes it.
std::optional<double> number_of(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  if (!value.is_string()) return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  if (text == "true" || text == "false") return text == "true" ? 1 : 0;
  const Json parsed = Json::parse(text, nullptr, false);
  return parsed.is_number() ? std::optional(parsed.get<double>()) : std::nullopt;
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
  for (const Json& entry : json["numbers"]) {
    if (!entry.is_object() || !entry.contains("value")) continue;
    if (const auto value = number_of(entry["value"])) device::set_number(out.timing, Input(entry).text("path"), *value);
  }
  return out;
}

}  // namespace drywarp::page
