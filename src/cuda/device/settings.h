// What a program may set on the device and query: limits, flags, cache preference.
#pragma once

#include <cstddef>
#include <map>

#include "base/device/device_spec.h"
#include "cuda/device/error.h"

namespace drywarp::cuda {

inline constexpr int kGreatestPriority = -5;  // of a stream; the least is 0

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
