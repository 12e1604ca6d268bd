// The numbers that each feature needs from a device file, and which of them a file lacks.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/device/device_spec.h"

namespace drywarp::device {

struct Feature {
  const char* name;  // "memory model"
  const char* text;  // what it is for
  std::span<const std::string_view> needs;
};
// Occupancy needs what every device file must have. What timing needs beyond the memory model depends on the code:
// model/machine/machine_model.h says it.
[[nodiscard]] std::span<const Feature> features();

// The paths of `feature` that the file has no number for: "dram.t_rcd".
[[nodiscard]] std::vector<std::string_view> lacks(const DeviceSpec& device, const Feature& feature);

// False: GPUs of this compute capability lack the instruction or unit ("latency.redux" before 8.0).
[[nodiscard]] bool exists(const DeviceSpec& device, std::string_view path);

}  // namespace drywarp::device
