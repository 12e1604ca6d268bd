// The order in which a launch's blocks may run, so that it does the same every time.
//
// The reference order is that of one worker: block after block. Several workers give the same results if blocks are
// proven independent (analysis/block_races), or if they were watched and had no conflict (ConflictWatch): each worker
// runs its own blocks in order, and none observes another's stores.
#pragma once

#include <functional>

#include "engine/exec/blocks/warp.h"
#include "engine/exec/engine.h"
#include "engine/exec/kernels/loaded_module.h"

namespace drywarp::exec {

// Possible races between blocks of this launch, with the current allocations.
std::shared_ptr<const analysis::BlockRaces> races_of(const LoadedModule& module, LoadedKernel& kernel,
                                                     const LaunchRequest& request, const DeviceMemory& memory);

// Whether it has a racing loop on shared memory (analysis::RacingLoops).
bool races_in_block(const LoadedKernel& kernel);
// How many blocks at a time take turns in the kernel's racing loops on global memory (analysis::RacingLoops). 0: no
// such loop reads what other warps of this launch may write.
uint64_t wave_of(const LoadedModule& module, LoadedKernel& kernel, const LaunchRequest& request,
                 const DeviceMemory& memory);

// Whether to run a launch with possible races watched on `workers` workers: it can be undone, and it pays.
bool can_be_watched(const LoadedKernel& kernel, const analysis::BlockRaces& races, const LaunchRequest& request,
                    unsigned workers);

// Runs blocks [first, end) watched, part by part; `run` runs a part on all workers. Undoes the first part with a
// conflict, sets `raced` and stops. Returns the next block to run.
uint64_t run_watched(Launch& launch, unsigned workers, const analysis::BlockRaces& races, std::atomic<bool>& raced,
                     uint64_t first, uint64_t end, LaunchCounts& counts,
                     const std::function<void(uint64_t first, uint64_t end, LaunchCounts& counts)>& run);

}  // namespace drywarp::exec
