// How long a GPU takes for a copy or a memset, from its device file.
#pragma once

#include <cstdint>
#include <optional>

#include "base/device/device_spec.h"
#include "profile/record/profile.h"

namespace drywarp::record {

// The time that CUPTI, and so nvprof and Nsight Systems, would report: latency + bytes / bandwidth. The host's end is
// taken to be page-locked: a copy of other memory waits for the host, too. Without the device file's [copies] a copy
// inside the device, or a memset, moves its bytes at the peak of device memory. Nothing: the file does not say, or the
// GPU takes no part.
[[nodiscard]] std::optional<double> copy_seconds(const device::DeviceSpec& device, TransferKind kind, uint64_t bytes);

}  // namespace drywarp::record
