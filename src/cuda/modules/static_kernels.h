// The kernels in PTX, with what they take of a multiprocessor, without a machine to run them on.
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
  KernelInfo info;           // without instructions
  uint32_t block_limit = 0;  // threads a block that launch bounds allow; 0: the device's limit
  std::array<uint32_t, 3> required_block = {0, 0, 0};  // .reqntid; zeros: any
};

// `units`: PTX texts, of one program if there are several.
// `name`: of the file, for messages. Errors: PTX that does not parse.
Result<std::vector<StaticKernel>> static_kernels(const std::vector<std::string>& units, const std::string& name,
                                                 const KernelResourceModel& resources);

}  // namespace drywarp::cuda
