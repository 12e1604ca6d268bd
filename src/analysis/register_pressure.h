// An estimate of the registers that a thread of the compiled kernel needs.
#pragma once

#include "analysis/liveness.h"

namespace drywarp::analysis {

// The most 32-bit registers that are live at once in the PTX, predicates apart: what a compiler that neither schedules
// nor rematerialises would allocate. Real compilers trade registers for latency in both directions, so this is an
// estimate.
uint32_t register_pressure(const ir::Function& function, const ControlFlow& flow, const Liveness& live);

}  // namespace drywarp::analysis
