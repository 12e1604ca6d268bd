// The numbers of DeviceSpec that are single members, and where a device file has them: a table for whoever fills one.
// Those of the tables of timing numbers are in timing_numbers.def.
#pragma once

#include <cstdint>
#include <span>
#include <variant>

#include "base/device/device_spec.h"

namespace drywarp::device {

// Bounds of a number: far beyond any GPU, but small enough that computations with it neither overflow nor run without
// end.
struct Bounds {
  int64_t least, most;
};

// A number's place in the file and its place in DeviceSpec.
struct Field {
  const char* path;  // "attributes.MultiProcessorCount"
  std::variant<uint32_t DeviceSpec::*, uint64_t DeviceSpec::*, std::optional<uint32_t> DeviceSpec::*,
               std::optional<uint64_t> DeviceSpec::*>
      member;
  Bounds bounds;
};
[[nodiscard]] std::span<const Field> device_fields();

}  // namespace drywarp::device
