// The operations of a program as the model of its time line takes them, from what a run records.
#pragma once

#include "base/device/device_spec.h"
#include "model/sm/summary.h"
#include "model/timeline/operation.h"
#include "profile/record/profile.h"

namespace drywarp::record {

[[nodiscard]] timeline::Numbers timeline_numbers(const device::DeviceSpec& device);
// A kernel's part of a time line, as CUPTI records it; its modelled duration is that of profilers that count.
[[nodiscard]] double kernel_ns(const sm::Summary& launch, const device::DeviceSpec& device);
// How a launch fills the device when it runs alone.
[[nodiscard]] timeline::Shape shape_of(const sm::Summary& launch, const device::DeviceSpec& device);
// The engine of a transfer; Mark: the GPU takes no part.
[[nodiscard]] timeline::Kind kind_of(TransferKind kind);

}  // namespace drywarp::record
