// drywarp counts sectors of 32 bytes, as devices since Maxwell move memory; older devices differ.
#pragma once

#include <string>

#include "base/device/device_spec.h"

namespace drywarp::report {

// How the device moves memory ("global and local loads in pieces of 128 bytes ..."); empty: in sectors of 32 bytes.
[[nodiscard]] std::string moves_of(const device::DeviceSpec& device);

}  // namespace drywarp::report
