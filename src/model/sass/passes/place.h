// What a compiler adds around the program's own instructions: constants brought into registers (outside of loops),
// the prologue, convergence barriers around branches whose lanes meet again.
#pragma once

#include "model/sass/code/code.h"
#include "model/sass/code/flow.h"

namespace drywarp::sass {

// %tid and the like do not change: what the entry block reads is not read again.
void share_special_registers(Kernel& kernel);
// A block that only ends the kernel is not jumped to: who would, ends there.
void leave_early(Kernel& kernel);
void place_constants(Kernel& kernel, const Flow& flow);
void place_barriers(Kernel& kernel, const Flow& flow);
// Where lanes may have parted, an exchange asks first whether all are here.
void place_exchange_checks(Kernel& kernel, const Flow& flow);
void place_prologue(Kernel& kernel);

}  // namespace drywarp::sass
