// The simulated device as the CUDA runtime shows it, and its settings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "base/device/device_spec.h"
#include "cuda/device/error.h"

namespace drywarp::cuda {

// Device attributes by CUDA's numbers (cudaDeviceAttr; CUdevice_attribute's are the same).
enum class Attribute : int {
#define DW_ATTRIBUTE(number, name) name = number,
#include "base/device/cuda_attributes.def"
#undef DW_ATTRIBUTE
};

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

inline constexpr int kGreatestPriority = -5;  // of a stream; the least is 0

// What a program may set on the device and query: limits, flags, cache preference.
class Settings {
 public:
  // Limits by cudaLimit's numbers. UnsupportedLimit for one that the device does not have.
  void take_defaults(const device::DeviceSpec& spec);
  Error limit(int number, size_t& value) const;
  Error set_limit(int number, size_t value);

  Error set_device_flags(unsigned flags);
  [[nodiscard]] unsigned device_flags() const { return flags_; }

  int cache_preference = 0;  // cudaFuncCache's number

 private:
  std::map<int, size_t> limits_;
  unsigned flags_ = 0x08;  // cudaDeviceMapHost: as every device since cc 2.0 reports
};

}  // namespace drywarp::cuda
