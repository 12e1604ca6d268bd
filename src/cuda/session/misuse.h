// What is wrong with a call that frees or copies what it may not, for memcheck. Each may be called whenever the call
// has failed; without the check it does nothing.
#pragma once

#include "cuda/launch/launch_checks.h"
#include "cuda/streams/copies.h"

namespace drywarp::cuda {

enum class FreedAs { Device, Host, Registered };  // by cudaFree and its like, cudaFreeHost, cudaHostUnregister

void explain_free(LaunchChecks& checks, const Memory& memory, uint64_t address, FreedAs how);
// A copy, or a fill where `from` is null. `extent`: width in bytes.
void explain_copy(LaunchChecks& checks, const Memory& memory, const CopyEnd& to, const CopyEnd* from,
                  const Extent3& extent, CopyKind kind);
// A copy that succeeds: whether its kind says where its pointers are.
void judge_direction(LaunchChecks& checks, const Memory& memory, const CopyEnd& to, const CopyEnd& from, CopyKind kind);

}  // namespace drywarp::cuda
