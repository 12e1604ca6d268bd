// Dynamic parallelism: operations that device code puts into streams.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "engine/exec/blocks/fault.h"
#include "language/ir/kernel.h"

namespace drywarp::exec {

// A launch of a kernel of the same module.
struct DeviceLaunch {
  ir::FunctionId function = ir::kNone;
  Dim3 grid, block;
  uint32_t dynamic_shared_bytes = 0;
  std::vector<uint8_t> parameters;  // the kernel's parameter buffer
};
struct DeviceCopy {
  uint64_t from = 0, to = 0, bytes = 0;
};
struct DeviceFill {
  uint64_t to = 0, bytes = 0;
  uint8_t value = 0;
};

struct DeviceOperation {
  uint64_t stream = 0;  // as the program names it: kTailLaunchStream, or any other
  std::variant<DeviceLaunch, DeviceCopy, DeviceFill> what;
};
// cudaStreamTailLaunch: its operations begin when the grid and all else that it has launched have ended.
inline constexpr uint64_t kTailLaunchStream = 3;

}  // namespace drywarp::exec
