// Several devices in one table: what limits occupancy, the latencies, and the warps that hide them (course A5, A6).
#pragma once

#include <vector>

#include "base/device/device_spec.h"

namespace drywarp::cli {

// Prints to standard output.
void show_side_by_side(const std::vector<device::DeviceSpec>& devices);

}  // namespace drywarp::cli
