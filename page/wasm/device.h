// A GPU from the numbers of its device file that a report carries.
#pragma once

#include "base/device/device_spec.h"
#include "input.h"

namespace drywarp::page {

// `json`: `device` of a profile in a report. A number that it lacks is not known; without a compute capability the
// rules are those since 5.0.
[[nodiscard]] device::DeviceSpec device_of(const Json& json);

}  // namespace drywarp::page
