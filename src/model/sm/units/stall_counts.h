// How long a warp waits behind each instruction of a basic block, whatever it has waited for before: ptxas writes this
// number beside the instruction. It spaces results of fixed latency, instructions that share a half-rate pipe, and
// those for the load-store unit.
#pragma once

#include <span>

#include "model/sm/units/decode.h"

namespace drywarp::sm {

// Sets Decoded::stall of all instructions of a basic block but the last.
void set_stall_counts(std::span<Decoded> block, const machine::MachineModel& model);

}  // namespace drywarp::sm
