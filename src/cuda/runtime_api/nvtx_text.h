// Texts that programs give NVTX.
#pragma once

#include <cstdint>
#include <string>

#include "nvtx3/nvToolsExt.h"

namespace drywarp::cudart::nvtx {

// `type`: nvtxMessageType_t. Characters that are not ASCII are replaced.
std::string message_text(uint32_t type, const nvtxMessageValue_t& message);

}  // namespace drywarp::cudart::nvtx
