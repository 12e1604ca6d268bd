// A device file that the program carries.
#pragma once

#include <stdexcept>

#include "base/device/device_spec.h"

namespace drywarp::device {

inline DeviceSpec device(const char* id) {
  auto spec = load_device(id);
  if (!spec) throw std::runtime_error(spec.problem().to_string());
  return *spec;
}

}  // namespace drywarp::device
