// Which of a device's counts of memory are not its own: sectors are counted of 32 bytes, as devices since Maxwell move
// them.
#pragma once

#include <string>

#include "base/device/device_spec.h"

namespace drywarp::report {

// How the device moves memory instead ("global and local loads in lines of 128 bytes"); empty: by sectors.
[[nodiscard]] std::string moves_of(const device::DeviceSpec& device);

}  // namespace drywarp::report
