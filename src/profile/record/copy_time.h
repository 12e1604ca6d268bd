// How long a GPU takes for a copy or a memset, from its device file.
#pragma once

#include <cstdint>
#include <optional>

#include "base/device/device_spec.h"
#include "profile/record/profile.h"

namespace drywarp::record {

// The time that CUPTI, and so nvprof and Nsight Systems, would report: latency + bytes / bandwidth. `pageable`: the
// host's end is not page-locked, so the host copies all bytes too, while the link moves them but for one piece. Without
// the device file's [copies] a copy inside the device, or a memset, moves its bytes at the peak of device memory.
// Nothing: the file does not say, or the GPU takes no part.
[[nodiscard]] std::optional<double> copy_seconds(const device::DeviceSpec& device, TransferKind kind, uint64_t bytes,
                                                 bool pageable = false);
// Whether the host waits for a copy of pageable memory, even an asynchronous one.
[[nodiscard]] bool waits_for_host(const device::DeviceSpec& device, TransferKind kind, uint64_t bytes);

}  // namespace drywarp::record
