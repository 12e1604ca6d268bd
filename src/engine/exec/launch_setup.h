// The state of a launch before its blocks run.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/exec/blocks/warp.h"
#include "engine/exec/engine.h"
#include "engine/exec/kernels/loaded_module.h"

namespace drywarp::exec {

// The kernel's parameter buffer, with room behind it for what code reads ahead.
[[nodiscard]] std::vector<uint8_t> parameters_of(const LaunchRequest& request, const LoadedKernel& kernel);

// Sets what the request, the kernel and the options decide.
void set_up(Launch& launch, LoadedModule& module, LoadedKernel& kernel, const LoadedKernel* observed,
            const LaunchRequest& request, const EngineOptions& options);

}  // namespace drywarp::exec
