// Turns .param slots of calls into registers.
#pragma once

#include "language/ir/kernel.h"

namespace drywarp::ir {

// Slots whose address nothing takes and no real call uses, and whose accesses are pairwise the same part or disjoint,
// become one register a part. Sets local_bytes to the end of the last frame symbol still in use.
void promote_param_slots(const Module& module, Function& function);

}  // namespace drywarp::ir
