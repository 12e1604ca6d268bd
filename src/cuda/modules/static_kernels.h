// The kernels in PTX text and their resources, without an engine to run them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/events/counts.h"
#include "base/support/result.h"
#include "cuda/modules/kernel_resources.h"

namespace drywarp::cuda {

struct StaticKernel {
  KernelInfo info;                                     // without instructions
  uint32_t block_limit = 0;                            // most threads a block, by launch bounds; 0: the device's limit
  std::array<uint32_t, 3> required_block = {0, 0, 0};  // .reqntid; zeros: any
};

// `units`: the PTX texts of one program. `name`: the file's, for messages. Errors: PTX that does not parse.
Result<std::vector<StaticKernel>> static_kernels(const std::vector<std::string>& units, const std::string& name,
                                                 const KernelResourceModel& resources);

}  // namespace drywarp::cuda
