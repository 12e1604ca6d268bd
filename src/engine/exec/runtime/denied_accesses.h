// Accesses that lanes may not do: the fault that the program sees, and what observers are told.
#pragma once

#include "engine/exec/runtime/accesses.h"

namespace drywarp::exec {

// Of one lane.
[[nodiscard]] Fault bad_access(const Access& access, uint32_t lane, observe::Denial::Why why);

// Tells the observers of lanes that leave the access out. `beside`, `unit`, `rule`: as Denial has them.
void tell_denial(const Access& access, observe::Denial::Why why, LaneMask lanes, uint64_t beside, uint32_t unit = 0,
                 std::string_view rule = {});

// Keeps what is to be said of lanes that a GPU lets through, some of them without an effect: `lost`.
void note_strays(const Access& access, LaneMask lanes, LaneMask lost);

// The fault that the program sees behind the launch, and what observers are told, of lanes that leave an access out.
// `beside`, `unit`, `rule`: as Denial has them.
void leave_out(const Access& access, observe::Denial::Why why, LaneMask lanes, const std::function<Fault()>& fault,
               uint64_t beside, uint32_t unit = 0, std::string_view rule = {});

// free() of what is no live block of the heap: tells the observers, or raises the fault.
void refuse_free(Warp& warp, uint32_t instruction, uint32_t lane, uint64_t address);

}  // namespace drywarp::exec
