// A GPU from the numbers of its device file that a report carries.
#pragma once

#include "base/device/device_spec.h"
#include "input.h"

namespace drywarp::page {

// `json`: `device` of a profile in a report. Without it, or for a number that it lacks, the number is not known.
[[nodiscard]] device::DeviceSpec device_of(const Json& json);

}  // namespace drywarp::page
