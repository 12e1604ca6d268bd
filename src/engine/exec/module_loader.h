#pragma once

#include <memory>

#include "base/support/result.h"
#include "engine/exec/loaded_module.h"

namespace drywarp::exec {

// Allocates and initialises the module's variables. Fails when one is defined nowhere or memory is used up.
Result<std::shared_ptr<LoadedModule>> load_module(std::shared_ptr<const ir::Module> module, DeviceMemory& memory);

}  // namespace drywarp::exec
