// Writes a calibration as a device file.
#pragma once

#include <string>

#include "faces/calibrate/fit.h"

namespace drywarp::calibrate {

[[nodiscard]] std::string device_file(const Calibration& calibration);

}  // namespace drywarp::calibrate
