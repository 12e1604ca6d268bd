// The simulated device as the CUDA runtime shows it.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/device/device_spec.h"
#include "cuda/device/attribute.h"

namespace drywarp::cuda {

class Device {
 public:
  explicit Device(device::DeviceSpec spec);

  [[nodiscard]] const device::DeviceSpec& spec() const { return spec_; }
  [[nodiscard]] const std::string& name() const { return spec_.name; }
  [[nodiscard]] uint64_t memory_bytes() const { return spec_.total_memory; }
  [[nodiscard]] unsigned compute_capability() const { return spec_.compute_capability.number(); }  // 90 for 9.0

  // 0 if the device file does not set it: the device lacks the feature.
  [[nodiscard]] int64_t attribute(Attribute attribute) const;
  [[nodiscard]] static bool is_attribute(int number);

 private:
  device::DeviceSpec spec_;
  std::map<int, int64_t> attributes_;
};

}  // namespace drywarp::cuda
