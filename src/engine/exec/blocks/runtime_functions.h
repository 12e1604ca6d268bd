// The functions that generated code calls, with C linkage. Defined in exec/runtime.
#pragma once

#include "engine/exec/blocks/warp.h"

namespace drywarp::exec {

// Every one of them with its address, for the JIT.
std::vector<jit::RuntimeSymbol> runtime_symbols();

}  // namespace drywarp::exec

extern "C" {
using drywarp::jit::AccessSite;
using drywarp::jit::WarpContext;
#define DW_RUNTIME(name, result, parameters) result dw_##name parameters;
#include "engine/jit/abi/runtime_functions.def"
}
